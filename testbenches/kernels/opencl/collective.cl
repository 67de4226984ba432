// SPDX-License-Identifier: Apache-2.0
// Functions of OpenCL C 2.0 and 3.0 that work items call together, and its atomic functions.

kernel void groups(global const int* in, global int* out) {
  const int i = get_global_id(0), n = get_global_size(0), x = in[i];
  out[i] = work_group_reduce_add(x);
  out[n + i] = work_group_scan_inclusive_add(x);
  out[2 * n + i] = work_group_scan_exclusive_max(x);
  out[3 * n + i] = work_group_broadcast(x, get_local_size(0) - 2);
  out[4 * n + i] = 10 * work_group_any(x == in[5]) + work_group_all(x < 1000);
}

kernel void wide_groups(global const long* in, global long* out) {
  const int i = get_global_id(0), n = get_global_size(0);
  out[i] = work_group_reduce_min(in[i]);
  out[n + i] = work_group_scan_exclusive_add(in[i]);
}

kernel void sub_groups(global const float* in, global float* out) {
  const int i = get_global_id(0), n = get_global_size(0);
  const float x = in[i];
  out[i] = sub_group_reduce_max(x);
  out[n + i] = sub_group_scan_inclusive_add(x);
  out[2 * n + i] = sub_group_broadcast(x, 1);
  out[3 * n + i] = sub_group_shuffle_xor(x, 1);
  out[4 * n + i] = get_sub_group_size() + 100 * get_sub_group_local_id() + 10000 * get_num_sub_groups();
}

global int total = 5;
kernel void atomics(global atomic_int* counters, global int* taken) {
  local atomic_uint tickets;
  if (get_local_id(0) == 0) atomic_init(&tickets, 0);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  const uint ticket = atomic_fetch_add_explicit(&tickets, 1, memory_order_relaxed, memory_scope_work_group);
  taken[get_group_id(0) * get_local_size(0) + ticket] = 1;
  atomic_fetch_max(&counters[0], (int)get_global_id(0));
  int expected = atomic_load(&counters[1]);
  while (!atomic_compare_exchange_strong(&counters[1], &expected, expected + 3)) {
  }
  atomic_fetch_xor(&counters[2], 1 << get_local_id(0) % 31);
  if (get_global_id(0) == 0) atomic_store(&counters[3], total + ctz(48));
}

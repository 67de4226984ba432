# SPDX-License-Identifier: Apache-2.0
"""A script of pyopencl as any other: element-wise kernels, local memory, structures, several queues, and a binary."""
import numpy as np
import pyopencl as cl

SOURCE = """
typedef struct { int a; float b; short c; } Row;

__kernel void saxpy(float a, __global const float* x, __global float* y) {
  int i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}

__kernel void transpose(__global const float* from, __global float* to, int n) {
  __local float tile[8][9];
  int x = get_local_id(0), y = get_local_id(1);
  tile[y][x] = from[get_global_id(1) * n + get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  to[(get_group_id(0) * 8 + y) * n + get_group_id(1) * 8 + x] = tile[x][y];
}

__kernel void by_value(Row row, float4 v, __global float* out) {
  out[0] = row.a + row.b + row.c;
  out[1] = dot(v, v);
}

__kernel void count(__global int* counts, __global const int* values) {
  atomic_inc(&counts[values[get_global_id(0)]]);
}

__kernel void add_one(__global int* x) { x[get_global_id(0)] += 1; }
"""
N = 512
flags = cl.mem_flags
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
program = cl.Program(context, SOURCE).build()
random = np.random.default_rng(1)


def device(array):
    return cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=array)


def host(buffer, like):
    result = np.empty_like(like)
    cl.enqueue_copy(queue, result, buffer)
    return result


x, y = random.random(N, np.float32), random.random(N, np.float32)
at = device(y)
event = program.saxpy(queue, (N,), None, np.float32(2), device(x), at)
event.wait()
assert event.profile.end > event.profile.start >= event.profile.submit >= event.profile.queued
np.testing.assert_allclose(host(at, y), 2 * x + y, rtol=1e-6)

square = random.random((16, 16), np.float32)
to = cl.Buffer(context, flags.WRITE_ONLY, square.nbytes)
program.transpose(queue, (16, 16), (8, 8), device(square), to, np.int32(16))
assert (host(to, square) == square.T).all()

row = np.array([(3, 0.5, 7)], np.dtype([("a", np.int32), ("b", np.float32), ("c", np.int16)], align=True))
out = cl.Buffer(context, flags.WRITE_ONLY, 8)
program.by_value(queue, (1,), None, row[0], np.array([(1, 2, 3, 4)], cl.cltypes.float4)[0], out)
assert (host(out, np.zeros(2, np.float32)) == [10.5, 30]).all()

values = random.integers(0, 16, N).astype(np.int32)
counts = device(np.zeros(16, np.int32))
program.count(queue, (N,), (64,), counts, device(values))
assert (host(counts, np.zeros(16, np.int32)) == np.bincount(values, minlength=16)).all()

# The memory of a machine lasts: kernels and host accesses see what was written before.
steps = device(np.zeros(64, np.int32))
for step in range(1, 5):
    program.add_one(queue, (64,), None, steps)
    assert (host(steps, np.zeros(64, np.int32)) == step).all(), step
    if step == 2:
        cl.enqueue_copy(queue, steps, np.full(64, 2, np.int32))

# A queue without order, ordered by events.
free = cl.CommandQueue(context, properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
chain, event = device(np.zeros(64, np.int32)), None
for step in range(4):
    event = program.add_one(free, (64,), None, chain, wait_for=[event] if event else None)
cl.wait_for_events([event])
assert (host(chain, np.zeros(64, np.int32)) == 4).all()

mapped, _ = cl.enqueue_map_buffer(queue, chain, cl.map_flags.READ | cl.map_flags.WRITE, 0, (64,), np.int32)
mapped[:] = np.arange(64)
mapped.base.release(queue)
assert (host(chain, np.zeros(64, np.int32)) == np.arange(64)).all()

binary = program.get_info(cl.program_info.BINARIES)[0]
again = cl.Program(context, context.devices, [binary]).build()
again.add_one(queue, (64,), None, chain)
assert (host(chain, np.zeros(64, np.int32)) == np.arange(1, 65)).all()
print("all right")

// SPDX-License-Identifier: Apache-2.0
// Where a work item is: work-item functions of OpenCL C 1.2 to 3.0.
#include "machine.h"

OVERLOAD PURE size_t get_local_id(uint n) { return pick(n, item_x(), item_y(), item_z(), 0); }
OVERLOAD PURE size_t get_group_id(uint n) { return pick(n, group_x(), group_y(), group_z(), 0); }
OVERLOAD PURE size_t get_local_size(uint n) { return pick(n, items_x(), items_y(), items_z(), 1); }
OVERLOAD PURE size_t get_enqueued_local_size(uint n) { return get_local_size(n); }
OVERLOAD PURE size_t get_num_groups(uint n) { return pick(n, groups_x(), groups_y(), groups_z(), 1); }
OVERLOAD PURE size_t get_global_size(uint n) { return get_local_size(n) * get_num_groups(n); }
OVERLOAD PURE size_t get_global_offset(uint n) { return n < 3 ? head_word(HEAD_OFFSET + (n < 3 ? n : 0)) : 0; }

OVERLOAD PURE size_t get_global_id(uint n) {
  return get_group_id(n) * get_local_size(n) + get_local_id(n) + get_global_offset(n);
}

/// Hosts that leave it at 0 have a grid of as many dimensions as are longer than 1.
OVERLOAD PURE uint get_work_dim(void) {
  const uint given = head_word(HEAD_DIMENSIONS);
  const uint seen = get_global_size(2) > 1 ? 3 : get_global_size(1) > 1 ? 2 : 1;
  return given != 0 ? given : seen;
}

OVERLOAD PURE size_t get_local_linear_id(void) {
  return warp_in_group() * lanes_of_warp() + lane_in_warp();
}
OVERLOAD PURE size_t get_global_linear_id(void) {
  const size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1),
               z = get_global_id(2) - get_global_offset(2);
  return (z * get_global_size(1) + y) * get_global_size(0) + x;
}

// A sub-group is a warp; the last one of a group may have fewer work items.
static inline PURE uint items_of_group(void) { return items_x() * items_y() * items_z(); }
OVERLOAD PURE uint get_max_sub_group_size(void) { return lanes_of_warp(); }
OVERLOAD PURE uint get_num_sub_groups(void) { return warps_of_group(); }
OVERLOAD PURE uint get_enqueued_num_sub_groups(void) { return warps_of_group(); }
OVERLOAD PURE uint get_sub_group_id(void) { return warp_in_group(); }
OVERLOAD PURE uint get_sub_group_local_id(void) { return lane_in_warp(); }
OVERLOAD PURE uint get_sub_group_size(void) {
  const uint left = items_of_group() - warp_in_group() * lanes_of_warp();
  return left < lanes_of_warp() ? left : lanes_of_warp();
}

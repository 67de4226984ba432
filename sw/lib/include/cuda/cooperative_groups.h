// SPDX-License-Identifier: Apache-2.0
// Groups of threads by their names in CUDA: thread_block, tiles of a warp, the active lanes of a warp, and the grid
// without sync(), because work groups do not all run at the same time.
#pragma once

#include <spica/cuda.h>

namespace cooperative_groups {

class thread_block {
 public:
  using size_type = unsigned;
  static void sync() { __syncthreads(); }
  static unsigned thread_rank() { return spica::group_thread(); }
  static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned num_threads() { return size(); }
  static dim3 group_index() { return dim3(blockIdx); }
  static dim3 thread_index() { return dim3(threadIdx); }
  static dim3 group_dim() { return dim3(blockDim); }
  static dim3 dim_threads() { return dim3(blockDim); }
};
SIMT_INLINE thread_block this_thread_block() { return {}; }

class grid_group {
 public:
  static unsigned block_rank() { return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
  static unsigned num_blocks() { return gridDim.x * gridDim.y * gridDim.z; }
  static unsigned long long thread_rank() {
    return static_cast<unsigned long long>(block_rank()) * thread_block::size() + thread_block::thread_rank();
  }
  static unsigned long long size() {
    return static_cast<unsigned long long>(num_blocks()) * thread_block::size();
  }
  static unsigned long long num_threads() { return size(); }
  static bool is_valid() { return false; }
  static void sync()
      __attribute__((unavailable("work groups of a grid do not all run at the same time: end the kernel and "
                                 "launch another, in order with `spica stream`")));
};
SIMT_INLINE grid_group this_grid() { return {}; }

/// Neighbouring lanes of a warp: 1, 2, 4, ... of them, at most all.
template <unsigned lanes, class Parent = void>
class thread_block_tile : public thread_block_tile<lanes, void> {};
template <unsigned lanes>
class thread_block_tile<lanes, void> {
  static_assert(lanes != 0 && (lanes & (lanes - 1)) == 0, "tiles have 1, 2, 4, 8, 16 or 32 threads");
  static_assert(lanes <= SPICA_WARP_SIZE, "a tile has at most the threads of a warp");
  static constexpr int kWidth = static_cast<int>(lanes);
  static unsigned first() { return spica::cuda::first_of(lanes); }
  static unsigned mask() { return 0xFFFFFFFFu >> (32 - lanes); }

 public:
  using size_type = unsigned;
  static void sync() { __syncwarp(); }
  static unsigned thread_rank() {
    (void)warpSize;
    return simt_lane() & (lanes - 1);
  }
  static constexpr unsigned size() { return lanes; }
  static constexpr unsigned num_threads() { return lanes; }
  static unsigned meta_group_rank() {
    (void)warpSize;
    return spica::group_thread() / lanes;
  }
  static unsigned meta_group_size() { return (thread_block::size() + lanes - 1) / lanes; }
  template <class T>
  static T shfl(T value, int source) {
    return spica::cuda::shuffle_in(value, source, kWidth);
  }
  template <class T>
  static T shfl_up(T value, unsigned distance) {
    return spica::cuda::shuffle_up_in(value, distance, kWidth);
  }
  template <class T>
  static T shfl_down(T value, unsigned distance) {
    return spica::cuda::shuffle_down_in(value, distance, kWidth);
  }
  template <class T>
  static T shfl_xor(T value, unsigned mask) {
    return spica::cuda::shuffle_xor_in(value, static_cast<int>(mask), kWidth);
  }
  static unsigned ballot(int condition) { return __ballot(condition) >> first() & mask(); }
  static int any(int condition) { return ballot(condition) != 0; }
  static int all(int condition) { return ballot(condition == 0) == 0; }
  template <class T>
  static unsigned match_any(T value) {
    return spica::cuda::same_as_mine(mask() << first(), value) >> first();
  }
};

/// The lanes of a warp that are active here.
class coalesced_group {
  unsigned lanes_;
  unsigned lane_of(unsigned rank) const {
    unsigned rest = lanes_;
    for (unsigned i = 0; i < rank; ++i) rest &= rest - 1;
    return __builtin_ctz(rest);
  }

 public:
  explicit coalesced_group(unsigned lanes) : lanes_(lanes) {}
  void sync() const { __syncwarp(); }
  unsigned size() const { return static_cast<unsigned>(__popc(lanes_)); }
  unsigned num_threads() const { return size(); }
  unsigned thread_rank() const { return static_cast<unsigned>(__popc(lanes_ & ((1u << simt_lane()) - 1))); }
  template <class T>
  T shfl(T value, unsigned rank) const {
    return spica::cuda::of_lane(value, lane_of(rank));
  }
  int any(int condition) const { return (__ballot(condition) & lanes_) != 0; }
  int all(int condition) const { return (__ballot(condition == 0) & lanes_) == 0; }
};
SIMT_INLINE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <unsigned lanes, class Parent>
SIMT_INLINE thread_block_tile<lanes, Parent> tiled_partition(const Parent&) {
  return {};
}

/// Either a thread_block or a tile, whose size need not be a constant.
class thread_group {
  unsigned width_;  // of a tile; 0: the block
 public:
  explicit thread_group(unsigned width) : width_(width) {}
  thread_group(const thread_block&) : width_(0) {}
  template <unsigned lanes>
  thread_group(const thread_block_tile<lanes, void>&) : width_(lanes) {}
  SIMT_INLINE_MEMBER void sync() const {
    if (width_ == 0) __syncthreads();
    else __syncwarp();
  }
  unsigned size() const { return width_ == 0 ? thread_block::size() : width_; }
  unsigned num_threads() const { return size(); }
  unsigned thread_rank() const {
    return width_ == 0 ? thread_block::thread_rank() : simt_lane() & (width_ - 1);
  }
};
SIMT_INLINE thread_group tiled_partition(const thread_group&, unsigned width) {
  (void)warpSize;
  return thread_group(width);
}

template <class Group>
SIMT_INLINE void sync(const Group& group) {
  group.sync();
}

template <class T>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  T operator()(T a, T b) const { return std::min<T>(a, b); }
};
template <class T>
struct greater {
  T operator()(T a, T b) const { return std::max<T>(a, b); }
};
/// The same in all threads of the tile.
template <unsigned lanes, class Parent, class T, class Operation>
SIMT_INLINE T reduce(const thread_block_tile<lanes, Parent>& tile, T value, Operation operation) {
#pragma clang loop unroll(full)
  for (unsigned step = lanes / 2; step > 0; step /= 2) value = operation(value, tile.shfl_xor(value, step));
  return value;
}

}  // namespace cooperative_groups

// SPDX-License-Identifier: Apache-2.0
// Kernels that run as grids of work groups. The machine's dispatcher gives each work group to a cluster with room for
// its warps, its part of shared memory and its barriers; there is no main(), and nothing to spawn:
//
//   #include <spica/group.h>
//
//   struct Arguments { unsigned n; float factor; float* x; };
//   extern "C" void scale(const Arguments* a) {
//     const unsigned i = spica::global_index().x;
//     if (i < a->n) a->x[i] *= a->factor;
//   }
//   SPICA_KERNEL(scale, 64, 0);  // 64 threads in a work group, no shared memory
//
//   spica run --set dispatcher.present=true virgo scale.elf --kernel scale --grid 16
//
// The argument block (--args) is at the address that the kernel gets as its argument. Registers of a warp start at
// zero; static constructors do not run.
#pragma once

#include <built_for.h>
#include <simt.h>
#include <stdint.h>

/// Makes a function `extern "C" void name(T* argument)` a kernel: its work groups have `threads` threads where the
/// launch does not say otherwise, and `shared_bytes` of shared memory.
#define SPICA_KERNEL(name, threads, shared_bytes)                                                   \
  extern "C" void simt_start_group();                                                               \
  BUILT_FOR("kernel." #name ".threads", threads);                                                   \
  BUILT_FOR("kernel." #name ".shared", shared_bytes);                                               \
  __asm__(".weak main_or_a_SPICA_KERNEL\n\t.set main_or_a_SPICA_KERNEL, 0");                        \
  __attribute__((used, section(".spica.kernels"))) static void* const spica_kernel_of_##name[2] = { \
      reinterpret_cast<void*>(&name), reinterpret_cast<void*>(&simt_start_group)}

/// What else a work group of the kernel needs: registers of a thread, where the machine counts them
/// (core.register_rows; 64 without this), and barriers (1 without this).
#define SPICA_KERNEL_NEEDS(name, registers, barriers) \
  BUILT_FOR("kernel." #name ".registers", registers); \
  BUILT_FOR("kernel." #name ".barriers", barriers)

/// A work group of the kernel uses the matrix units: its cluster has no other work group meanwhile that does.
#define SPICA_KERNEL_OWNS_MATRIX_UNIT(name) BUILT_FOR("kernel." #name ".matrix_unit", 1)

#define SIMT_READ_GROUP(name, number)           \
  SIMT_INLINE unsigned name() {                 \
    unsigned value;                             \
    __asm__("csrr %0, " #number : "=r"(value)); \
    return value;                               \
  }
namespace spica {

namespace detail {
SIMT_READ_GROUP(group_slot, 0xCD0)
SIMT_READ_GROUP(group_rank, 0xCD1)
SIMT_READ_GROUP(group_warps, 0xCD2)
SIMT_READ_GROUP(thread_x, 0xCD3)
SIMT_READ_GROUP(thread_y, 0xCD4)
SIMT_READ_GROUP(thread_z, 0xCD5)
SIMT_READ_GROUP(block_x, 0xCD6)
SIMT_READ_GROUP(block_y, 0xCD7)
SIMT_READ_GROUP(block_z, 0xCD8)
SIMT_READ_GROUP(block_extent_x, 0xCD9)
SIMT_READ_GROUP(block_extent_y, 0xCDA)
SIMT_READ_GROUP(block_extent_z, 0xCDB)
SIMT_READ_GROUP(grid_extent_x, 0xCDC)
SIMT_READ_GROUP(grid_extent_y, 0xCDD)
SIMT_READ_GROUP(grid_extent_z, 0xCDE)
SIMT_READ_GROUP(group_shared, 0xCDF)
}  // namespace detail
#undef SIMT_READ_GROUP

struct Index3 {
  unsigned x, y, z;
};

/// Of this work group in the grid, from 0.
SIMT_INLINE Index3 block_index() { return {detail::block_x(), detail::block_y(), detail::block_z()}; }
/// Threads of a work group; work groups of the grid.
SIMT_INLINE Index3 block_extent() {
  return {detail::block_extent_x(), detail::block_extent_y(), detail::block_extent_z()};
}
SIMT_INLINE Index3 grid_extent() {
  return {detail::grid_extent_x(), detail::grid_extent_y(), detail::grid_extent_z()};
}
/// Of this thread in its work group; differs between lanes.
SIMT_INLINE Index3 thread_index() { return {detail::thread_x(), detail::thread_y(), detail::thread_z()}; }
/// Of this thread in the grid: block_index() * block_extent() + thread_index().
SIMT_INLINE Index3 global_index() {
  return {detail::block_x() * detail::block_extent_x() + detail::thread_x(),
          detail::block_y() * detail::block_extent_y() + detail::thread_y(),
          detail::block_z() * detail::block_extent_z() + detail::thread_z()};
}
/// Number of this thread in its work group, x fastest.
SIMT_INLINE unsigned group_thread() { return detail::group_rank() * simt_lanes() + simt_lane(); }
/// Of this warp in its work group, and how many there are.
SIMT_INLINE unsigned group_rank() { return detail::group_rank(); }
SIMT_INLINE unsigned group_warps() { return detail::group_warps(); }
/// The work group's own part of shared memory, of the size that SPICA_KERNEL says.
template <class T>
SIMT_INLINE T* group_shared() {
  return reinterpret_cast<T*>(static_cast<uintptr_t>(detail::group_shared()));
}
/// Waits until all warps of the work group are here, and what they have stored is visible to each other.
SIMT_INLINE void group_barrier(unsigned id = 0) { simt_barrier(id, 0); }

}  // namespace spica

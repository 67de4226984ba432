/* SPDX-License-Identifier: Apache-2.0
 *
 * The SIMT instructions as functions, and the only safe ways to let lanes diverge. See
 * docs/howto/write-a-kernel.md before writing an `if` whose condition differs between lanes. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SIMT_INLINE static inline __attribute__((always_inline))

#define SIMT_READ_CSR(name, number, qualifier)            \
  SIMT_INLINE unsigned name(void) {                       \
    unsigned value;                                       \
    __asm__ qualifier("csrr %0, " #number : "=r"(value)); \
    return value;                                         \
  }
SIMT_READ_CSR(simt_lane, 0xCC0, )                   /* lane in the warp */
SIMT_READ_CSR(simt_warp, 0xCC1, )                   /* warp in the core */
SIMT_READ_CSR(simt_core, 0xCC2, )                   /* core in the machine */
SIMT_READ_CSR(simt_hart, 0xF14, )                   /* (core * warps + warp) * lanes + lane */
SIMT_READ_CSR(simt_lanes, 0xFC0, )                  /* lanes of a warp */
SIMT_READ_CSR(simt_warps, 0xFC1, )                  /* warps of a core */
SIMT_READ_CSR(simt_cores, 0xFC2, )                  /* cores of the machine */
SIMT_READ_CSR(simt_active_warps, 0xCC3, volatile)   /* bit per active warp of this core */
SIMT_READ_CSR(simt_mask, 0xCC4, volatile)           /* bit per active lane of this warp */
SIMT_READ_CSR(simt_cycle, 0xB00, volatile)          /* core cycles since reset, low word */
SIMT_READ_CSR(simt_instructions, 0xB02, volatile)   /* lane instructions of this core, low word */
#undef SIMT_READ_CSR

/* Thread mask := mask; 0 ends the warp. Use simt_each_lane() and SIMT_IF instead where you can: the
 * compiler may move code across a bare mask change. */
SIMT_INLINE void simt_tmc(unsigned mask) {
  __asm__ volatile(".insn r CUSTOM_0, 0, 0, x0, %0, x0" ::"r"(mask) : "memory");
}
/* Starts warps 0..warps-1, except the caller's, at `pc` with lane 0. */
SIMT_INLINE void simt_wspawn(unsigned warps, void (*pc)(void)) {
  __asm__ volatile(".insn r CUSTOM_0, 1, 0, x0, %0, %1" ::"r"(warps), "r"(pc) : "memory");
}
/* Mask := active lanes with cond, or `mask` when there is none. */
SIMT_INLINE void simt_pred(unsigned cond, unsigned mask) {
  __asm__ volatile(".insn r CUSTOM_0, 5, 0, x0, %0, %1" ::"r"(cond), "r"(mask) : "memory");
}
/* Waits until `warps` warps of every core of the cluster are at barrier `id` (0..7). Memory is not
 * ordered: simt_barrier() is what kernels want. */
SIMT_INLINE void simt_bar(unsigned id, unsigned warps) {
  __asm__ volatile(".insn r CUSTOM_0, 4, 0, x0, %0, %1" ::"r"(id), "r"(warps) : "memory");
}
/* A word of shared memory that other warps of the multiprocessor also load into the same register. With cluster.multicast, two
 * of them are one read. Without it, a load. */
SIMT_INLINE unsigned simt_multicast_load(const void* word) {
  unsigned value;
  __asm__ volatile(".insn i CUSTOM_0, 6, %0, 0(%1)" : "=r"(value) : "r"(word) : "memory");
  return value;
}
/* Waits until all memory accesses of the core are done. */
SIMT_INLINE void simt_fence(void) { __asm__ volatile("fence iorw, iorw" ::: "memory"); }

/* Earlier memory accesses are visible to all warps that were at the barrier. Only outside SIMT_IF. */
SIMT_INLINE void simt_barrier(unsigned id, unsigned warps) {
  simt_fence();
  simt_bar(id, warps);
}

/* Reads a word that another warp may write at any time, for instance a flag that is polled in another function. Costs
 * the same as a load. It is marked in the debug information, so that --check hazards treats it as an atomic access:
 * it races with no store, and what the storing warp did before its last fence is visible once the value is. */
SIMT_INLINE unsigned simt_atomic_load(const volatile unsigned* word) {
#ifdef __riscv
  unsigned value;
  __asm__ volatile(
      "1: lw %0, %1\n\t"
      ".pushsection .debug_spica_atomic_loads\n\t.4byte 1b\n\t.popsection"
      : "=r"(value)
      : "m"(*word)
      : "memory");
  return value;
#else
  return *word;
#endif
}

/* The same value, of which the compiler knows nothing before this point: it cannot keep what it computed from it
 * before, which saves registers where a spilled one costs a request for each lane. */
SIMT_INLINE unsigned simt_opaque(unsigned value) {
#ifdef __riscv
  __asm__ volatile("" : "+r"(value));
#endif
  return value;
}

/* The same value, of which the caller says that all active lanes have the same: for `spica cc`, which then lets plain
 * branches ask it. Where they have not, the run ends with a fault at such a branch. C++ takes any integer, float or pointer
 * (simt_uniform below). */
SIMT_INLINE unsigned simt_uniform_word(unsigned value) {
#ifdef __riscv
  __asm__ volatile("# simt uniform" : "+r"(value));
#endif
  return value;
}

/* ---- divergent lanes --------------------------------------------------------------------
 *   SIMT_IF(x > 3) y = 1; SIMT_ELSE y = 2; SIMT_END_IF
 *   SIMT_WHILE(i < n) i += i; SIMT_END_WHILE
 * The condition passes through the split, so that the branch after it tests a value the compiler
 * knows nothing about: it cannot duplicate or merge the two sides. The blocks may nest (7 levels of
 * actual divergence) and may not be left by break, continue, goto or return. The condition of
 * SIMT_WHILE is evaluated by all lanes, even those that have left the loop: it must have no side
 * effect and no fault. */
#ifdef __riscv
SIMT_INLINE unsigned simt_split(unsigned* cond) {
  unsigned parted, value = *cond;
  __asm__ volatile(".insn r CUSTOM_0, 2, 0, %0, %1, x0" : "=&r"(parted), "+r"(value)::"memory");
  *cond = value;
  return parted;
}
SIMT_INLINE void simt_join(unsigned parted) {
  __asm__ volatile(".insn r CUSTOM_0, 3, 0, x0, %0, x0" ::"r"(parted) : "memory");
}
/* True in all lanes when cond holds in any active lane. Split and join with nothing between them change no
 * mask; split returns whether the lanes disagree, and where they agree each lane has the answer. */
SIMT_INLINE unsigned simt_any(unsigned cond) {
  unsigned any;
  cond = cond != 0;
  __asm__ volatile(
      ".insn r CUSTOM_0, 2, 0, %0, %1, x0\n\t"
      ".insn r CUSTOM_0, 3, 0, x0, %0, x0\n\t"
      "or %0, %0, %1"
      : "=&r"(any)
      : "r"(cond)
      : "memory");
  return any;
}
#else /* one lane, on the host: the same source computes the expected result */
SIMT_INLINE unsigned simt_split(unsigned* cond) { return *cond & 0; }
SIMT_INLINE void simt_join(unsigned parted) { (void)parted; }
SIMT_INLINE unsigned simt_any(unsigned cond) { return cond != 0; }
#endif
SIMT_INLINE unsigned simt_all(unsigned cond) { return !simt_any(!cond); }

/* mcycle, both words. The lanes of a warp may read it in different cycles. */
SIMT_INLINE uint64_t simt_cycle64(void) {
  unsigned low, high, again;
  do {
    __asm__ volatile("csrr %0, 0xB80\n\tcsrr %1, 0xB00\n\tcsrr %2, 0xB80"
                     : "=&r"(high), "=&r"(low), "=&r"(again));
  } while (simt_any(high != again));
  return (uint64_t)high << 32 | low;
}

#define SIMT_IF(cond)                                      \
  {                                                        \
    unsigned simt_cond_ = (cond) != 0;                     \
    const unsigned simt_parted_ = simt_split(&simt_cond_); \
    if (simt_cond_) {
#define SIMT_ELSE \
  }               \
  else {
#define SIMT_END_IF        \
  }                        \
  simt_join(simt_parted_); \
  }
#define SIMT_WHILE(cond)                      \
  for (;;) {                                  \
    const unsigned simt_wants_ = (cond) != 0; \
    if (!simt_any(simt_wants_)) break;        \
    SIMT_IF(simt_wants_)
#define SIMT_END_WHILE \
  SIMT_END_IF          \
  }

/* The same value, about which the compiler knows nothing. It may turn an expression into a
 * branch when it sees that a part is 0 or 1 (clang: (a & -c) | (b & ~-c), gcc: 1 / x); hide that
 * part from it. */
SIMT_INLINE unsigned simt_hide(unsigned value) {
  __asm__("" : "+r"(value));
  return value;
}

/* cond ? a : b without a branch. */
SIMT_INLINE unsigned simt_select(unsigned cond, unsigned a, unsigned b) {
  const unsigned mask = simt_hide(-(unsigned)(cond != 0));
  return (a & mask) | (b & ~mask);
}

/* Calls function(argument) once for each active lane, one lane at a time in ascending order. Inside
 * it anything is allowed, as in a single thread: plain `if`, `?:`, loops, library functions. */
void simt_each_lane(void (*function)(void*), void* argument);

/* Calls function(id, argument) with the lanes of `mask` only, which are some of the active lanes. */
void simt_with_mask(void (*function)(unsigned, void*), unsigned id, void* argument, unsigned mask);

/* Markers around the measured part of a kernel: instructions without effect (kernels sgemm_tcore/kernel.cpp). */
#define MARK_BEG() __asm__ volatile("slti x0, x1, -1047" ::: "memory")
#define MARK_END() __asm__ volatile("slti x0, x1, -499" ::: "memory")

/* Marks in loops over units of work of the same kind that each warp does in sequence, such as the tiles of a product. First each loop of the nest, the outermost first, then at the head of a unit each of their variables:
 *   simt_units(m, tile_m);
 *   simt_units(n, tile_n);
 *   for (unsigned i = 0; i < m; i += tile_m)
 *     for (unsigned j = 0; j < n; j += tile_n) {
 *       i = simt_unit(i, tile_m);
 *       j = simt_unit(j, tile_n);
 *       ...
 * All warps must have the same loops. In a sampled run (spica --sample) simt_unit() chooses which units are done, so a
 * unit may depend on these variables, but not on others that earlier units left. Costs one instruction for each variable. */
SIMT_INLINE void simt_units(unsigned extent, unsigned step) {
#ifdef __riscv
  unsigned same;
  __asm__ volatile("srli %0, %1, 0\n\tsrli %0, %2, 0" : "=&r"(same) : "r"(extent), "r"(step));
#endif
  (void)extent;
  (void)step;
}
SIMT_INLINE unsigned simt_unit(unsigned at, unsigned step) {
#ifdef __riscv
  __asm__ volatile("slli %0, %0, 0" : "+r"(at));
#endif
  at = simt_uniform_word(at);
  if (at % step != 0) __builtin_unreachable();
  return at;
}

#ifdef __cplusplus
}
#endif

#ifdef __cplusplus
template <class T>
SIMT_INLINE T simt_uniform(T value) {
  static_assert(sizeof(T) <= sizeof(unsigned), "simt_uniform() takes values of up to 32 bits");
  unsigned word = 0;
  __builtin_memcpy(&word, &value, sizeof value);
  word = simt_uniform_word(word);
  __builtin_memcpy(&value, &word, sizeof value);
  return value;
}
#else
#define simt_uniform simt_uniform_word
#endif

// SPDX-License-Identifier: Apache-2.0
// Matrix multiply-add of a whole warp of 32 lanes (tensor_core.style volta, turing, ampere), in the words of CUDA's
// wmma:
//
//   wmma::fragment<0, wmma::matrix_a, 16, 16, 16, wmma::half, wmma::row_major> a;
//   wmma::fragment<1, wmma::matrix_b, 16, 16, 16, wmma::half, wmma::col_major> b;
//   wmma::fragment<2, wmma::accumulator, 16, 16, 16, float> c;
//   wmma::fill_fragment(c, 0.0f);
//   wmma::load_matrix_sync(a, address_of_a, 64);  // 64: elements from one row (column) to the next
//   wmma::load_matrix_sync(b, address_of_b, 64);
//   wmma::mma_sync(c, a, b, c);
//   wmma::store_matrix_sync(address_of_c, c, 64, wmma::mem_row_major);
//
// The first number of a fragment, 0..31, is the place it has in the registers of the warp: a variable of the program
// holds nothing, and two variables with the same number are the same fragment. All lanes of the warp must be active.
// Forms that a tensor core does not have are faults. Addresses are multiples of 16 bytes, and so are distances of rows.
#pragma once

#include <built_for.h>
#include <stdint.h>

/* The machines that have fragments. */
#define WMMA_BUILT_FOR BUILT_FOR_WORD_HERE("tensor_core.style", "volta|turing|ampere|block")

namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {
  static constexpr bool column = false;
};
struct col_major {
  static constexpr bool column = true;
};
enum layout_t { mem_row_major, mem_col_major };

/// The bits of an FP16 number.
struct half {
  uint16_t bits;
};
/// The bits of a BF16 number.
struct bf16 {
  uint16_t bits;
};
/// The bits of an FP8 number, and of an FP6 number in the low bits of a byte.
struct e4m3 {
  uint8_t bits;
};
struct e5m2 {
  uint8_t bits;
};
struct e3m2 {
  uint8_t bits;
};
struct e2m3 {
  uint8_t bits;
};
/// FP4 numbers: eight in a word, the first one in its lowest bits. 16x16x64; A row by row and B column by column.
struct e2m1 {};
/// Numbers of the format T in blocks along k, each with a scale that load_matrix_sync does not load: set_scales(). MX: 32
/// numbers, whose scale is a power of two (E8M0).
template <class T>
struct mx {};
/// NVFP4: 16 FP4 numbers, whose scale is E4M3.
struct nvfp4 {};
using s8 = int8_t;
using u8 = uint8_t;
namespace precision {
/// FP32 in memory, of which a tensor core reads sign, exponent and 10 bits of the fraction.
struct tf32 {};
}  // namespace precision
namespace experimental::precision {
/// Integers of 4 bits: eight in a word, the first one in its lowest bits. 8x8x32, on Ampere 16x16x64; A row by row and
/// B column by column.
struct s4 {};
struct u4 {};
}  // namespace experimental::precision

namespace detail {

template <class A, class B>
inline constexpr bool same = false;
template <class A>
inline constexpr bool same<A, A> = true;

/// A format of A and B that goes with an accumulator of this one.
template <class T>
struct operand {
  using type = half;
};
template <>
struct operand<int32_t> {
  using type = s8;
};
template <class T>
using operand_of = typename operand<T>::type;
/// The same for a product with that many elements of k: an accumulator lies in memory in one way with all of them.
template <unsigned n, unsigned k, class T>
struct operand_of_depth {
  using type = operand_of<T>;
};
template <>
struct operand_of_depth<16, 8, float> {
  using type = precision::tf32;
};
template <>
struct operand_of_depth<16, 64, int32_t> {
  using type = experimental::precision::s4;
};

/// What lies in memory.
template <class T>
struct storage {
  using type = T;
  static constexpr bool is_small = false, is_signed = same<T, s8>;
};
template <>
struct storage<precision::tf32> {
  using type = float;
  static constexpr bool is_small = false, is_signed = true;
};
template <>
struct storage<experimental::precision::s4> {
  using type = int32_t;
  static constexpr bool is_small = true, is_signed = true;
};
template <>
struct storage<experimental::precision::u4> {
  using type = uint32_t;
  static constexpr bool is_small = true, is_signed = false;
};

template <>
struct storage<e2m1> {
  using type = uint32_t;
  static constexpr bool is_small = true, is_signed = true;
};

/// The format of numbers, with scales or without.
template <class T>
struct element {
  using type = T;
  static constexpr bool is_scaled = false;
};
template <class T>
struct element<mx<T>> {
  using type = T;
  static constexpr bool is_scaled = true;
};
template <>
struct element<nvfp4> {
  using type = e2m1;
  static constexpr bool is_scaled = true;
};
template <class T>
struct storage<mx<T>> : storage<T> {};
template <>
struct storage<nvfp4> : storage<e2m1> {};

/// FP8, FP6 and FP4 in the order of their forms, from 32 on; 5: another format.
template <class T>
constexpr unsigned narrow() {
  return same<T, e4m3>   ? 0
         : same<T, e5m2> ? 1
         : same<T, e3m2> ? 2
         : same<T, e2m3> ? 3
         : same<T, e2m1> ? 4
                         : 5;
}

/// The form of an instruction: shape, formats, and how A and B lie in memory.
template <unsigned m, unsigned n, unsigned k, class Operand, class Accumulate>
constexpr unsigned form(bool a_column, bool b_column) {
  constexpr bool is_half = same<Operand, half>, to_half = same<Accumulate, half>;
  constexpr bool is_signed = storage<Operand>::is_signed, is_square = m == 16 && n == 16;
  constexpr bool is_flat = m == 16 && n == 8;
  static_assert(!storage<Operand>::is_small || (m == 8 && n == 8 && k == 32) || (is_square && k == 64),
                "integers of 4 bits: 8x8x32 or 16x16x64");
  if constexpr (element<Operand>::is_scaled) {
    using Number = typename element<Operand>::type;
    static_assert(!to_half, "sums of numbers with scales are FP32");
    return 42 + (form<m, n, k, Number, Accumulate>(a_column, b_column) - 32) / 2 +
           (same<Operand, nvfp4> ? 1 : 0);
  } else if constexpr (narrow<Operand>() < 5) {
    static_assert(is_square && k == (same<Operand, e2m1> ? 64 : 32), "FP8 and FP6: 16x16x32, FP4: 16x16x64");
    return 32 + 2 * narrow<Operand>() + (to_half ? 1 : 0);
  } else if constexpr (same<Operand, bf16>) {
    static_assert(k == 16 && (is_square || is_flat), "BF16: 16x16x16 or 16x8x16");
    return is_square ? 24 : 30;
  } else if constexpr (same<Operand, precision::tf32>) {
    static_assert(k == 8 && (is_square || is_flat), "TF32: 16x16x8 or 16x8x8");
    return is_square ? 25 : 31;
  } else if constexpr (is_square && k == 32) return is_signed ? 26 : 27;
  else if constexpr (is_square && k == 64) return is_signed ? 28 : 29;
  else if constexpr (is_half && m == 16 && n == 16 && k == 16)
    return (to_half ? 4u : 0u) + (a_column ? 1u : 0u) + (b_column ? 2u : 0u);
  else if constexpr (is_half && k == 16 && m == 32 && n == 8) return to_half ? 10 : 8;
  else if constexpr (is_half && k == 16 && m == 8 && n == 32) return to_half ? 11 : 9;
  else if constexpr (is_half && k == 16 && m == 16 && n == 8) return to_half ? 21 : 20;
  else if constexpr (is_half && k == 8 && m == 16 && n == 8) return to_half ? 23 : 22;
  else if constexpr (m == 16 && n == 16 && k == 16) return is_signed ? 12 : 13;
  else if constexpr (m == 32 && n == 8 && k == 16) return is_signed ? 16 : 17;
  else if constexpr (m == 8 && n == 32 && k == 16) return is_signed ? 18 : 19;
  else if constexpr (!is_half && m == 8 && n == 8 && k == 32) return is_signed ? 14 : 15;
  else static_assert(m == 0, "no tensor core has this shape");
}

/// The form of loads of A and B: narrow numbers lie as integers of their width.
template <unsigned m, unsigned n, unsigned k, class Operand>
constexpr unsigned form_of_operand(bool a_column, bool b_column) {
  if constexpr (element<Operand>::is_scaled)
    return form_of_operand<m, n, k, typename element<Operand>::type>(a_column, b_column);
  else if constexpr (same<Operand, e2m1>)
    return form<m, n, k, experimental::precision::s4, int32_t>(false, true);
  else if constexpr (narrow<Operand>() < 5) return form<m, n, k, s8, int32_t>(false, true);
  else return form<m, n, k, Operand, float>(a_column, b_column);
}
/// That of loads and stores of accumulators, which lie in one way with all operands.
template <unsigned m, unsigned n, unsigned k, class T>
constexpr unsigned form_of_sums() {
  if constexpr (m == 16 && n == 16 && k > 16 && !same<T, int32_t>)
    return form<m, n, 16, half, T>(false, false);
  else return form<m, n, k, typename operand_of_depth<n, k, T>::type, T>(false, false);
}

}  // namespace detail

/// The words or numbers that hold elements of a format in memory.
template <class T>
using storage_of = typename detail::storage<T>::type;

/// `T` of an accumulator: float, half or int32_t; of A and B: half, bf16, precision::tf32, e4m3, e5m2, e3m2, e2m3, e2m1,
/// s8, u8, or s4 and u4 of experimental::precision, mx<e4m3> and other mx, nvfp4.
template <unsigned number, class Use, unsigned m, unsigned n, unsigned k, class T, class Layout = row_major>
struct fragment {
  static_assert(number < 32, "a warp has 32 fragments");
};

template <unsigned d, unsigned m, unsigned n, unsigned k, class T>
inline void fill_fragment(fragment<d, accumulator, m, n, k, T>, T value) {
  float word;
  if constexpr (sizeof(T) == 2) {
    const uint32_t both = value.bits | static_cast<uint32_t>(value.bits) << 16;
    __builtin_memcpy(&word, &both, 4);
  } else {
    __builtin_memcpy(&word, &value, 4);
  }
  WMMA_BUILT_FOR;
  __asm__ volatile(".insn r CUSTOM_2, 6, 0, x%c0, %1, x0" ::"i"(d), "f"(word) : "memory");
}

/// Register `index` of the fragment, of each lane: element `index` of an FP32 or integer accumulator.
template <unsigned index, unsigned s, class Use, unsigned m, unsigned n, unsigned k, class T, class Layout>
inline float get_register(fragment<s, Use, m, n, k, T, Layout>) {
  float word;
  WMMA_BUILT_FOR;
  __asm__ volatile(".insn r CUSTOM_2, 4, %c1, %0, x0, x%c2" : "=f"(word) : "i"(index), "i"(s) : "memory");
  return word;
}
template <unsigned index, unsigned d, class Use, unsigned m, unsigned n, unsigned k, class T, class Layout>
inline void set_register(fragment<d, Use, m, n, k, T, Layout>, float word) {
  WMMA_BUILT_FOR;
  __asm__ volatile(".insn r CUSTOM_2, 5, %c1, x%c0, %2, x0" ::"i"(d), "i"(index), "f"(word) : "memory");
}

/// The scales of a fragment of A or B with block scales: lane i has those of row i of A, or column i of B, a byte for each
/// block along k, the first one lowest. Lanes from 16 on have none.
template <unsigned d, class Use, unsigned m, unsigned n, unsigned k, class T, class Layout>
inline void set_scales(fragment<d, Use, m, n, k, T, Layout> to, uint32_t scales) {
  static_assert(detail::element<T>::is_scaled, "numbers without scales");
  float word;
  __builtin_memcpy(&word, &scales, 4);
  set_register<4>(to, word);
}

#define WMMA_LOAD(operation, slot, base, stride, code)                                             \
  do {                                                                                             \
    WMMA_BUILT_FOR;                                                                                \
    __asm__ volatile(".insn r CUSTOM_2, " #operation ", %c0, x%c1, %2, %3" ::"i"(code), "i"(slot), \
                     "r"(base), "r"(stride)                                                        \
                     : "memory");                                                                  \
  } while (false)
inline constexpr unsigned kColumnMajor = 32, kMulticast = 64;

/// `stride`: elements from one row, or column, of the matrix in memory to the next.
template <unsigned d, unsigned m, unsigned n, unsigned k, class T, class Layout>
inline void load_matrix_sync(fragment<d, matrix_a, m, n, k, T, Layout>, const storage_of<T>* base,
                             unsigned stride) {
  static_assert(!detail::storage<T>::is_small || !Layout::column, "A of 4 bits lies row by row");
  constexpr unsigned form = detail::form_of_operand<m, n, k, T>(Layout::column, false);
  WMMA_LOAD(0, d, base, stride, form + (Layout::column ? kColumnMajor : 0));
}
template <unsigned d, unsigned m, unsigned n, unsigned k, class T, class Layout>
inline void load_matrix_sync(fragment<d, matrix_b, m, n, k, T, Layout>, const storage_of<T>* base,
                             unsigned stride) {
  static_assert(!detail::storage<T>::is_small || Layout::column, "B of 4 bits lies column by column");
  constexpr unsigned form = detail::form_of_operand<m, n, k, T>(false, Layout::column);
  WMMA_LOAD(1, d, base, stride, form + (Layout::column ? kColumnMajor : 0));
}
/// The same, of a matrix in shared memory that other warps of the multiprocessor also load into the same fragment: with
/// cluster.multicast two of them are one read. Without it, a load like others.
template <unsigned d, unsigned m, unsigned n, unsigned k, class T, class Layout>
inline void load_matrix_multicast(fragment<d, matrix_a, m, n, k, T, Layout>, const storage_of<T>* base,
                                  unsigned stride) {
  static_assert(!detail::storage<T>::is_small || !Layout::column, "A of 4 bits lies row by row");
  constexpr unsigned form = detail::form_of_operand<m, n, k, T>(Layout::column, false);
  WMMA_LOAD(0, d, base, stride, form + kMulticast + (Layout::column ? kColumnMajor : 0));
}
template <unsigned d, unsigned m, unsigned n, unsigned k, class T, class Layout>
inline void load_matrix_multicast(fragment<d, matrix_b, m, n, k, T, Layout>, const storage_of<T>* base,
                                  unsigned stride) {
  static_assert(!detail::storage<T>::is_small || Layout::column, "B of 4 bits lies column by column");
  constexpr unsigned form = detail::form_of_operand<m, n, k, T>(false, Layout::column);
  WMMA_LOAD(1, d, base, stride, form + kMulticast + (Layout::column ? kColumnMajor : 0));
}
template <unsigned d, unsigned m, unsigned n, unsigned k, class T>
inline void load_matrix_sync(fragment<d, accumulator, m, n, k, T>, const T* base, unsigned stride,
                             layout_t layout) {
  constexpr unsigned form = detail::form_of_sums<m, n, k, T>();
  if (layout == mem_row_major) WMMA_LOAD(2, d, base, stride, form);
  else WMMA_LOAD(2, d, base, stride, form + kColumnMajor);
}
template <unsigned d, unsigned m, unsigned n, unsigned k, class T>
inline void store_matrix_sync(T* base, fragment<d, accumulator, m, n, k, T>, unsigned stride,
                              layout_t layout) {
  constexpr unsigned form = detail::form_of_sums<m, n, k, T>();
  if (layout == mem_row_major) WMMA_LOAD(3, d, base, stride, form);
  else WMMA_LOAD(3, d, base, stride, form + kColumnMajor);
}
#undef WMMA_LOAD

/// d = a * b + c
template <unsigned d, unsigned a, unsigned b, unsigned c, unsigned m, unsigned n, unsigned k, class Operand,
          class Sum, class LayoutA, class LayoutB>
inline void mma_sync(fragment<d, accumulator, m, n, k, Sum>, fragment<a, matrix_a, m, n, k, Operand, LayoutA>,
                     fragment<b, matrix_b, m, n, k, Operand, LayoutB>,
                     fragment<c, accumulator, m, n, k, Sum>) {
  constexpr unsigned form = detail::form<m, n, k, Operand, Sum>(LayoutA::column, LayoutB::column);
  WMMA_BUILT_FOR;
  constexpr bool is_narrow = form >= 32;
  constexpr unsigned opcode = is_narrow ? 0x2B : 0x7B, funct3 = is_narrow ? form / 4 % 8 : (form / 4 + 2) % 8;
  __asm__ volatile(".insn r4 %c6, %c0, %c1, x%c2, x%c3, x%c4, x%c5" ::"i"(funct3), "i"(form % 4), "i"(d),
                   "i"(a), "i"(b), "i"(c), "i"(opcode)
                   : "memory");
}

}  // namespace wmma
#undef WMMA_BUILT_FOR

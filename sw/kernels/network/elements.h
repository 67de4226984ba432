// SPDX-License-Identifier: Apache-2.0
// result = f(x, y, z) element by element, over strided views.
#pragma once

#include "sw/kernels/network/functions.h"
#include "sw/kernels/network/views.h"

namespace network {

/// A body computes elements of the iteration space: next<n>(at, step) the next n of the lane, of which at[i] is the
/// address in operand i and step[i] the distance of the next one, in bytes; it moves the addresses on. kBytes: of an
/// element of each operand.
template <class Body>
struct EachElement {
  static constexpr unsigned kOperands = Body::kOperands, kAtOnce = Body::kAtOnce, kRound = kAtOnce * kLanes;

  SIMT_INLINE void run(const NetworkArguments* p) {
    const unsigned inner = p->extents[kInner], rows = rows_of(p), warps = grid_warps(), lane = simt_lane();
    // An item is a piece of a row: large, but not so large that warps have none.
    const unsigned piece = rows * inner >= 4 * kRound * warps ? 4 * kRound : kRound;
    const unsigned pieces = (inner + piece - 1) / piece, items = rows * pieces;
    const Body body(p);
    for (unsigned item = grid_warp(); item < items; item += warps) {
      const unsigned row = item / pieces, first = (item - row * pieces) * piece;
      uint32_t at[kOperands], step[kOperands];
      NETWORK_UNROLLED
      for (unsigned i = 0; i < kOperands; ++i) {
        step[i] = static_cast<uint32_t>(p->strides[i][kInner]);
        at[i] = step[i] * (first + lane);
      }
      locate<kInner>(p, row, at);
      NETWORK_UNROLLED
      for (unsigned i = 0; i < kOperands; ++i) {
        at[i] = p->address[i] + at[i] * Body::kBytes[i];
        step[i] *= kLanes * Body::kBytes[i];
      }
      unsigned left = inner - first < piece ? inner - first : piece;
      for (; left >= kRound; left -= kRound) body.template next<kAtOnce>(at, step);
      while (left != 0) {
        const unsigned count = left < kLanes ? left : kLanes;
        SIMT_IF(lane < count)
          body.template next<1>(at, step);
        SIMT_END_IF
        left -= count;
      }
    }
  }
};

/// Loads n elements and moves the address on.
template <class T, unsigned n>
SIMT_INLINE void load_next(float (&x)[n], uint32_t& at, uint32_t step) {
  NETWORK_UNROLLED
  for (unsigned i = 0; i < n; ++i, at += step) x[i] = T::load(at);
}
template <class T, unsigned n>
SIMT_INLINE void store_next(const float (&x)[n], uint32_t& at, uint32_t step) {
  NETWORK_UNROLLED
  for (unsigned i = 0; i < n; ++i, at += step) T::store(at, x[i]);
}

/// How a function is applied to several elements: one after the other with the scalars of the argument block, or all of
/// them with the function's table of constants.
template <class F, class = void>
struct Apply {
  float scalars[2];
  /// `first`: number of the first scalar of the function.
  explicit Apply(const NetworkArguments* p, unsigned first = 0)
      : scalars{p->scalars[first], p->scalars[first + 1]} {}
  template <unsigned n>
  NETWORK_BODY void operator()(float (&x)[n], const float (&y)[n], const float (&z)[n]) const {
    NETWORK_UNROLLED
    for (unsigned i = 0; i < n; ++i) x[i] = F::of(x[i], y[i], z[i], scalars);
  }
};
template <class F>
struct Apply<F, decltype(static_cast<void>(F::kTable))> {
  const float* table;
  explicit Apply(const NetworkArguments*, unsigned = 0)
      : table(reinterpret_cast<const float*>(simt_opaque(reinterpret_cast<uint32_t>(F::kTable)))) {}
  template <unsigned n>
  NETWORK_BODY void operator()(float (&x)[n], const float (&)[n], const float (&)[n]) const {
    F::of_all(x, table);
  }
};

/// result = f(x, y, z). `R` and so on: formats in memory.
template <class F, class R, class X, class Y = X, class Z = X>
struct FunctionOf {
  static constexpr unsigned kInputs = F::kInputs, kOperands = 1 + kInputs, kAtOnce = kTogether<F>;
  static constexpr unsigned kBytes[] = {R::kBytes, X::kBytes, Y::kBytes, Z::kBytes};
  Apply<F> apply;

  explicit FunctionOf(const NetworkArguments* p) : apply(p) {}
  template <unsigned n>
  NETWORK_BODY void next(uint32_t (&at)[kOperands], const uint32_t (&step)[kOperands]) const {
    float x[n], y[n] = {}, z[n] = {};
    load_next<X>(x, at[1], step[1]);
    if constexpr (kInputs > 1) load_next<Y>(y, at[2], step[2]);
    if constexpr (kInputs > 2) load_next<Z>(z, at[3], step[3]);
    apply(x, y, z);
    store_next<R>(x, at[0], step[0]);
  }
};
template <class... Types>
using Elements = EachElement<FunctionOf<Types...>>;

/// result = x at an index, or, `is_scatter`, result at an index = x. Operands: result, x, index: words, of which 64-bit
/// ones have a stride of 2. Integers: 0 elements from an index to the next along the indexed dimension, 1 its extent,
/// which negative indices count from.
template <class T, bool is_scatter>
struct AtIndex {
  static constexpr unsigned kOperands = 3, kAtOnce = 4, kBytes[] = {T::kBytes, T::kBytes, 4};
  uint32_t stride, extent;

  explicit AtIndex(const NetworkArguments* p)
      : stride(static_cast<uint32_t>(p->integers[0]) * T::kBytes),
        extent(static_cast<uint32_t>(p->integers[1])) {}
  template <unsigned n>
  NETWORK_BODY void next(uint32_t (&at)[kOperands], const uint32_t (&step)[kOperands]) const {
    uint32_t offset[n];
    NETWORK_UNROLLED
    for (unsigned i = 0; i < n; ++i, at[2] += step[2]) offset[i] = *reinterpret_cast<const uint32_t*>(at[2]);
    NETWORK_UNROLLED
    for (unsigned i = 0; i < n; ++i) offset[i] = (offset[i] + (extent & (0u - (offset[i] >> 31)))) * stride;
    float x[n];
    NETWORK_UNROLLED
    for (unsigned i = 0; i < n; ++i, at[1] += step[1]) x[i] = T::load(at[1] + (is_scatter ? 0 : offset[i]));
    NETWORK_UNROLLED
    for (unsigned i = 0; i < n; ++i, at[0] += step[0]) T::store(at[0] + (is_scatter ? offset[i] : 0), x[i]);
  }
};
template <class... Types>
using Gather = EachElement<AtIndex<Types..., false>>;
template <class... Types>
using Scatter = EachElement<AtIndex<Types..., true>>;

/// Rotary embedding: the two elements (a, b) of a pair become (a cos - b sin, b cos + a sin). Operands: result, x, cos,
/// sin; integers 0 to 3: elements from a to b in each of them. The iteration space has the pairs.
template <class T>
struct RotatedPair {
  static constexpr unsigned kOperands = 4, kAtOnce = 2,
                            kBytes[] = {T::kBytes, T::kBytes, T::kBytes, T::kBytes};
  uint32_t other[kOperands];

  explicit RotatedPair(const NetworkArguments* p) {
    NETWORK_UNROLLED
    for (unsigned i = 0; i < kOperands; ++i) other[i] = static_cast<uint32_t>(p->integers[i]) * T::kBytes;
  }
  template <unsigned n>
  NETWORK_BODY void next(uint32_t (&at)[kOperands], const uint32_t (&step)[kOperands]) const {
    float a[n], b[n], cos_a[n], cos_b[n], sin_a[n], sin_b[n];
    NETWORK_UNROLLED
    for (unsigned i = 0; i < n; ++i) {
      b[i] = T::load(at[1] + other[1] + i * step[1]);
      cos_b[i] = T::load(at[2] + other[2] + i * step[2]);
      sin_b[i] = T::load(at[3] + other[3] + i * step[3]);
    }
    load_next<T>(a, at[1], step[1]);
    load_next<T>(cos_a, at[2], step[2]);
    load_next<T>(sin_a, at[3], step[3]);
    NETWORK_UNROLLED
    for (unsigned i = 0; i < n; ++i, at[0] += step[0]) {
      T::store(at[0], a[i] * cos_a[i] - b[i] * sin_a[i]);
      T::store(at[0] + other[0], b[i] * cos_b[i] + a[i] * sin_b[i]);
    }
  }
};
template <class T>
using Rotary = EachElement<RotatedPair<T>>;

}  // namespace network

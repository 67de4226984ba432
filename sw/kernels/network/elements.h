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
SIMT_INLINE void load_next(typename T::Value (&x)[n], uint32_t& at, uint32_t step) {
  NETWORK_UNROLLED
  for (unsigned i = 0; i < n; ++i, at += step) x[i] = T::load(at);
}
template <class T, class V, unsigned n>
SIMT_INLINE void store_next(const V (&x)[n], uint32_t& at, uint32_t step) {
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
  template <class V, class Y, class Z, unsigned n>
  NETWORK_BODY void operator()(V (&x)[n], const Y (&y)[n], const Z (&z)[n]) const {
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
  static constexpr unsigned kInputs = F::kInputs, kOperands = 1 + kInputs,
                            kAtOnce = X::kBytes < 4 ? kTogetherNarrow<F> : kTogether<F>;
  static constexpr unsigned kBytes[] = {R::kBytes, X::kBytes, Y::kBytes, Z::kBytes};
  Apply<F> apply;

  explicit FunctionOf(const NetworkArguments* p) : apply(p) {}
  template <unsigned n>
  NETWORK_BODY void next(uint32_t (&at)[kOperands], const uint32_t (&step)[kOperands]) const {
    typename X::Value x[n];
    typename Y::Value y[n] = {};
    typename Z::Value z[n] = {};
    load_next<X>(x, at[1], step[1]);
    if constexpr (kInputs > 1) load_next<Y>(y, at[2], step[2]);
    if constexpr (kInputs > 2) load_next<Z>(z, at[3], step[3]);
    apply(x, y, z);
    store_next<R>(x, at[0], step[0]);
  }
};
template <class... Types>
using Elements = EachElement<FunctionOf<Types...>>;

/// result = x at an index, or, `is_scatter`, result at an index = x. An index has one or several entries, for as many
/// dimensions. Operands: result, x, index: words. Integers: 0 entries of an index, 1 elements from one to the next, then for
/// each entry the stride and the extent of its dimension, from which negative ones count.
template <class T, bool is_scatter>
struct AtIndex {
  static constexpr unsigned kOperands = 3, kAtOnce = 4, kBytes[] = {T::kBytes, T::kBytes, 4};
  const int32_t* integers;

  explicit AtIndex(const NetworkArguments* p) : integers(p->integers) {}
  template <unsigned n>
  NETWORK_BODY void next(uint32_t (&at)[kOperands], const uint32_t (&step)[kOperands]) const {
    uint32_t offset[n] = {}, from = at[2];
    for (unsigned entry = 0; entry < static_cast<unsigned>(integers[0]); ++entry) {
      const uint32_t stride = static_cast<uint32_t>(integers[2 + 2 * entry]) * T::kBytes,
                     extent = static_cast<uint32_t>(integers[3 + 2 * entry]);
      uint32_t index[n];
      NETWORK_UNROLLED
      for (unsigned i = 0; i < n; ++i) index[i] = *reinterpret_cast<const uint32_t*>(from + i * step[2]);
      NETWORK_UNROLLED
      for (unsigned i = 0; i < n; ++i) offset[i] += (index[i] + (extent & (0u - (index[i] >> 31)))) * stride;
      from += static_cast<uint32_t>(integers[1]) * 4;
    }
    at[2] += n * step[2];
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

/// result = a value, of which integer 0 has the bits.
template <class T>
struct OneValue {
  static constexpr unsigned kOperands = 1, kAtOnce = 4, kBytes[] = {T::kBytes};
  float value;

  explicit OneValue(const NetworkArguments* p)
      : value(float_from_bits(static_cast<uint32_t>(p->integers[0]))) {}
  template <unsigned n>
  NETWORK_BODY void next(uint32_t (&at)[kOperands], const uint32_t (&step)[kOperands]) const {
    NETWORK_UNROLLED
    for (unsigned i = 0; i < n; ++i, at[0] += step[0]) T::store(at[0], value);
  }
};
template <class T>
using Fill = EachElement<OneValue<T>>;

/// Between the nearest elements of a picture: (1 - v) ((1 - w) x[r, c] + w x[r, c']) + v (...), r' = r + 1 and c' = c + 1 as
/// far as there are. Without `is_linear` x[r, c]. The last two dimensions are rows and columns of the result. Operands:
/// result, x without strides there, r, c (words), with `is_linear` v, w. Integers: 0, 1 strides of rows and columns of x,
/// 2, 3 its last row and column.
template <class T, bool is_linear>
struct BetweenElements {
  static constexpr unsigned kOperands = is_linear ? 6 : 4, kAtOnce = is_linear ? 1 : 4,
                            kBytes[] = {T::kBytes, T::kBytes, 4, 4, T::kBytes, T::kBytes};
  uint32_t down, across, last_row, last_column;

  explicit BetweenElements(const NetworkArguments* p)
      : down(static_cast<uint32_t>(p->integers[0]) * T::kBytes),
        across(static_cast<uint32_t>(p->integers[1]) * T::kBytes),
        last_row(static_cast<uint32_t>(p->integers[2])),
        last_column(static_cast<uint32_t>(p->integers[3])) {}
  template <unsigned n>
  NETWORK_BODY void next(uint32_t (&at)[kOperands], const uint32_t (&step)[kOperands]) const {
    NETWORK_UNROLLED
    for (unsigned i = 0; i < n; ++i) {
      const uint32_t row = *reinterpret_cast<const uint32_t*>(at[2]),
                     column = *reinterpret_cast<const uint32_t*>(at[3]);
      const uint32_t from = at[1] + row * down + column * across;
      float x = T::load(from);
      if constexpr (is_linear) {
        const uint32_t below = simt_select(row < last_row, down, 0),
                       right = simt_select(column < last_column, across, 0);
        const float v = T::load(at[4]), w = T::load(at[5]);
        x = mixed(mixed(x, T::load(from + right), w),
                  mixed(T::load(from + below), T::load(from + below + right), w), v);
      }
      T::store(at[0], x);
      NETWORK_UNROLLED
      for (unsigned operand = 0; operand < kOperands; ++operand) at[operand] += step[operand];
    }
  }
  SIMT_INLINE float mixed(float a, float b, float share) { return fmaf(share, b, (1.0f - share) * a); }
};
template <class... Types>
using Nearest = EachElement<BetweenElements<Types..., false>>;
template <class... Types>
using Interpolation = EachElement<BetweenElements<Types..., true>>;

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

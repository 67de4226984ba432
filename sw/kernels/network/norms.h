// SPDX-License-Identifier: Apache-2.0
// Norms and reductions. A row is the last two dimensions.
#pragma once

#include "sw/kernels/network/integers.h"
#include "sw/kernels/network/rows.h"

namespace network {

/// (x - mean) / sqrt(variance + epsilon) * scale + bias; without `has_mean`, x / sqrt(mean of squares + epsilon) *
/// scale. Operands: result, x, scale, with `has_mean` bias. Scalars: 0 epsilon.
template <class T, bool has_mean>
struct Norm {
  static constexpr unsigned kOperands = has_mean ? 4 : 3;

  SIMT_INLINE void run(const NetworkArguments* p) {
    unsigned bytes[kOperands];
    NETWORK_UNROLLED
    for (unsigned i = 0; i < kOperands; ++i) bytes[i] = T::kBytes;
    const Exchange exchange;
    each_row<2>(p, bytes, [=](unsigned, const Along(&along)[kOperands]) NETWORK_BODY {
      const unsigned outer = p->extents[kInner - 1], inner = p->extents[kInner];
      const float per_element = 1.0f / static_cast<float>(static_cast<int32_t>(outer * inner));
      const uint32_t next = along[1].inner;
      const Along input[1] = {along[1]};
      float mean = 0;
      if constexpr (has_mean) {
        float sums[4] = {};
        each_element(
            outer, inner, input,
            [&](const uint32_t* at) NETWORK_BODY { NETWORK_FOUR sums[e] += T::load(at[0] + e * next); },
            [&](const uint32_t* at) NETWORK_BODY { sums[0] += T::load(at[0]); });
        mean = exchange.sum((sums[0] + sums[1]) + (sums[2] + sums[3])) * per_element;
      }
      float squares[4] = {};
      each_element(
          outer, inner, input,
          [&](const uint32_t* at) NETWORK_BODY {
            float x[4];
            NETWORK_FOUR x[e] = T::load(at[0] + e * next) - mean;
            NETWORK_FOUR squares[e] = fmaf(x[e], x[e], squares[e]);
          },
          [&](const uint32_t* at) NETWORK_BODY {
            const float x = T::load(at[0]) - mean;
            squares[0] = fmaf(x, x, squares[0]);
          });
      const float factor =
          1.0f / sqrtf(fmaf(exchange.sum((squares[0] + squares[1]) + (squares[2] + squares[3])), per_element,
                            p->scalars[0]));
      each_element(
          outer, inner, along,
          [&](const uint32_t* at) NETWORK_BODY {
            float x[4], scale[4], bias[4] = {};
            NETWORK_FOUR x[e] = T::load(at[1] + e * next);
            NETWORK_FOUR scale[e] = T::load(at[2] + e * along[2].inner);
            if constexpr (has_mean) NETWORK_FOUR bias[e] = T::load(at[3] + e * along[3].inner);
            NETWORK_FOUR T::store(at[0] + e * along[0].inner, finish(x[e], mean, factor, scale[e], bias[e]));
          },
          [&](const uint32_t* at) NETWORK_BODY {
            float bias = 0;
            if constexpr (has_mean) bias = T::load(at[3]);
            T::store(at[0], finish(T::load(at[1]), mean, factor, T::load(at[2]), bias));
          });
    });
  }

  SIMT_INLINE float finish(float x, float mean, float factor, float scale, float bias) {
    if constexpr (has_mean) return fmaf((x - mean) * factor, scale, bias);
    else return x * factor * scale;
  }
};

// What becomes of a row: add() an element, join() two parts, finish() all `count` elements.
struct Sum {
  template <class V>
  static constexpr V kStart = 0;
  template <class V>
  SIMT_INLINE V add(V sum, V x) {
    return sum + x;
  }
  template <class V>
  SIMT_INLINE V join(V a, V b) {
    return a + b;
  }
  template <class V>
  SIMT_INLINE V finish(V x, float) {
    return x;
  }
};
struct Mean : Sum {
  SIMT_INLINE float finish(float x, float count) { return x / count; }
};
struct LogarithmOfSum : Sum {
  SIMT_INLINE float finish(float x, float) { return logf(x); }
};
struct SumOfSquares : Sum {
  template <class V>
  SIMT_INLINE V add(V sum, V x) {
    return x * x + sum;
  }
};
struct Length : SumOfSquares {
  SIMT_INLINE float finish(float x, float) { return sqrtf(x); }
};
struct SumOfMagnitudes : Sum {
  SIMT_INLINE float add(float sum, float x) { return sum + fabsf(x); }
};
struct ProductOfAll : Sum {
  template <class V>
  static constexpr V kStart = 1;
  template <class V>
  SIMT_INLINE V add(V product, V x) {
    return product * x;
  }
  template <class V>
  SIMT_INLINE V join(V a, V b) {
    return a * b;
  }
};
struct Greatest : Sum {
  template <class V>
  static constexpr V kStart = INT32_MIN;
  SIMT_INLINE float join(float a, float b) { return fmaxf(a, b); }
  SIMT_INLINE int32_t join(int32_t a, int32_t b) { return chosen(a > b, a, b); }
  template <class V>
  SIMT_INLINE V add(V most, V x) {
    return join(most, x);
  }
};
template <>
inline constexpr float Greatest::kStart<float> = -__builtin_inff();
struct Least : Sum {
  template <class V>
  static constexpr V kStart = INT32_MAX;
  SIMT_INLINE float join(float a, float b) { return fminf(a, b); }
  SIMT_INLINE int32_t join(int32_t a, int32_t b) { return chosen(a < b, a, b); }
  template <class V>
  SIMT_INLINE V add(V least, V x) {
    return join(least, x);
  }
};
template <>
inline constexpr float Least::kStart<float> = __builtin_inff();

/// The elements of a row, each after f(), joined; the same in all lanes. `x`: along the row.
template <class T, class R, class F>
SIMT_INLINE typename T::Value whole_row(const Exchange& exchange, unsigned outer, unsigned inner,
                                        const Along& x, F f) {
  using V = typename T::Value;
  const uint32_t next = x.inner;
  const Along input[1] = {x};
  V parts[4];
  NETWORK_FOUR parts[e] = R::template kStart<V>;
  each_element(
      outer, inner, input,
      [&](const uint32_t* at)
          NETWORK_BODY { NETWORK_FOUR parts[e] = R::add(parts[e], f(T::load(at[0] + e * next))); },
      [&](const uint32_t* at) NETWORK_BODY { parts[0] = R::add(parts[0], f(T::load(at[0]))); });
  return exchange.all(R::join(R::join(parts[0], parts[1]), R::join(parts[2], parts[3])),
                      [](V a, V b) NETWORK_BODY { return R::join(a, b); });
}

/// One element for each row. Operands: result, x.
template <class T, class R>
struct Reduction {
  SIMT_INLINE void run(const NetworkArguments* p) {
    using V = typename T::Value;
    const unsigned bytes[2] = {T::kBytes, T::kBytes};
    const Exchange exchange;
    each_row<2>(p, bytes, [=](unsigned, const Along(&along)[2]) NETWORK_BODY {
      const unsigned outer = p->extents[kInner - 1], inner = p->extents[kInner];
      const V all = whole_row<T, R>(exchange, outer, inner, along[1], [](V x) NETWORK_BODY { return x; });
      const float count = static_cast<float>(static_cast<int32_t>(outer * inner));
      SIMT_IF(simt_lane() == 0)
        T::store(along[0].at, R::finish(all, count));
      SIMT_END_IF
    });
  }
};

/// exp(x) for x <= 0; 0 below -87.
SIMT_INLINE float power(float x) {
  const uint32_t kept = float_mask(x > -87.0f);
  return float_from_bits(float_to_bits(exponential_negative(fmaxf(x, -87.0f))) & kept);
}

/// The logarithm of the sum of exponentials of each row. Operands: result, x.
template <class T>
struct LogarithmOfExponentials {
  SIMT_INLINE void run(const NetworkArguments* p) {
    const unsigned bytes[2] = {T::kBytes, T::kBytes};
    const Exchange exchange;
    each_row<2>(p, bytes, [=](unsigned, const Along(&along)[2]) NETWORK_BODY {
      const unsigned outer = p->extents[kInner - 1], inner = p->extents[kInner];
      const float largest =
          whole_row<T, Greatest>(exchange, outer, inner, along[1], [](float x) NETWORK_BODY { return x; });
      const float sum = whole_row<T, Sum>(exchange, outer, inner, along[1],
                                          [=](float x) NETWORK_BODY { return power(x - largest); });
      SIMT_IF(simt_lane() == 0)
        T::store(along[0].at, largest + logf(sum));
      SIMT_END_IF
    });
  }
};

/// The sums of the elements of each row up to each of them; integer 0: 1 for those before it. A row is the last dimension.
/// Operands: result, x.
template <class T>
struct RunningSum {
  SIMT_INLINE void run(const NetworkArguments* p) {
    using V = typename T::Value;
    const unsigned bytes[2] = {T::kBytes, T::kBytes};
    const Exchange exchange;
    each_row<1>(p, bytes, [=](unsigned, const Along(&along)[2]) NETWORK_BODY {
      const unsigned inner = p->extents[kInner], lane = simt_lane();
      uint32_t to = along[0].at, from = along[1].at;
      V sum = 0;
      for (unsigned first = 0; first < inner; first += kLanes, to += along[0].inner, from += along[1].inner) {
        V x = 0;
        SIMT_IF(first + lane < inner)
          x = T::load(from);
        SIMT_END_IF
        const V before = sum + exchange.before(x);
        SIMT_IF(first + lane < inner)
          T::store(to, p->integers[0] != 0 ? before : before + x);
        SIMT_END_IF
        sum += exchange.sum(x);
      }
    });
  }
};

/// The largest elements of each row, the first ones of equal ones, in order, and their numbers. A row is the last
/// dimension; the stride of the results along it is that of a row's results. Operands: values, x, numbers (words); values or
/// numbers may be missing. Integers: 0 elements of a result, 1: 1 for the smallest ones.
template <class T>
struct Selection {
  SIMT_INLINE void run(const NetworkArguments* p) {
    const unsigned bytes[3] = {T::kBytes, T::kBytes, 4};
    const Exchange exchange;
    each_row<1>(p, bytes, [=](unsigned, const Along(&along)[3]) NETWORK_BODY {
      const unsigned inner = p->extents[kInner], lane = simt_lane();
      const uint32_t turn = p->integers[1] != 0 ? 0x80000000u : 0u;
      float last = __builtin_inff();
      int32_t last_at = -1;
      uint32_t value_to = along[0].at, number_to = along[2].at;
      for (int32_t left = p->integers[0]; left != 0; --left) {
        constexpr int32_t kNone = INT32_MAX;
        float best = -__builtin_inff();
        int32_t best_at = kNone;
        uint32_t from = along[1].at;
        for (unsigned first = 0; first < inner; first += kLanes, from += along[1].inner) {
          const int32_t at = static_cast<int32_t>(first + lane);
          SIMT_IF(first + lane < inner)
            const float x = float_from_bits(float_to_bits(T::load(from)) ^ turn);
            const unsigned is_left = (x < last) | ((x == last) & (at > last_at));
            const unsigned is_better = is_left & ((x > best) | (best_at == kNone));
            best = float_select(float_mask(is_better), x, best);
            best_at = static_cast<int32_t>(
                simt_select(is_better, static_cast<uint32_t>(at), static_cast<uint32_t>(best_at)));
          SIMT_END_IF
        }
        last = exchange.greatest(best);
        last_at = exchange.all(static_cast<int32_t>(simt_select(best == last, static_cast<uint32_t>(best_at),
                                                                static_cast<uint32_t>(kNone))),
                               [](int32_t a, int32_t b) NETWORK_BODY { return chosen(a < b, a, b); });
        SIMT_IF(lane == 0)
          if (p->address[0] != 0) T::store(value_to, float_from_bits(float_to_bits(last) ^ turn));
          if (p->address[2] != 0) *reinterpret_cast<int32_t*>(number_to) = last_at;
        SIMT_END_IF
        value_to += along[0].inner / kLanes;
        number_to += along[2].inner / kLanes;
      }
    });
  }
};

}  // namespace network

// SPDX-License-Identifier: Apache-2.0
// Norms and reductions. A row is the last two dimensions.
#pragma once

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

struct Sum {
  static constexpr float kStart = 0;
  SIMT_INLINE float add(float sum, float x) { return sum + x; }
  SIMT_INLINE float join(float a, float b) { return a + b; }
  SIMT_INLINE float finish(float x, float) { return x; }
};
struct Mean : Sum {
  SIMT_INLINE float finish(float x, float count) { return x / count; }
};
struct SumOfSquares : Sum {
  SIMT_INLINE float add(float sum, float x) { return fmaf(x, x, sum); }
};
struct Length : SumOfSquares {
  SIMT_INLINE float finish(float x, float) { return sqrtf(x); }
};
struct Greatest : Sum {
  static constexpr float kStart = -__builtin_inff();
  SIMT_INLINE float add(float most, float x) { return fmaxf(most, x); }
  SIMT_INLINE float join(float a, float b) { return fmaxf(a, b); }
};
struct Least : Sum {
  static constexpr float kStart = __builtin_inff();
  SIMT_INLINE float add(float least, float x) { return fminf(least, x); }
  SIMT_INLINE float join(float a, float b) { return fminf(a, b); }
};

/// One element for each row. Operands: result, x.
template <class T, class F>
struct Reduction {
  SIMT_INLINE void run(const NetworkArguments* p) {
    const unsigned bytes[2] = {T::kBytes, T::kBytes};
    const Exchange exchange;
    each_row<2>(p, bytes, [=](unsigned, const Along(&along)[2]) NETWORK_BODY {
      const unsigned outer = p->extents[kInner - 1], inner = p->extents[kInner];
      const uint32_t next = along[1].inner;
      const Along input[1] = {along[1]};
      float parts[4];
      NETWORK_FOUR parts[e] = F::kStart;
      each_element(
          outer, inner, input,
          [&](const uint32_t* at)
              NETWORK_BODY { NETWORK_FOUR parts[e] = F::add(parts[e], T::load(at[0] + e * next)); },
          [&](const uint32_t* at) NETWORK_BODY { parts[0] = F::add(parts[0], T::load(at[0])); });
      const float all = exchange.all(F::join(F::join(parts[0], parts[1]), F::join(parts[2], parts[3])),
                                     [](float a, float b) NETWORK_BODY { return F::join(a, b); });
      const float count = static_cast<float>(static_cast<int32_t>(outer * inner));
      SIMT_IF(simt_lane() == 0)
        T::store(along[0].at, F::finish(all, count));
      SIMT_END_IF
    });
  }
};

}  // namespace network

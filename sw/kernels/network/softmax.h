// SPDX-License-Identifier: Apache-2.0
// Softmax along the last dimension: exp(s - m) / sum of exp(s - m), s = x * scale + mask, m the largest s of the row.
#pragma once

#include "sw/kernels/network/norms.h"

namespace network {

/// Operands: result, x, with `has_mask` what is added. Scalars: 0 scale. Integers: 0 causal: row i of the last but one
/// dimension has the elements up to i + integer 1, and 0 behind them.
/// `is_short`: rows of up to 8 elements of a lane, which stay in registers.
template <class T, bool has_mask, bool is_short>
struct Softmax {
  static constexpr unsigned kOperands = has_mask ? 3 : 2;
  static constexpr float kLowest = -3.4028235e38f;

  struct Score {
    float scale;
    uint32_t inner, mask_inner;
    NETWORK_BODY float operator()(const uint32_t* at, unsigned e) const {
      float x = T::load(at[1] + e * inner) * scale;
      if constexpr (has_mask) x += T::load(at[2] + e * mask_inner);
      return x;
    }
  };
  /// exp(x) for x <= 0; 0 below -87.
  SIMT_INLINE void powers(float (&x)[4]) {
    uint32_t kept[4];
    NETWORK_FOUR kept[e] = float_mask(x[e] > -87.0f);
    NETWORK_FOUR x[e] = fmaxf(x[e], -87.0f);
    exponential_negative_four(x);
    NETWORK_FOUR x[e] = float_from_bits(float_to_bits(x[e]) & kept[e]);
  }
  /// Elements of a row that count.
  SIMT_INLINE unsigned length(const NetworkArguments* p, unsigned row) {
    const unsigned inner = p->extents[kInner];
    if (p->integers[0] == 0) return inner;
    const unsigned length = row % p->extents[kInner - 1] + static_cast<unsigned>(p->integers[1]) + 1;
    return length < inner ? length : inner;
  }

  SIMT_INLINE void run(const NetworkArguments* p) {
    unsigned bytes[kOperands];
    NETWORK_UNROLLED
    for (unsigned i = 0; i < kOperands; ++i) bytes[i] = T::kBytes;
    const Exchange exchange;
    each_row<1>(p, bytes, [=](unsigned row, const Along(&along)[kOperands]) NETWORK_BODY {
      const unsigned inner = length(p, row);
      const Score score{p->scalars[0], along[1].inner, along[kOperands - 1].inner};
      if constexpr (is_short) of_short(exchange, inner, score, along);
      else of_long(exchange, inner, score, along);
      const unsigned rest = p->extents[kInner] - inner;
      if (rest != 0) clear(along[0], inner, rest);
    });
  }

 private:
  using Short = Held<8>;

  SIMT_INLINE void of_short(const Exchange& exchange, unsigned inner, const Score& score,
                            const Along (&along)[kOperands]) {
    uint32_t at[kOperands];
    NETWORK_UNROLLED
    for (unsigned i = 0; i < kOperands; ++i) at[i] = along[i].at;
    Short row;
    row.load(inner, -__builtin_inff(), [&](unsigned e) NETWORK_BODY { return score(at, e); });
    const float largest =
        exchange.greatest(row.joined([](float a, float b) NETWORK_BODY { return fmaxf(a, b); }));
    NETWORK_UNROLLED
    for (unsigned first = 0; first < 8; first += 4) {
      if (inner <= first * kLanes) {
        NETWORK_FOUR row.x[first + e] = 0;
      } else {
        float x[4];
        NETWORK_FOUR x[e] = row.x[first + e] - largest;
        powers(x);
        NETWORK_FOUR row.x[first + e] = x[e];
      }
    }
    const float factor = 1.0f / exchange.sum(row.sum());
    row.store(inner,
              [=](unsigned e, float x) NETWORK_BODY { T::store(at[0] + e * along[0].inner, x * factor); });
  }

  SIMT_INLINE void of_long(const Exchange& exchange, unsigned inner, const Score& score,
                           const Along (&along)[kOperands]) {
    float most[4];
    NETWORK_FOUR most[e] = kLowest;
    each_element(
        1, inner, along,
        [&](const uint32_t* at) NETWORK_BODY { NETWORK_FOUR most[e] = fmaxf(most[e], score(at, e)); },
        [&](const uint32_t* at) NETWORK_BODY { most[0] = fmaxf(most[0], score(at, 0)); });
    const float largest = exchange.greatest(fmaxf(fmaxf(most[0], most[1]), fmaxf(most[2], most[3])));
    const uint32_t next = along[0].inner;
    float sums[4] = {};
    each_element(
        1, inner, along,
        [&](const uint32_t* at) NETWORK_BODY {
          float x[4];
          if constexpr (T::kBytes < 4) {
            NETWORK_FOUR {
              x[e] = power(score(at, e) - largest);
              sums[e] += x[e];
              __asm__ volatile("" : "+f"(sums[e]), "+f"(x[e]));
              T::store(at[0] + e * next, x[e]);
            }
            return;
          }
          NETWORK_FOUR x[e] = score(at, e) - largest;
          powers(x);
          NETWORK_FOUR sums[e] += x[e];
          store_four<T>(at[0], next, x);
        },
        [&](const uint32_t* at) NETWORK_BODY {
          const float x = power(score(at, 0) - largest);
          T::store(at[0], x);
          sums[0] += x;
        });
    const float factor = 1.0f / exchange.sum((sums[0] + sums[1]) + (sums[2] + sums[3]));
    const Along result[1] = {along[0]};
    each_element(
        1, inner, result,
        [=](const uint32_t* at) NETWORK_BODY {
          float x[4];
          NETWORK_FOUR x[e] = T::load(at[0] + e * next);
          NETWORK_FOUR x[e] *= factor;
          store_four<T>(at[0], next, x);
        },
        [=](const uint32_t* at) NETWORK_BODY { T::store(at[0], T::load(at[0]) * factor); });
  }

  /// The elements of a row from `inner` on.
  SIMT_INLINE void clear(const Along& result, unsigned inner, unsigned count) {
    const uint32_t next = result.inner;
    const Along behind[1] = {{result.at + next / kLanes * inner, 0, next}};
    const auto one = [=](const uint32_t* at) NETWORK_BODY { T::store(at[0], 0); };
    each_element(
        1, count, behind,
        [=](const uint32_t* at) NETWORK_BODY { NETWORK_FOUR T::store(at[0] + e * next, 0); }, one);
  }
};

/// The logarithm of softmax: s - m - log(sum of exp(s - m)), s = x * scale. Operands: result, x. Scalars: 0 scale.
template <class T>
struct LogSoftmax {
  SIMT_INLINE void run(const NetworkArguments* p) {
    const unsigned bytes[2] = {T::kBytes, T::kBytes};
    const Exchange exchange;
    each_row<1>(p, bytes, [=](unsigned, const Along(&along)[2]) NETWORK_BODY {
      const unsigned inner = p->extents[kInner];
      const float scale = p->scalars[0];
      const uint32_t next = along[0].inner, next_x = along[1].inner;
      const float largest = whole_row<T, Greatest>(exchange, 1, inner, along[1],
                                                   [=](float x) NETWORK_BODY { return x * scale; });
      const float sum = whole_row<T, Sum>(exchange, 1, inner, along[1],
                                          [=](float x) NETWORK_BODY { return power(x * scale - largest); });
      const float logarithm = logf(sum);
      each_element(
          1, inner, along,
          [=](const uint32_t* at) NETWORK_BODY {
            float x[4];
            NETWORK_FOUR x[e] = T::load(at[1] + e * next_x) * scale - largest - logarithm;
            store_four<T>(at[0], next, x);
          },
          [=](const uint32_t* at)
              NETWORK_BODY { T::store(at[0], T::load(at[1]) * scale - largest - logarithm); });
    });
  }
};

}  // namespace network

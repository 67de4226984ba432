// SPDX-License-Identifier: Apache-2.0
// Rows of an iteration space: a warp takes a row, and its lanes go along it side by side. Warps do not wait for each
// other. A row is the last dimension, or the last two; the others number the rows. Kernels read a row several times: the
// first time brings it into the caches.
#pragma once

#include <spica/simt.h>

#include "sw/kernels/network/views.h"

namespace network {

/// An operand of a row: the address of the lane's first element, and how far the next ones are, in bytes.
struct Along {
  uint32_t at, outer, inner;
};

/// The rows of a launch that are this warp's, of `dims` dimensions: body(row, along), along[i] for operand i.
template <unsigned dims, unsigned count, class Body>
SIMT_INLINE void each_row(const NetworkArguments* p, const unsigned (&bytes)[count], Body body) {
  unsigned rows = 1;
  NETWORK_UNROLLED
  for (unsigned d = 0; d < kRank - dims; ++d) rows *= p->extents[d];
  const unsigned step = grid_warps(), lane = simt_lane();
  for (unsigned row = grid_warp(); row < rows; row += step) {
    uint32_t offset[count] = {};
    locate<kRank - dims>(p, row, offset);
    Along along[count];
    NETWORK_UNROLLED
    for (unsigned i = 0; i < count; ++i) {
      const uint32_t inner = static_cast<uint32_t>(p->strides[i][kInner]) * bytes[i];
      along[i] = {p->address[i] + offset[i] * bytes[i] + inner * lane,
                  dims > 1 ? static_cast<uint32_t>(p->strides[i][kInner - 1]) * bytes[i] : 0, inner * kLanes};
    }
    body(row, along);
  }
}

/// The lane's elements of `outer` times `inner` ones. four(at): four elements, kLanes apart, of which at[i] is the first
/// address in operand i; one(at): one, for some of the lanes.
template <unsigned count, class Four, class One>
SIMT_INLINE void each_element(unsigned outer, unsigned inner, const Along (&along)[count], Four four,
                              One one) {
  const unsigned lane = simt_lane();
  uint32_t row[count];
  NETWORK_UNROLLED
  for (unsigned i = 0; i < count; ++i) row[i] = along[i].at;
  for (; outer != 0; --outer) {
    uint32_t at[count];
    NETWORK_UNROLLED
    for (unsigned i = 0; i < count; ++i) at[i] = row[i];
    unsigned left = inner;
    for (; left >= 4 * kLanes; left -= 4 * kLanes) {
      four(at);
      NETWORK_UNROLLED
      for (unsigned i = 0; i < count; ++i) at[i] += 4 * along[i].inner;
    }
    for (; left >= kLanes; left -= kLanes) {
      one(at);
      NETWORK_UNROLLED
      for (unsigned i = 0; i < count; ++i) at[i] += along[i].inner;
    }
    SIMT_IF(lane < left)
      one(at);
    SIMT_END_IF
    NETWORK_UNROLLED
    for (unsigned i = 0; i < count; ++i) row[i] += along[i].outer;
  }
}

#define NETWORK_FOUR NETWORK_UNROLLED for (unsigned e = 0; e < 4; ++e)

/// Stores four elements. Those of 16 bits are converted one after the other: registers have no room for all at once.
template <class T>
SIMT_INLINE void store_four(uint32_t at, uint32_t step, float (&x)[4]) {
  NETWORK_FOUR {
    if constexpr (T::kBytes < 4) __asm__ volatile("" : "+f"(x[e]));
    T::store(at + e * step, x[e]);
  }
}

/// What lanes of a warp tell each other. Words of the warp are in memory; a request brings those of all lanes.
class Exchange {
 public:
  Exchange() : words_(spica::detail::words_of_warp()) {}

  /// join(join(value of lane 0, value of lane 1), ...), the same in all lanes.
  template <class V, class Join>
  NETWORK_BODY V all(V value, Join join) const {
    volatile V* const words = put(value);
    V parts[4];  // four loads on their way, and sums that do not wait for each other
    NETWORK_FOUR parts[e] = words[e % kLanes];
    for (unsigned i = 4; i < kLanes; i += 4) {
      V more[4];
      NETWORK_FOUR more[e] = words[i + e];
      NETWORK_FOUR parts[e] = join(parts[e], more[e]);
    }
    static_assert(kLanes % 4 == 0, "warps of a multiple of four lanes");
    return got(join(join(parts[0], parts[1]), join(parts[2], parts[3])));
  }
  /// The sum of the values of the lanes before this one.
  template <class V>
  NETWORK_BODY V before(V value) const {
    volatile V* const words = put(value);
    const unsigned lane = simt_lane();
    V sum = 0;
    for (unsigned i = 0; i + 1 < kLanes; ++i) {
      sum += kept(words[i], i < lane);
    }
    return got(sum);
  }
  template <class V>
  NETWORK_BODY V sum(V value) const {
    return all(value, [](V a, V b) NETWORK_BODY { return a + b; });
  }
  NETWORK_BODY float greatest(float value) const {
    return all(value, [](float a, float b) NETWORK_BODY { return fmaxf(a, b); });
  }

 private:
  template <class V>
  NETWORK_BODY volatile V* put(V value) const {
    volatile V* const words = reinterpret_cast<volatile V*>(words_);
    words[simt_lane()] = value;
    simt_fence();
    return words;
  }
  /// 0 where the condition does not hold.
  SIMT_INLINE float kept(float x, unsigned condition) {
    return float_from_bits(float_to_bits(x) & float_mask(condition));
  }
  SIMT_INLINE int32_t kept(int32_t x, unsigned condition) {
    return static_cast<int32_t>(simt_select(condition, static_cast<uint32_t>(x), 0));
  }
  /// The next exchange waits for the loads of this one.
  NETWORK_BODY float got(float value) const {
    __asm__ volatile("" : "+f"(value)::"memory");
    return value;
  }
  NETWORK_BODY int32_t got(int32_t value) const {
    __asm__ volatile("" : "+r"(value)::"memory");
    return value;
  }

  volatile uint32_t* words_;
};

/// The lane's elements of a row in registers, kLanes apart, for rows that are short enough.
template <unsigned count>
struct Held {
  static constexpr unsigned kLongest = count * kLanes;
  float x[count];

  /// load(e): the lane's element number e. Lanes without one have `missing`.
  template <class Load>
  NETWORK_BODY void load(unsigned inner, float missing, Load load) {
    const unsigned lane = simt_lane();
    NETWORK_UNROLLED
    for (unsigned first = 0; first < count; first += 4) {
      if (inner >= (first + 4) * kLanes) {
        NETWORK_FOUR x[first + e] = load(first + e);
      } else {
        NETWORK_FOUR {
          x[first + e] = missing;
          SIMT_IF((first + e) * kLanes + lane < inner)
            x[first + e] = load(first + e);
          SIMT_END_IF
        }
      }
    }
  }
  /// store(e, x) for the lane's elements.
  template <class Store>
  NETWORK_BODY void store(unsigned inner, Store store) const {
    const unsigned lane = simt_lane();
    NETWORK_UNROLLED
    for (unsigned first = 0; first < count; first += 4) {
      if (inner >= (first + 4) * kLanes) {
        NETWORK_FOUR store(first + e, x[first + e]);
      } else {
        NETWORK_FOUR {
          SIMT_IF((first + e) * kLanes + lane < inner)
            store(first + e, x[first + e]);
          SIMT_END_IF
        }
      }
    }
  }
  /// join(join(x[0], x[4], ...), ...)
  template <class Join>
  NETWORK_BODY float joined(Join join) const {
    float parts[4];
    NETWORK_FOUR parts[e] = x[e];
    NETWORK_UNROLLED
    for (unsigned first = 4; first < count; first += 4) NETWORK_FOUR parts[e] = join(parts[e], x[first + e]);
    return join(join(parts[0], parts[1]), join(parts[2], parts[3]));
  }
  NETWORK_BODY float sum() const {
    return joined([](float a, float b) NETWORK_BODY { return a + b; });
  }
};

}  // namespace network

// SPDX-License-Identifier: Apache-2.0
// What lanes of a warp tell each other, by its names in CUDA. Lanes run in step here, so a mask names lanes that are
// there anyway; results are of the active lanes. Each function makes the program one for warps of SPICA_WARP_SIZE
// lanes.
#pragma once

namespace spica::cuda {

inline constexpr unsigned kAllLanes = 0xFFFFFFFFu >> (32 - SPICA_WARP_SIZE);

/// The value of a lane, of up to 64 bits and more.
template <class T>
SIMT_INLINE T of_lane(T value, unsigned source) {
  (void)warp_size();
  if constexpr (sizeof(T) <= 4) {
    return spica::shuffle(value, source);
  } else {
    constexpr unsigned kWords = (sizeof(T) + 3) / 4;
    uint32_t words[kWords] = {};
    __builtin_memcpy(words, &value, sizeof value);
#pragma clang loop unroll(full)
    for (unsigned i = 0; i < kWords; ++i) words[i] = spica::shuffle(words[i], source);
    __builtin_memcpy(&value, words, sizeof value);
    return value;
  }
}
SIMT_INLINE unsigned first_of(unsigned width) { return simt_lane() & ~(width - 1); }

template <class T>
SIMT_INLINE T shuffle_in(T value, int source, int width) {
  return of_lane(value, first_of(width) | (static_cast<unsigned>(source) & (width - 1)));
}
template <class T>
SIMT_INLINE T shuffle_up_in(T value, unsigned distance, int width) {
  const unsigned lane = simt_lane();
  return of_lane(value, lane - simt_select((lane & (width - 1)) >= distance, distance, 0));
}
template <class T>
SIMT_INLINE T shuffle_down_in(T value, unsigned distance, int width) {
  const unsigned lane = simt_lane(), place = lane & (width - 1);
  return of_lane(value, lane + simt_select(place + distance < static_cast<unsigned>(width), distance, 0));
}
template <class T>
SIMT_INLINE T shuffle_xor_in(T value, int mask, int width) {
  const unsigned lane = simt_lane(), other = lane ^ static_cast<unsigned>(mask);
  return of_lane(value, simt_select(other < first_of(width) + static_cast<unsigned>(width), other, lane));
}

SIMT_INLINE unsigned ballot_of(bool condition) {
  (void)warp_size();
  return spica::ballot(condition);
}
/// Lanes with the same value.
template <class T>
SIMT_INLINE unsigned same_as_mine(unsigned lanes, T value) {
  unsigned same = 0;
  for (unsigned i = 0; i < SPICA_WARP_SIZE; ++i) {
    const T other = of_lane(value, i);
    same |= (__builtin_memcmp(&other, &value, sizeof value) == 0 ? 1u : 0u) << i;
  }
  return same & lanes & spica::active();
}

}  // namespace spica::cuda

// With a mask of lanes, and by the names before it.
#define SPICA_CUDA_SHUFFLE(name, parameter, function)                                    \
  template <class T>                                                                     \
  SIMT_INLINE T name##_sync(unsigned, T value, parameter, int width = SPICA_WARP_SIZE) { \
    return spica::cuda::function(value, source, width);                                  \
  }                                                                                      \
  template <class T>                                                                     \
  SIMT_INLINE T name(T value, parameter, int width = SPICA_WARP_SIZE) {                  \
    return spica::cuda::function(value, source, width);                                  \
  }
SPICA_CUDA_SHUFFLE(__shfl, int source, shuffle_in)
SPICA_CUDA_SHUFFLE(__shfl_up, unsigned source, shuffle_up_in)
SPICA_CUDA_SHUFFLE(__shfl_down, unsigned source, shuffle_down_in)
SPICA_CUDA_SHUFFLE(__shfl_xor, int source, shuffle_xor_in)
#undef SPICA_CUDA_SHUFFLE

SIMT_INLINE unsigned __ballot_sync(unsigned mask, int condition) {
  return spica::cuda::ballot_of(condition != 0) & mask;
}
SIMT_INLINE int __any_sync(unsigned mask, int condition) { return __ballot_sync(mask, condition) != 0; }
SIMT_INLINE int __all_sync(unsigned mask, int condition) { return __ballot_sync(mask, condition == 0) == 0; }
SIMT_INLINE int __uni_sync(unsigned mask, int condition) {
  const unsigned yes = __ballot_sync(mask, condition);
  return yes == 0 || yes == (mask & spica::active());
}
SIMT_INLINE unsigned __ballot(int condition) { return spica::cuda::ballot_of(condition != 0); }
SIMT_INLINE int __any(int condition) { return __ballot(condition) != 0; }
SIMT_INLINE int __all(int condition) { return __ballot(condition == 0) == 0; }
SIMT_INLINE unsigned __activemask() {
  (void)spica::cuda::warp_size();
  return spica::active();
}
template <class T>
SIMT_INLINE unsigned __match_any_sync(unsigned mask, T value) {
  return spica::cuda::same_as_mine(mask, value);
}
template <class T>
SIMT_INLINE unsigned __match_all_sync(unsigned mask, T value, int* all) {
  const unsigned lanes = mask & spica::active();
  const T first = spica::cuda::of_lane(value, __builtin_ctz(lanes));
  *all = __all_sync(mask, __builtin_memcmp(&first, &value, sizeof value) == 0);
  return *all ? lanes : 0;
}
/// What lanes have stored is there for the others.
SIMT_INLINE void __syncwarp(unsigned = 0xFFFFFFFFu) {
  (void)spica::cuda::warp_size();
  simt_fence();
}

#define SPICA_CUDA_REDUCE(name, T, expression)                        \
  SIMT_INLINE T name(unsigned, T value) {                             \
    (void)spica::cuda::warp_size();                                   \
    return spica::reduce(value, [](T a, T b) { return expression; }); \
  }
SPICA_CUDA_REDUCE(__reduce_add_sync, int, a + b)
SPICA_CUDA_REDUCE(__reduce_add_sync, unsigned, a + b)
SPICA_CUDA_REDUCE(__reduce_min_sync, int, std::min(a, b))
SPICA_CUDA_REDUCE(__reduce_min_sync, unsigned, std::min(a, b))
SPICA_CUDA_REDUCE(__reduce_max_sync, int, std::max(a, b))
SPICA_CUDA_REDUCE(__reduce_max_sync, unsigned, std::max(a, b))
SPICA_CUDA_REDUCE(__reduce_and_sync, unsigned, a& b)
SPICA_CUDA_REDUCE(__reduce_or_sync, unsigned, a | b)
SPICA_CUDA_REDUCE(__reduce_xor_sync, unsigned, a ^ b)
#undef SPICA_CUDA_REDUCE

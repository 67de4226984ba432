// SPDX-License-Identifier: Apache-2.0
// Functions of OpenCL C that all work items of a work group, or of a sub-group, call together. A sub-group is a warp. In
// C++, because the kernel library has what lanes tell each other; compiled for the machine itself.
#include <spica/group.h>
#include <spica/simt.h>
#include <stdint.h>

namespace {

#define ALWAYS inline __attribute__((always_inline))

constexpr unsigned kMostWarps = 128;  // of a work group
/// A value of each warp. In the group's part of shared memory, where the tool that makes programs gives it a place.
__attribute__((address_space(3))) volatile uint64_t values_of_warps[kMostWarps];

template <class T>
ALWAYS uint64_t bits_of(T value) {
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class T>
ALWAYS T value_of(uint64_t bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

/// The value of another lane of the warp.
template <class T>
ALWAYS T of_lane(T value, unsigned lane) {
  const uint64_t bits = bits_of(value);
  const uint64_t low = spica::shuffle(static_cast<uint32_t>(bits), lane);
  if (sizeof(T) <= 4) return value_of<T>(low);
  return value_of<T>(low | static_cast<uint64_t>(spica::shuffle(static_cast<uint32_t>(bits >> 32), lane))
                               << 32);
}
/// The same value in all lanes, which the compiler then knows.
template <class T>
ALWAYS T agreed(T value) {
  const uint64_t bits = bits_of(value);
  const uint64_t low = simt_uniform_word(static_cast<uint32_t>(bits));
  if (sizeof(T) <= 4) return value_of<T>(low);
  return value_of<T>(low | static_cast<uint64_t>(simt_uniform_word(static_cast<uint32_t>(bits >> 32))) << 32);
}

// ---- combinations, each with the value that changes nothing ---------------------------------------
struct Add {
  template <class T>
  static ALWAYS T combine(T a, T b) {
    return a + b;
  }
  template <class T>
  static ALWAYS T start() {
    return T(0);
  }
};
template <class T>
struct Range;
#define RANGE(type, low, high)          \
  template <>                           \
  struct Range<type> {                  \
    static constexpr type kLeast = low; \
    static constexpr type kMost = high; \
  };
RANGE(int, INT32_MIN, INT32_MAX)
RANGE(unsigned, 0, UINT32_MAX)
RANGE(int64_t, INT64_MIN, INT64_MAX)
RANGE(uint64_t, 0, UINT64_MAX)
RANGE(float, -__builtin_inff(), __builtin_inff())
RANGE(double, -__builtin_inf(), __builtin_inf())
struct Least {
  template <class T>
  static ALWAYS T combine(T a, T b) {
    return b < a ? b : a;
  }
  template <class T>
  static ALWAYS T start() {
    return Range<T>::kMost;
  }
};
struct Most {
  template <class T>
  static ALWAYS T combine(T a, T b) {
    return a < b ? b : a;
  }
  template <class T>
  static ALWAYS T start() {
    return Range<T>::kLeast;
  }
};

// ---- a warp ----------------------------------------------------------------------------------------
template <class Operation, class T>
ALWAYS T reduce_warp(T value) {
  const unsigned active = simt_mask(), lanes = simt_lanes();
  T result = Operation::template start<T>();
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const T other = of_lane(value, lane);
    if ((active >> lane & 1) != 0) result = Operation::combine(result, other);
  }
  return agreed(result);
}
/// Of the lanes below this one.
template <class Operation, class T>
ALWAYS T scan_warp(T value) {
  const unsigned lanes = simt_lanes(), own = simt_lane();
  T result = Operation::template start<T>();
  for (unsigned lane = 0; lane + 1 < lanes; ++lane) {  // those below an active lane are active
    const T with = Operation::combine(result, of_lane(value, lane));
    result = lane < own ? with : result;
  }
  return result;
}

// ---- a work group ----------------------------------------------------------------------------------
template <class T>
ALWAYS void publish(T value) {
  if (simt_lane() == 0) values_of_warps[spica::group_rank()] = bits_of(value);
  spica::group_barrier();
}
template <class Operation, class T>
ALWAYS T combine_warps(unsigned count) {
  T result = Operation::template start<T>();
  for (unsigned i = 0; i < count; ++i) result = Operation::combine(result, value_of<T>(values_of_warps[i]));
  spica::group_barrier();  // before the next one publishes
  return agreed(result);
}
template <class Operation, class T>
ALWAYS T reduce_group(T value) {
  publish(reduce_warp<Operation>(value));
  return combine_warps<Operation, T>(spica::group_warps());
}
template <class Operation, class T>
ALWAYS T scan_group(T value) {
  const T own = scan_warp<Operation>(value);
  publish(reduce_warp<Operation>(value));
  return Operation::combine(combine_warps<Operation, T>(spica::group_rank()), own);
}
template <class T>
ALWAYS T broadcast_group(T value, unsigned item) {
  const unsigned lanes = simt_lanes();
  const T own = of_lane(value, item % lanes);
  publish(own);
  const T result = value_of<T>(values_of_warps[item / lanes]);
  spica::group_barrier();
  return agreed(result);
}

}  // namespace

// Names as the compiler of OpenCL C makes them; its long has 64 bits.
#define DECLARE(type, name, parameters, label) \
  type name parameters __asm__(label);         \
  type name parameters

#define OF_OPERATION(type, code, operation, word)                                                         \
  DECLARE(type, sub_reduce_##word##_##code, (type x), "_Z20sub_group_reduce_" #word #code) {              \
    return reduce_warp<operation>(x);                                                                     \
  }                                                                                                       \
  DECLARE(type, sub_exclusive_##word##_##code, (type x), "_Z28sub_group_scan_exclusive_" #word #code) {   \
    return scan_warp<operation>(x);                                                                       \
  }                                                                                                       \
  DECLARE(type, sub_inclusive_##word##_##code, (type x), "_Z28sub_group_scan_inclusive_" #word #code) {   \
    return operation::combine(scan_warp<operation>(x), x);                                                \
  }                                                                                                       \
  DECLARE(type, work_reduce_##word##_##code, (type x), "_Z21work_group_reduce_" #word #code) {            \
    return reduce_group<operation>(x);                                                                    \
  }                                                                                                       \
  DECLARE(type, work_exclusive_##word##_##code, (type x), "_Z29work_group_scan_exclusive_" #word #code) { \
    return scan_group<operation>(x);                                                                      \
  }                                                                                                       \
  DECLARE(type, work_inclusive_##word##_##code, (type x), "_Z29work_group_scan_inclusive_" #word #code) { \
    return operation::combine(scan_group<operation>(x), x);                                               \
  }

#define SHUFFLES(type, code)                                                                              \
  DECLARE(type, sub_shuffle_##code, (type x, unsigned lane), "_Z17sub_group_shuffle" #code "j") {         \
    return of_lane(x, lane);                                                                              \
  }                                                                                                       \
  DECLARE(type, sub_shuffle_xor_##code, (type x, unsigned mask), "_Z21sub_group_shuffle_xor" #code "j") { \
    return of_lane(x, simt_lane() ^ mask);                                                                \
  }

#define OF_TYPE(type, code)                                                                             \
  SHUFFLES(type, code)                                                                                  \
  OF_OPERATION(type, code, Add, add)                                                                    \
  OF_OPERATION(type, code, Least, min)                                                                  \
  OF_OPERATION(type, code, Most, max)                                                                   \
  DECLARE(type, sub_broadcast_##code, (type x, unsigned lane), "_Z19sub_group_broadcast" #code "j") {   \
    return agreed(of_lane(x, simt_uniform_word(lane)));                                                 \
  }                                                                                                     \
  DECLARE(type, work_broadcast_##code, (type x, unsigned item), "_Z20work_group_broadcast" #code "j") { \
    return broadcast_group(x, simt_uniform_word(item));                                                 \
  }                                                                                                     \
  DECLARE(type, work_broadcast_2_##code, (type x, unsigned i, unsigned j),                              \
          "_Z20work_group_broadcast" #code "jj") {                                                      \
    return broadcast_group(x, simt_uniform_word(j * spica::block_extent().x + i));                      \
  }                                                                                                     \
  DECLARE(type, work_broadcast_3_##code, (type x, unsigned i, unsigned j, unsigned k),                  \
          "_Z20work_group_broadcast" #code "jjj") {                                                     \
    const spica::Index3 extent = spica::block_extent();                                                 \
    return broadcast_group(x, simt_uniform_word((k * extent.y + j) * extent.x + i));                    \
  }
SHUFFLES(signed char, c)
SHUFFLES(unsigned char, h)
SHUFFLES(short, s)
SHUFFLES(unsigned short, t)
OF_TYPE(int, i)
OF_TYPE(unsigned, j)
OF_TYPE(int64_t, l)
OF_TYPE(uint64_t, m)
OF_TYPE(float, f)
OF_TYPE(double, d)

DECLARE(int, sub_any, (int x), "_Z13sub_group_anyi") { return spica::any(x != 0) ? 1 : 0; }
DECLARE(int, sub_all, (int x), "_Z13sub_group_alli") { return spica::all(x != 0) ? 1 : 0; }
DECLARE(int, work_any, (int x), "_Z14work_group_anyi") {
  publish(spica::any(x != 0) ? 1u : 0u);
  return combine_warps<Most, unsigned>(spica::group_warps()) != 0 ? 1 : 0;
}
DECLARE(int, work_all, (int x), "_Z14work_group_alli") {
  publish(spica::all(x != 0) ? 1u : 0u);
  return combine_warps<Least, unsigned>(spica::group_warps()) != 0 ? 1 : 0;
}

// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies and prefetches of vectors of three, which libclc has for the other widths only.
#include "machine.h"

OVERLOAD PURE size_t get_local_linear_id(void);

#define COPY(to, from, type)                                                                                         \
  OVERLOAD event_t async_work_group_copy(to type* there, const from type* here, size_t count, event_t event) {      \
    for (size_t i = get_local_linear_id(); i < count; i += items_x() * items_y() * items_z()) there[i] = here[i];   \
    return event;                                                                                                    \
  }
#define GATHER(type)                                                                                                 \
  OVERLOAD event_t async_work_group_strided_copy(__local type* there, const __global type* here, size_t count,      \
                                                 size_t stride, event_t event) {                                     \
    for (size_t i = get_local_linear_id(); i < count; i += items_x() * items_y() * items_z())                       \
      there[i] = here[i * stride];                                                                                   \
    return event;                                                                                                    \
  }
#define SCATTER(type)                                                                                                \
  OVERLOAD event_t async_work_group_strided_copy(__global type* there, const __local type* here, size_t count,      \
                                                 size_t stride, event_t event) {                                     \
    for (size_t i = get_local_linear_id(); i < count; i += items_x() * items_y() * items_z())                       \
      there[i * stride] = here[i];                                                                                   \
    return event;                                                                                                    \
  }
#define OF_TYPE(type)              \
  COPY(__local, __global, type)    \
  COPY(__global, __local, type)    \
  GATHER(type)                     \
  SCATTER(type)                    \
  OVERLOAD void prefetch(const __global type* p, size_t count) {}
OF_TYPE(char3) OF_TYPE(uchar3) OF_TYPE(short3) OF_TYPE(ushort3) OF_TYPE(int3) OF_TYPE(uint3)
OF_TYPE(long3) OF_TYPE(ulong3) OF_TYPE(float3) OF_TYPE(double3)

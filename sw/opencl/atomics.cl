// SPDX-License-Identifier: Apache-2.0
// Atomic functions of OpenCL C 2.0 and 3.0, and those of 1.x on 64 bits. The machine has one order, the strongest, for all
// scopes.
#include "machine.h"

#define ORDER memory_order_seq_cst, memory_scope_device

// Each function in its three forms: without an order, with one, and with a scope.
#define FORMS(result, name, parameters, expression)                                                                \
  OVERLOAD result name(parameters) { return expression; }                                                          \
  OVERLOAD result name##_explicit(parameters, memory_order order) { return expression; }                           \
  OVERLOAD result name##_explicit(parameters, memory_order order, memory_scope scope) { return expression; }

#define COMMA ,
#define CHANGE_BY(space, atomic, type, by, name) \
  FORMS(type, atomic_##name, volatile space atomic* at COMMA by value, __opencl_atomic_##name(at, value, ORDER))
#define CHANGE(space, atomic, type, name) CHANGE_BY(space, atomic, type, type, name)

#define LOAD_AND_STORE(space, atomic, type)                                                                       \
  FORMS(type, atomic_load, volatile space atomic* at, __opencl_atomic_load(at, ORDER))                            \
  FORMS(void, atomic_store, volatile space atomic* at COMMA type value, __opencl_atomic_store(at, value, ORDER))  \
  CHANGE(space, atomic, type, exchange)                                                                           \
  OVERLOAD void atomic_init(volatile space atomic* at, type value) { __opencl_atomic_init(at, value); }

#define COMPARE(space, atomic, type, expected_space, kind)                                                        \
  OVERLOAD bool atomic_compare_exchange_##kind(volatile space atomic* at, expected_space type* expected,          \
                                               type value) {                                                      \
    return __opencl_atomic_compare_exchange_##kind(at, expected, value, memory_order_seq_cst, ORDER);             \
  }                                                                                                               \
  OVERLOAD bool atomic_compare_exchange_##kind##_explicit(volatile space atomic* at,                              \
                                                          expected_space type* expected, type value,             \
                                                          memory_order success, memory_order failure) {           \
    return __opencl_atomic_compare_exchange_##kind(at, expected, value, memory_order_seq_cst, ORDER);             \
  }                                                                                                               \
  OVERLOAD bool atomic_compare_exchange_##kind##_explicit(                                                        \
      volatile space atomic* at, expected_space type* expected, type value, memory_order success,                 \
      memory_order failure, memory_scope scope) {                                                                 \
    return __opencl_atomic_compare_exchange_##kind(at, expected, value, memory_order_seq_cst, ORDER);             \
  }
#define COMPARES(space, atomic, type)                                                                 \
  COMPARE(space, atomic, type, __private, strong) COMPARE(space, atomic, type, __private, weak)       \
  COMPARE(space, atomic, type, __global, strong) COMPARE(space, atomic, type, __global, weak)         \
  COMPARE(space, atomic, type, __local, strong) COMPARE(space, atomic, type, __local, weak)

#define CHANGES(space, atomic, type, by)                                                              \
  CHANGE_BY(space, atomic, type, by, fetch_add) CHANGE_BY(space, atomic, type, by, fetch_sub)         \
  CHANGE_BY(space, atomic, type, by, fetch_or) CHANGE_BY(space, atomic, type, by, fetch_xor)          \
  CHANGE_BY(space, atomic, type, by, fetch_and) CHANGE_BY(space, atomic, type, by, fetch_min)         \
  CHANGE_BY(space, atomic, type, by, fetch_max)

#define WHOLE(space, atomic, type)     \
  LOAD_AND_STORE(space, atomic, type)  \
  COMPARES(space, atomic, type)        \
  CHANGES(space, atomic, type, type)

// In the generic space the pointers of all others are; its names are those of the private one.
// atomic_intptr_t and atomic_uintptr_t are atomic_int and atomic_uint here, and are changed by integers of either kind.
#define SPACE(space)               \
  WHOLE(space, atomic_int, int)    \
  WHOLE(space, atomic_uint, uint)  \
  CHANGES(space, atomic_uint, uint, int)  \
  CHANGES(space, atomic_int, int, uint)
SPACE(__global)
SPACE(__local)
SPACE(__generic)

#define WIDE(space)                \
  WHOLE(space, atomic_long, long)  \
  WHOLE(space, atomic_ulong, ulong)
WIDE(__global)
WIDE(__local)
WIDE(__generic)

#define ATOM(space, atomic, type, name, operation)                                 \
  OVERLOAD type atom_##name(volatile space type* at, type value) {                 \
    return __opencl_atomic_##operation((volatile space atomic*)at, value, ORDER);  \
  }
#define ATOMS(space, atomic, type)                                                                                 \
  ATOM(space, atomic, type, add, fetch_add) ATOM(space, atomic, type, sub, fetch_sub)                              \
  ATOM(space, atomic, type, xchg, exchange) ATOM(space, atomic, type, min, fetch_min)                              \
  ATOM(space, atomic, type, max, fetch_max) ATOM(space, atomic, type, and, fetch_and)                              \
  ATOM(space, atomic, type, or, fetch_or) ATOM(space, atomic, type, xor, fetch_xor)                                \
  OVERLOAD type atom_inc(volatile space type* at) { return atom_add(at, (type)1); }                                \
  OVERLOAD type atom_dec(volatile space type* at) { return atom_sub(at, (type)1); }                                \
  OVERLOAD type atom_cmpxchg(volatile space type* at, type expected, type value) {                                 \
    __opencl_atomic_compare_exchange_strong((volatile space atomic*)at, &expected, value, memory_order_seq_cst, ORDER); \
    return expected;                                                                                               \
  }
ATOMS(__global, atomic_long, long)
ATOMS(__global, atomic_ulong, ulong)
ATOMS(__local, atomic_long, long)
ATOMS(__local, atomic_ulong, ulong)
#define FLOAT(space)                            \
  LOAD_AND_STORE(space, atomic_float, float)    \
  COMPARES(space, atomic_float, float)          \
  LOAD_AND_STORE(space, atomic_double, double)  \
  COMPARES(space, atomic_double, double)
FLOAT(__global)
FLOAT(__local)
FLOAT(__generic)

#define FLAG(space)                                                                                            \
  FORMS(bool, atomic_flag_test_and_set, volatile space atomic_flag* at,                                        \
        __opencl_atomic_exchange((volatile space atomic_int*)at, 1, ORDER) != 0)                               \
  FORMS(void, atomic_flag_clear, volatile space atomic_flag* at,                                               \
        __opencl_atomic_store((volatile space atomic_int*)at, 0, ORDER))
FLAG(__global)
FLAG(__local)
FLAG(__generic)

OVERLOAD void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope) {
  __asm__ volatile("fence iorw, iorw" ::: "memory");
}

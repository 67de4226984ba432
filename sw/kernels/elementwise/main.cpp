// SPDX-License-Identifier: Apache-2.0
// y[i] = f(x[i], z[i]), FP32, for one of the functions between the products of a network.
//
// Shows: one kernel for several functions, chosen once and not for each element.
//
// Argument block
//    0  u32 n           elements
//    4  u32 flags       bit 0: fill x and z first; bit 1: check y by other code
//    8  u32 operation   0 add: x + z; 1 multiply: x * z; 2 relu: max(x, 0); 3 gelu: the approximation
//                       x * sigmoid(1.702 x); 4 swish: x * sigmoid(x); 5 bias: x[i] + z[i % columns]
//   12  u32 columns     of `bias`
//   16  u64 x, z, y     addresses; 2, 3 and 4 do not read z
// Prints "cycles: N": from the start to the moment all cores are done. Exit code 1 and a message when an element is
// wrong.
#include <activation.h>
#include <arguments.h>
#include <built_for.h>
#include <platform.h>
#include <simt.h>
#include <spawn.h>
#include <stdio.h>

BUILT_FOR("clusters", 1);

struct Arguments {
  uint32_t n, flags, operation, columns;
  uint64_t x, z, y;
};
KERNEL_ARGUMENTS(Arguments, arguments) = {5000,           3, 0, 100, PLATFORM_OPERAND_A, PLATFORM_OPERAND_B,
                                          PLATFORM_RESULT};

struct Vectors {
  float *x, *z, *y;
  unsigned columns, wrong;
};

struct Add {
  SIMT_INLINE float of(const Vectors& v, unsigned i) { return v.x[i] + v.z[i]; }
};
struct Multiply {
  SIMT_INLINE float of(const Vectors& v, unsigned i) { return v.x[i] * v.z[i]; }
};
struct Relu {
  SIMT_INLINE float of(const Vectors& v, unsigned i) { return relu(v.x[i]); }
};
struct Gelu {
  SIMT_INLINE float of(const Vectors& v, unsigned i) { return gelu(v.x[i]); }
};
struct Swish {
  SIMT_INLINE float of(const Vectors& v, unsigned i) { return swish(v.x[i]); }
};
struct Bias {
  SIMT_INLINE float of(const Vectors& v, unsigned i) { return v.x[i] + v.z[i % v.columns]; }
};

template <class F>
static void each(unsigned i, void* argument) {
  const auto& vectors = *static_cast<const Vectors*>(argument);
  vectors.y[i] = F::of(vectors, i);
}

static void fill(unsigned i, void* argument) {
  const auto& vectors = *static_cast<const Vectors*>(argument);
  vectors.x[i] = static_cast<float>(static_cast<int>(i * 2654435761u >> 22) - 512) * 0x1p-6f;
  vectors.z[i] = static_cast<float>(static_cast<int>(i * 2246822519u >> 22) - 512) * 0x1p-6f;
}

/// y * (1 + exp(-c x)) = x for a function x * sigmoid(c x), with the exponential taken by squaring: another way than
/// that of the library. It is off by some 2^-15, what repeated squaring makes of roundings.
SIMT_INLINE bool is_sigmoid_product(float x, float y, float c) {
  float power = 1.0f - c * x * 0x1p-12f + 0.5f * (c * x * 0x1p-12f) * (c * x * 0x1p-12f);
  for (unsigned i = 0; i < 12; ++i) power *= power;
  return fabsf(y * (1.0f + power) - x) <= fabsf(x) * 0x1p-9f;
}

template <unsigned operation>
static void check(unsigned i, void* argument) {
  auto& v = *static_cast<Vectors*>(argument);
  const float x = v.x[i], y = v.y[i];
  bool right = false;
  if constexpr (operation == 0) right = y == x + v.z[i];
  if constexpr (operation == 1) right = y == x * v.z[i];
  if constexpr (operation == 2) right = (y == x) | ((y == 0) & (x < 0));
  if constexpr (operation == 3) right = is_sigmoid_product(x, y, 1.702f);
  if constexpr (operation == 4) right = is_sigmoid_product(x, y, 1.0f);
  if constexpr (operation == 5) right = y == x + v.z[i - i / v.columns * v.columns];
  __atomic_fetch_add(&v.wrong, !right, __ATOMIC_RELAXED);
}

struct Operation {
  const char* name;
  spawn_task task, check;
};
static const Operation kOperations[] = {
    {"add", each<Add>, check<0>},   {"multiply", each<Multiply>, check<1>}, {"relu", each<Relu>, check<2>},
    {"gelu", each<Gelu>, check<3>}, {"swish", each<Swish>, check<4>},       {"bias", each<Bias>, check<5>}};
static constexpr unsigned kCount = sizeof kOperations / sizeof *kOperations;

static Vectors vectors;

int main() {
  const unsigned n = arguments.n, flags = arguments.flags, number = arguments.operation;
  if (number >= kCount || arguments.columns == 0) {
    if (simt_core() == 0) printf("operation must be 0 to %u, columns at least 1\n", kCount - 1);
    return 2;
  }
  const Operation& operation = kOperations[number];
  if (simt_core() == 0)
    vectors = {ARGUMENT_POINTER(float, arguments.x), ARGUMENT_POINTER(float, arguments.z),
               ARGUMENT_POINTER(float, arguments.y), arguments.columns, 0};
  simt_barrier(0, 1);
  if ((flags & 1) != 0) spawn_tasks(n, fill, &vectors);
  simt_barrier(0, 1);
  const unsigned begin = simt_cycle();
  if (simt_core() == 0) MARK_BEG();
  spawn_tasks(n, operation.task, &vectors);
  simt_barrier(0, 1);
  if (simt_core() == 0) MARK_END();
  const unsigned cycles = simt_cycle() - begin;
  if ((flags & 2) != 0) spawn_tasks(n, operation.check, &vectors);
  simt_barrier(0, 1);
  if (simt_core() != 0) return 0;

  printf("cycles: %u\n", cycles);
  if (vectors.wrong != 0) {
    printf("FAIL: %s: %u of %u elements are wrong\n", operation.name, vectors.wrong, n);
    return 1;
  }
  if ((flags & 2) != 0) printf("PASS: %s of %u elements\n", operation.name, n);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// What becomes of an element of a product before it is stored, for kernels that include this: nothing; compiled
// with GEMM_EPILOGUE
//   element = output(activation(scale * sum + bias[column]) * per_step)
// in FP32: a fused multiply-add, without GEMM_BIAS a multiplication; GEMM_ACTIVATION, a function of activation.h, if
// any; for outputs of 8 bits a multiplication; the nearest number of GEMM_OUTPUT_* (number_formats.h). The argument
// block has (gemm_arguments.h) where the bias is, FP32, and `scale` and `per_step`, which is 1 over what a step of C
// means.
#pragma once

#include <activation.h>
#include <number_formats.h>
#include <stdint.h>

#include "sw/kernels/gemm_common/gemm_arguments.h"

#ifdef GEMM_EPILOGUE
BUILT_FOR("gemm.epilogue", 1);

struct Epilogue {
#if defined(GEMM_OUTPUT_FP16) || defined(GEMM_OUTPUT_BF16)
  using Output = uint16_t;
#elif defined(GEMM_OUTPUT_FP32)
  using Output = float;
#else
  using Output = uint8_t;
#endif
  float scale, per_step;
  const float* bias;

  explicit Epilogue(volatile const GemmArguments& arguments)
      : scale(arguments.scale),
        per_step(arguments.per_step),
        bias(reinterpret_cast<const float*>(static_cast<uintptr_t>(arguments.bias))) {}

  SIMT_INLINE Output output(float x) {
#if defined(GEMM_OUTPUT_FP32)
    return x;
#elif defined(GEMM_OUTPUT_FP16)
    return static_cast<Output>(float_to_fp16_bits(x));
#elif defined(GEMM_OUTPUT_BF16)
    return static_cast<Output>(float_to_bf16_bits(x));
#elif defined(GEMM_OUTPUT_FP8_E4M3)
    return static_cast<Output>(float_to_fp8_e4m3_bits(x));
#elif defined(GEMM_OUTPUT_FP8_E5M2)
    return static_cast<Output>(float_to_fp8_e5m2_bits(x));
#elif defined(GEMM_OUTPUT_UINT8)
    return static_cast<Output>(float_to_uint8_bits(x));
#elif defined(GEMM_OUTPUT_INT8)
    return static_cast<Output>(float_to_int8_bits(x));
#else
#error "GEMM_OUTPUT_* is missing"
#endif
  }

  /// Of the columns of C.
  __attribute__((always_inline)) float bias_of(unsigned column) const {
#ifdef GEMM_BIAS
    return bias[column];
#else
    (void)column;
    return 0;
#endif
  }

  /// Sum: float, or int32_t, which is rounded to FP32.
  template <class Sum>
  __attribute__((always_inline)) Output of(Sum sum, float column_bias) const {
#ifdef GEMM_BIAS
    float x = fmaf(static_cast<float>(sum), scale, column_bias);
#else
    (void)column_bias;
    float x = static_cast<float>(sum) * scale;
#endif
#ifdef GEMM_ACTIVATION
    x = GEMM_ACTIVATION(x);
#endif
    if constexpr (sizeof(Output) == 1) x *= per_step;
    return output(x);
  }
};

/// A sum as the unit stores it; of 16 bits, the bits.
#if defined(GEMM_INT_SUMS)
using StoredSum = int32_t;
#elif defined(GEMM_FP16_SUMS) || defined(GEMM_BF16_SUMS)
using StoredSum = uint16_t;
#else
using StoredSum = float;
#endif

/// A lane's part: `rows` sums in shared memory from `from` on, `row_bytes` apart, to the column of C that begins in
/// that row. A function of its own: of tensor cores, C is not in registers any more.
template <unsigned rows, unsigned row_bytes>
__attribute__((noinline)) static void finish_column(volatile const GemmArguments& arguments, unsigned from,
                                                    unsigned ldc, unsigned row, unsigned column) {
  const Epilogue epilogue(arguments);
  const float bias = epilogue.bias_of(column);
  auto* to = ARGUMENT_POINTER(Epilogue::Output, arguments.c) + row * ldc + column;
  for (unsigned i = 0; i < rows; i += 4) {
    StoredSum sums[4];
#pragma GCC unroll 4
    for (unsigned at = 0; at < 4; ++at)
      sums[at] = *reinterpret_cast<const volatile StoredSum*>(from + (i + at) * row_bytes);
#pragma GCC unroll 4
    for (unsigned at = 0; at < 4; ++at, to += ldc) *to = epilogue.of(sums[at], bias);
  }
}
#else
/// Elements of C are the sums.
struct Epilogue {
  using Output = float;
  explicit Epilogue(volatile const GemmArguments&) {}
  __attribute__((always_inline)) float bias_of(unsigned) const { return 0; }
  __attribute__((always_inline)) Output of(float sum, float) const { return sum; }
};
#endif

// SPDX-License-Identifier: Apache-2.0
// Kernels of neural networks as grids of work groups, for any extents, strided operands and one of the formats of
// -DNETWORK_FP32, -DNETWORK_FP16 and -DNETWORK_BF16 in memory (several are possible).
//
// Arguments   <spica/network.h>, the same block for all kernels
// Grid        any number of work groups; they share the work out among their warps
// Compiled for MACHINE_LANES
#include "sw/kernels/network/elements.h"
#include "sw/kernels/network/entry.h"
#include "sw/kernels/network/norms.h"
#include "sw/kernels/network/product.h"
#include "sw/kernels/network/roundings.h"
#include "sw/kernels/network/softmax.h"
#include "sw/kernels/network/windows.h"
#ifdef NETWORK_MATRIX_UNIT
#include "sw/kernels/network/unit_product.h"
#endif

KERNEL_ARGUMENTS(spica::NetworkArguments, arguments) = {};
BUILT_FOR("lanes", MACHINE_LANES);

#if !defined(NETWORK_FP16) && !defined(NETWORK_BF16) && !defined(NETWORK_FP32)
#define NETWORK_FP32
#endif

namespace network {

// Kernels by the format T of their operands: name, function, format of the result.
#define NETWORK_ELEMENT_KERNELS(X, T)    \
  X(neg, Neg, T);                        \
  X(abs, Abs, T);                        \
  X(sqrt, Sqrt, T);                      \
  X(reciprocal, Reciprocal, T);          \
  X(square, Square, T);                  \
  X(reciprocal_sqrt, ReciprocalSqrt, T); \
  X(exp, Exp, T);                        \
  X(sigmoid, Sigmoid, T);                \
  X(relu, Relu, T);                      \
  X(leaky_relu, LeakyRelu, T);           \
  X(hard_sigmoid, HardSigmoid, T);       \
  X(hard_swish, HardSwish, T);           \
  X(clip, Clip, T);                      \
  X(tanh, Tanh, T);                      \
  X(erf, Erf, T);                        \
  X(log, Log, T);                        \
  X(softplus, Softplus, T);              \
  X(pow, Pow, T);                        \
  X(linear, Linear, T);                  \
  X(silu, Silu, T);                      \
  X(gelu, Gelu, T);                      \
  X(gelu_tanh, GeluTanh, T);             \
  X(gelu_sigmoid, GeluSigmoid, T);       \
  X(add, Add, T);                        \
  X(sub, Sub, T);                        \
  X(mul, Mul, T);                        \
  X(div, Div, T);                        \
  X(min, Min, T);                        \
  X(max, Max, T);                        \
  X(gated_silu, GatedSilu, T);           \
  X(prelu, PRelu, T);                    \
  X(equal, Equal, Bool);                 \
  X(less, Less, Bool);                   \
  X(less_or_equal, LessOrEqual, Bool);   \
  X(greater, Greater, Bool);             \
  X(greater_or_equal, GreaterOrEqual, Bool)

// The other kernels: name, class.
#define NETWORK_OTHER_KERNELS(X, T)                 \
  X(where, Elements<Where, T, Bool, T, T>);         \
  X(rotary, Rotary<T>);                             \
  X(softmax, Softmax<T, false, false>);             \
  X(softmax_short, Softmax<T, false, true>);        \
  X(softmax_masked, Softmax<T, true, false>);       \
  X(softmax_masked_short, Softmax<T, true, true>);  \
  X(layer_norm, Norm<T, true>);                     \
  X(rms_norm, Norm<T, false>);                      \
  X(reduce_sum, Reduction<T, Sum>);                 \
  X(reduce_mean, Reduction<T, Mean>);               \
  X(reduce_max, Reduction<T, Greatest>);            \
  X(reduce_min, Reduction<T, Least>);               \
  X(reduce_sum_square, Reduction<T, SumOfSquares>); \
  X(reduce_l2, Reduction<T, Length>);               \
  X(pool_max, Pool<T, Greatest>);                   \
  X(pool_mean, Pool<T, Mean>)

// Products: name, function of the sums.
#define NETWORK_PRODUCTS(X)       \
  X(product, Copy);               \
  X(product_relu, Relu);          \
  X(product_gelu, Gelu);          \
  X(product_gelu_tanh, GeluTanh); \
  X(product_silu, Silu)

// With Clip, the matrix unit's copies of windows have too few registers.
#define NETWORK_UNIT_CONVOLUTIONS(X) \
  X(convolution, Copy);              \
  X(convolution_relu, Relu);         \
  X(convolution_silu, Silu)
#define NETWORK_CONVOLUTIONS(X) \
  NETWORK_UNIT_CONVOLUTIONS(X); \
  X(convolution_clip, Clip)

#define NETWORK_NAMED_2_(name, format, threads, shared_bytes, ...) \
  NETWORK_KERNEL(name##_##format, threads, shared_bytes, __VA_ARGS__)
#define NETWORK_NAMED_(...) NETWORK_NAMED_2_(__VA_ARGS__)
#ifdef NETWORK_FP32
#define NETWORK_T Fp32
#define NETWORK_FORMAT fp32
#include "sw/kernels/network/format_kernels.inc"
#endif
#ifdef NETWORK_FP16
#define NETWORK_T Fp16
#define NETWORK_FORMAT fp16
#include "sw/kernels/network/format_kernels.inc"
#endif
#ifdef NETWORK_BF16
#define NETWORK_T Bf16
#define NETWORK_FORMAT bf16
#include "sw/kernels/network/format_kernels.inc"
#endif

// Kernels of any element.
#define NETWORK_ELEMENTS(name, ...) NETWORK_KERNEL(name, kThreads, 0, Elements<__VA_ARGS__>)
#define NETWORK_MOVES(bits, T)                                    \
  NETWORK_KERNEL(copy_##bits, kThreads, 0, Elements<Copy, T, T>); \
  NETWORK_KERNEL(gather_##bits, kThreads, 0, Gather<T>);          \
  NETWORK_KERNEL(scatter_##bits, kThreads, 0, Scatter<T>)
NETWORK_MOVES(32, Raw<uint32_t>);
NETWORK_MOVES(16, Raw<uint16_t>);
NETWORK_MOVES(8, Raw<uint8_t>);
NETWORK_ELEMENTS(not_bool, Not, Bool, Bool);
NETWORK_ELEMENTS(and_bool, And, Bool, Bool);
NETWORK_ELEMENTS(or_bool, Or, Bool, Bool);
NETWORK_ELEMENTS(xor_bool, Xor, Bool, Bool);
// cast_FROM_TO
NETWORK_ELEMENTS(cast_fp32_fp16, Copy, Fp16, Fp32);
NETWORK_ELEMENTS(cast_fp32_bf16, Copy, Bf16, Fp32);
NETWORK_ELEMENTS(cast_fp32_int32, Copy, Int32, Fp32);
NETWORK_ELEMENTS(cast_fp32_bool, Copy, Bool, Fp32);
NETWORK_ELEMENTS(cast_fp16_fp32, Copy, Fp32, Fp16);
NETWORK_ELEMENTS(cast_bf16_fp32, Copy, Fp32, Bf16);
NETWORK_ELEMENTS(cast_int32_fp32, Copy, Fp32, Int32);
NETWORK_ELEMENTS(cast_bool_fp32, Copy, Fp32, Bool);
NETWORK_ELEMENTS(cast_int32_fp16, Copy, Fp16, Int32);
NETWORK_ELEMENTS(cast_bool_fp16, Copy, Fp16, Bool);
NETWORK_ELEMENTS(cast_int32_bf16, Copy, Bf16, Int32);
NETWORK_ELEMENTS(cast_bool_bf16, Copy, Bf16, Bool);
NETWORK_ELEMENTS(cast_fp16_int32, Copy, Int32, Fp16);
NETWORK_ELEMENTS(cast_bf16_int32, Copy, Int32, Bf16);
NETWORK_ELEMENTS(cast_fp16_bool, Copy, Bool, Fp16);
NETWORK_ELEMENTS(cast_bf16_bool, Copy, Bool, Bf16);
NETWORK_ELEMENTS(cast_bool_int32, Copy, Int32, Bool);
NETWORK_ELEMENTS(cast_int32_bool, Copy, Bool, Int32);
NETWORK_ELEMENTS(quantize_fp32_int8, Quantize, Int8, Fp32, Fp32, Int8);
NETWORK_ELEMENTS(quantize_fp32_uint8, Quantize, Uint8, Fp32, Fp32, Uint8);
NETWORK_ELEMENTS(dequantize_int8_fp32, Dequantize, Fp32, Int8, Fp32, Int8);
NETWORK_ELEMENTS(dequantize_uint8_fp32, Dequantize, Fp32, Uint8, Fp32, Uint8);
NETWORK_ELEMENTS(dequantize_int32_fp32, Dequantize, Fp32, Int32, Fp32, Int32);

}  // namespace network

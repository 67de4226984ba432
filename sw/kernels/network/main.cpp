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

#ifdef NETWORK_MATRIX_UNIT
#define NETWORK_UNIT(name, T, F, source)                                                             \
  NETWORK_KERNEL(name, kUnitWarps* kLanes, sizeof(UnitTiles), UnitProduct<T, F, SourceOfB::source>); \
  SPICA_KERNEL_OWNS_MATRIX_UNIT(name)
#endif

#ifdef NETWORK_FP32
#define NETWORK_FP32_ELEMENT(name, F, R) NETWORK_KERNEL(name##_fp32, kThreads, 0, Elements<F, R, Fp32>)
#define NETWORK_FP32_OTHER(name, ...) NETWORK_KERNEL(name##_fp32, kThreads, 0, __VA_ARGS__)
NETWORK_ELEMENT_KERNELS(NETWORK_FP32_ELEMENT, Fp32);
NETWORK_ROUNDING_KERNELS(NETWORK_FP32_ELEMENT, Fp32);
NETWORK_OTHER_KERNELS(NETWORK_FP32_OTHER, Fp32);
#define NETWORK_FP32_LANES(name, F)                                           \
  NETWORK_KERNEL(name##_lanes_fp32, kThreads, 0, LaneProduct<Fp32, F, 4, 4>); \
  NETWORK_KERNEL(name##_vector_fp32, kThreads, 0, LaneProduct<Fp32, F, 1, 1>)
NETWORK_PRODUCTS(NETWORK_FP32_LANES);
#define NETWORK_FP32_WINDOWS(name, F)                                   \
  NETWORK_KERNEL(name##_fp32, kThreads, 0, Convolution<Fp32, F, 4, 4>); \
  NETWORK_KERNEL(name##_depthwise_fp32, kThreads, 0, Convolution<Fp32, F, 1, 4>)
NETWORK_CONVOLUTIONS(NETWORK_FP32_WINDOWS);
#ifdef NETWORK_MATRIX_UNIT
#define NETWORK_FP32_UNIT(name, F)                  \
  NETWORK_UNIT(name##_unit_fp32, Fp32, F, kMatrix); \
  NETWORK_UNIT(name##_unit_turned_fp32, Fp32, F, kTurnedMatrix)
NETWORK_PRODUCTS(NETWORK_FP32_UNIT);
#define NETWORK_FP32_UNIT_WINDOWS(name, F) NETWORK_UNIT(name##_unit_fp32, Fp32, F, kWindows)
NETWORK_UNIT_CONVOLUTIONS(NETWORK_FP32_UNIT_WINDOWS);
#endif
#endif
#ifdef NETWORK_FP16
#define NETWORK_FP16_ELEMENT(name, F, R) NETWORK_KERNEL(name##_fp16, kThreads, 0, Elements<F, R, Fp16>)
#define NETWORK_FP16_OTHER(name, ...) NETWORK_KERNEL(name##_fp16, kThreads, 0, __VA_ARGS__)
NETWORK_ELEMENT_KERNELS(NETWORK_FP16_ELEMENT, Fp16);
NETWORK_ROUNDING_KERNELS(NETWORK_FP16_ELEMENT, Fp16);
NETWORK_OTHER_KERNELS(NETWORK_FP16_OTHER, Fp16);
#define NETWORK_FP16_LANES(name, F)                                           \
  NETWORK_KERNEL(name##_lanes_fp16, kThreads, 0, LaneProduct<Fp16, F, 4, 4>); \
  NETWORK_KERNEL(name##_vector_fp16, kThreads, 0, LaneProduct<Fp16, F, 1, 1>)
NETWORK_PRODUCTS(NETWORK_FP16_LANES);
#define NETWORK_FP16_WINDOWS(name, F)                                   \
  NETWORK_KERNEL(name##_fp16, kThreads, 0, Convolution<Fp16, F, 4, 4>); \
  NETWORK_KERNEL(name##_depthwise_fp16, kThreads, 0, Convolution<Fp16, F, 1, 4>)
NETWORK_CONVOLUTIONS(NETWORK_FP16_WINDOWS);
#ifdef NETWORK_MATRIX_UNIT
#define NETWORK_FP16_UNIT(name, F)                  \
  NETWORK_UNIT(name##_unit_fp16, Fp16, F, kMatrix); \
  NETWORK_UNIT(name##_unit_turned_fp16, Fp16, F, kTurnedMatrix)
NETWORK_PRODUCTS(NETWORK_FP16_UNIT);
#define NETWORK_FP16_UNIT_WINDOWS(name, F) NETWORK_UNIT(name##_unit_fp16, Fp16, F, kWindows)
NETWORK_UNIT_CONVOLUTIONS(NETWORK_FP16_UNIT_WINDOWS);
#endif
#endif
#ifdef NETWORK_BF16
#define NETWORK_BF16_ELEMENT(name, F, R) NETWORK_KERNEL(name##_bf16, kThreads, 0, Elements<F, R, Bf16>)
#define NETWORK_BF16_OTHER(name, ...) NETWORK_KERNEL(name##_bf16, kThreads, 0, __VA_ARGS__)
NETWORK_ELEMENT_KERNELS(NETWORK_BF16_ELEMENT, Bf16);
NETWORK_ROUNDING_KERNELS(NETWORK_BF16_ELEMENT, Bf16);
NETWORK_OTHER_KERNELS(NETWORK_BF16_OTHER, Bf16);
#define NETWORK_BF16_LANES(name, F)                                           \
  NETWORK_KERNEL(name##_lanes_bf16, kThreads, 0, LaneProduct<Bf16, F, 4, 4>); \
  NETWORK_KERNEL(name##_vector_bf16, kThreads, 0, LaneProduct<Bf16, F, 1, 1>)
NETWORK_PRODUCTS(NETWORK_BF16_LANES);
#define NETWORK_BF16_WINDOWS(name, F)                                   \
  NETWORK_KERNEL(name##_bf16, kThreads, 0, Convolution<Bf16, F, 4, 4>); \
  NETWORK_KERNEL(name##_depthwise_bf16, kThreads, 0, Convolution<Bf16, F, 1, 4>)
NETWORK_CONVOLUTIONS(NETWORK_BF16_WINDOWS);
#ifdef NETWORK_MATRIX_UNIT
#define NETWORK_BF16_UNIT(name, F)                  \
  NETWORK_UNIT(name##_unit_bf16, Bf16, F, kMatrix); \
  NETWORK_UNIT(name##_unit_turned_bf16, Bf16, F, kTurnedMatrix)
NETWORK_PRODUCTS(NETWORK_BF16_UNIT);
#define NETWORK_BF16_UNIT_WINDOWS(name, F) NETWORK_UNIT(name##_unit_bf16, Bf16, F, kWindows)
NETWORK_UNIT_CONVOLUTIONS(NETWORK_BF16_UNIT_WINDOWS);
#endif
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

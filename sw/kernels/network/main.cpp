// SPDX-License-Identifier: Apache-2.0
// Kernels of neural networks as grids of work groups, for any extents, strided operands and one of the formats of
// -DNETWORK_FP32, -DNETWORK_FP16 and -DNETWORK_BF16 in memory (several are possible).
// -DNETWORK_MATRIX_UNIT and -DNETWORK_FRAGMENTS add products by the matrix unit and by tensor cores. With
// -DNETWORK_TILES_ONLY there are no others: the program is linked with one that has those of the lanes.
//
// Arguments   <spica/network.h>, the same block for all kernels
// Grid        any number of work groups; they share the work out among their warps
// Compiled for MACHINE_LANES
#include "sw/kernels/network/cells.h"
#include "sw/kernels/network/elements.h"
#include "sw/kernels/network/entry.h"
#include "sw/kernels/network/integers.h"
#include "sw/kernels/network/norms.h"
#include "sw/kernels/network/product.h"
#include "sw/kernels/network/roundings.h"
#include "sw/kernels/network/softmax.h"
#include "sw/kernels/network/windows.h"
#ifdef NETWORK_MATRIX_UNIT
#include "sw/kernels/network/unit_product.h"
#endif
#ifdef NETWORK_FRAGMENTS
#include "sw/kernels/network/fragment_product.h"
#endif

#ifndef NETWORK_TILES_ONLY
KERNEL_ARGUMENTS(spica::NetworkArguments, arguments) = {};
BUILT_FOR("lanes", MACHINE_LANES);
#endif

#if !defined(NETWORK_FP16) && !defined(NETWORK_BF16) && !defined(NETWORK_FP32)
#define NETWORK_FP32
#endif

namespace network {

// Kernels by the format T of their operands: name, function, format of the result.
#define NETWORK_ELEMENT_KERNELS(X, T)  \
  X(neg, Neg, T);                      \
  X(abs, Abs, T);                      \
  X(sqrt, Sqrt, T);                    \
  X(reciprocal, Reciprocal, T);        \
  X(exp, Exp, T);                      \
  X(sigmoid, Sigmoid, T);              \
  X(relu, Relu, T);                    \
  X(leaky_relu, LeakyRelu, T);         \
  X(hard_sigmoid, HardSigmoid, T);     \
  X(hard_swish, HardSwish, T);         \
  X(clip, Clip, T);                    \
  X(tanh, Tanh, T);                    \
  X(erf, Erf, T);                      \
  X(log, Log, T);                      \
  X(softplus, Softplus, T);            \
  X(pow, Pow, T);                      \
  X(silu, Silu, T);                    \
  X(gelu, Gelu, T);                    \
  X(gelu_tanh, GeluTanh, T);           \
  X(gelu_sigmoid, GeluSigmoid, T);     \
  X(add, Add, T);                      \
  X(sub, Sub, T);                      \
  X(mul, Mul, T);                      \
  X(div, Div, T);                      \
  X(min, Min, T);                      \
  X(max, Max, T);                      \
  X(gated_silu, GatedSilu, T);         \
  X(prelu, PRelu, T);                  \
  X(elu, Elu, T);                      \
  X(mish, Mish, T);                    \
  X(softsign, Softsign, T);            \
  X(is_nan, IsNan, Bool);              \
  X(equal, Equal, Bool);               \
  X(less, Less, Bool);                 \
  X(less_or_equal, LessOrEqual, Bool); \
  X(greater, Greater, Bool);           \
  X(greater_or_equal, GreaterOrEqual, Bool)

// The other kernels: name, class.
#define NETWORK_OTHER_KERNELS(X, T)                  \
  X(rotary, Rotary<T>);                              \
  X(softmax, Softmax<T, false, false>);              \
  X(softmax_short, Softmax<T, false, true>);         \
  X(softmax_masked, Softmax<T, true, false>);        \
  X(softmax_masked_short, Softmax<T, true, true>);   \
  X(log_softmax, LogSoftmax<T>);                     \
  X(layer_norm, Norm<T, true>);                      \
  X(rms_norm, Norm<T, false>);                       \
  X(reduce_sum, Reduction<T, Sum>);                  \
  X(reduce_mean, Reduction<T, Mean>);                \
  X(reduce_max, Reduction<T, Greatest>);             \
  X(reduce_min, Reduction<T, Least>);                \
  X(reduce_sum_square, Reduction<T, SumOfSquares>);  \
  X(reduce_l2, Reduction<T, Length>);                \
  X(reduce_l1, Reduction<T, SumOfMagnitudes>);       \
  X(reduce_prod, Reduction<T, ProductOfAll>);        \
  X(reduce_log_sum, Reduction<T, LogarithmOfSum>);   \
  X(reduce_log_sum_exp, LogarithmOfExponentials<T>); \
  X(running_sum, RunningSum<T>);                     \
  X(selection, Selection<T>);                        \
  X(interpolation, Interpolation<T>);                \
  X(lstm_cell, LstmCell<T>);                         \
  X(gru_cell, GruCell<T>);                           \
  X(pool_max, Pool<T, Greatest>);                    \
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
#define NETWORK_IS_FP16
#define NETWORK_T Fp16
#define NETWORK_FORMAT fp16
#include "sw/kernels/network/format_kernels.inc"
#undef NETWORK_IS_FP16
#endif
#ifdef NETWORK_BF16
#define NETWORK_T Bf16
#define NETWORK_FORMAT bf16
#include "sw/kernels/network/format_kernels.inc"
#endif

#ifndef NETWORK_TILES_ONLY
// Kernels of any element.
#define NETWORK_ELEMENTS(name, ...) NETWORK_KERNEL(name, kThreads, 0, Elements<__VA_ARGS__>)
#define NETWORK_MOVES(bits, T)                                               \
  NETWORK_KERNEL(copy_##bits, kThreads, 0, Elements<Copy, T, T>);            \
  NETWORK_KERNEL(fill_##bits, kThreads, 0, Fill<T>);                         \
  NETWORK_KERNEL(where_##bits, kThreads, 0, Elements<Where, T, Bool, T, T>); \
  NETWORK_KERNEL(nearest_##bits, kThreads, 0, Nearest<T>);                   \
  NETWORK_KERNEL(gather_##bits, kThreads, 0, Gather<T>);                     \
  NETWORK_KERNEL(scatter_##bits, kThreads, 0, Scatter<T>)
NETWORK_MOVES(32, Raw<uint32_t>);
NETWORK_MOVES(16, Raw<uint16_t>);
NETWORK_MOVES(8, Raw<uint8_t>);
NETWORK_ELEMENTS(not_bool, Not, Bool, Bool);
NETWORK_ELEMENTS(and_bool, And, Bool, Bool);
NETWORK_ELEMENTS(or_bool, Or, Bool, Bool);
NETWORK_ELEMENTS(xor_bool, Xor, Bool, Bool);
#define NETWORK_INTEGERS(name, F, R) NETWORK_ELEMENTS(name##_int32, F, R, Integer)
NETWORK_INTEGER_KERNELS(NETWORK_INTEGERS);
#define NETWORK_INTEGER_ROWS(name, ...) NETWORK_KERNEL(name##_int32, kThreads, 0, __VA_ARGS__)
NETWORK_INTEGER_ROWS(reduce_sum, Reduction<Integer, Sum>);
NETWORK_INTEGER_ROWS(reduce_max, Reduction<Integer, Greatest>);
NETWORK_INTEGER_ROWS(reduce_min, Reduction<Integer, Least>);
NETWORK_INTEGER_ROWS(reduce_prod, Reduction<Integer, ProductOfAll>);
NETWORK_INTEGER_ROWS(running_sum, RunningSum<Integer>);
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
#define NETWORK_CASTS_OF_BYTES(from, T)                \
  NETWORK_ELEMENTS(cast_##from##_fp32, Copy, Fp32, T); \
  NETWORK_ELEMENTS(cast_##from##_fp16, Copy, Fp16, T); \
  NETWORK_ELEMENTS(cast_##from##_bf16, Copy, Bf16, T); \
  NETWORK_ELEMENTS(cast_##from##_int32, Copy, Int32, T)
NETWORK_CASTS_OF_BYTES(int8, Int8);
NETWORK_CASTS_OF_BYTES(uint8, Uint8);
#define NETWORK_QUANTISATION(name, T)                                        \
  NETWORK_ELEMENTS(quantize_##name##_int8, Quantize, Int8, T, T, Int8);      \
  NETWORK_ELEMENTS(quantize_##name##_uint8, Quantize, Uint8, T, T, Uint8);   \
  NETWORK_ELEMENTS(dequantize_int8_##name, Dequantize, T, Int8, T, Int8);    \
  NETWORK_ELEMENTS(dequantize_uint8_##name, Dequantize, T, Uint8, T, Uint8); \
  NETWORK_ELEMENTS(dequantize_int32_##name, Dequantize, T, Int32, T, Int32)
NETWORK_QUANTISATION(fp32, Fp32);
NETWORK_QUANTISATION(fp16, Fp16);
NETWORK_QUANTISATION(bf16, Bf16);
#endif

}  // namespace network

// SPDX-License-Identifier: Apache-2.0
// The exponentials of sw/lib/include/exponential.h, the activations made of them and conversions of formats, as
// functions of the host. A file of its own: the firmware's headers have the names of the host's.
#include <activation.h>
#include <exponential.h>
#include <number_formats.h>

extern "C" {
float sw_exponential_exact(float x) { return exponential_exact(x); }
float sw_exponential_negative(float x) { return exponential_negative(x); }
float sw_exponential_taylor2(float x) { return exponential_taylor2(x); }
void sw_exponential_negative_four(float* x) { exponential_negative_four(x); }
float sw_swish(float x) { return swish(x); }
float sw_gelu(float x) { return gelu(x); }
unsigned sw_float_to_fp16_bits(float x) { return float_to_fp16_bits(x); }
unsigned sw_float_to_bf16_bits(float x) { return float_to_bf16_bits(x); }
unsigned sw_float_to_fp8_e4m3_bits(float x) { return float_to_fp8_e4m3_bits(x); }
unsigned sw_float_to_fp8_e5m2_bits(float x) { return float_to_fp8_e5m2_bits(x); }
float sw_fp16_bits_to_float(unsigned code) { return fp16_bits_to_float(code); }
float sw_bf16_bits_to_float(unsigned code) { return bf16_bits_to_float(code); }
unsigned sw_float_to_int8_bits(float x) { return float_to_int8_bits(x); }
unsigned sw_float_to_uint8_bits(float x) { return float_to_uint8_bits(x); }
unsigned sw_float_to_half_bits(float x) { return float_to_half_bits(x); }
float sw_half_bits_to_float(unsigned bits) { return half_bits_to_float(bits); }
}

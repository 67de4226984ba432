// SPDX-License-Identifier: Apache-2.0
// The processing of an element of the product before it is stored (sw/kernels/gemm_common/epilogue.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/workloads/activation.h"
#include "platform/workloads/operands.h"

namespace spica::workloads {

/// element = output(activation(scale * sum + bias[column]) * per_step), all in FP32:
///
///   sum                 FP32; sums of integers are rounded from 32 bits to FP32
///   scale * sum + bias  one fused multiply-add; without bias a multiplication
///   activation          sw/lib/include/activation.h
///   per_step            a multiplication; formats of 8 bits only
///   output              rounded to the nearest number of the format, ties to even; saturates at the largest number
///
/// so an element represents its value divided by per_step.
struct Epilogue {
  bool bias = false;
  Activation activation = Activation::kNone;
  Element output = Element::kFp32;
  float scale = 1, per_step = 1;

  bool has_steps() const { return numeric::info(output).stored_bits == 8; }
};

/// The possible formats of C, by key.
std::vector<std::string> output_formats();

/// The value in double precision: limited to the range of the output format, but not rounded to it.
double finished(const Epilogue& epilogue, double sum, double bias);

/// The tolerance of an element relative to finished() of the double-precision product, if its sum is within `product`;
/// u = 2^-24:
///
///   scale * sum + bias   the sum's error times scale; u (scale sum |a b| + |bias|)
///   activation           activated(), with its slope for all earlier errors
///   per_step             u
///   output               half a unit in the last place, and of the smallest numbers; for integers 1/2
///
/// each error is propagated through the later steps. Saturation only reduces errors. `largest_bias`: magnitude.
Tolerance finished(const Epilogue& epilogue, const Tolerance& product, double largest_bias);

/// Marks the elements of `c` that differ in any bit from the result of the steps above for `sums`, row by row. If the
/// activation rounds: elements that no value within its rounding errors can give. `bias`: one per column, or empty.
std::vector<bool> differences(const Epilogue& epilogue, const std::vector<float>& sums,
                              const std::vector<float>& bias, std::uint32_t columns,
                              const std::vector<float>& c);

/// The per_step that maps the largest finite magnitude in the corner of rows x columns to the largest number of the
/// format. `sums` have `all_columns`.
float fitting_step(const Epilogue& epilogue, const std::vector<float>& sums, const std::vector<float>& bias,
                   std::uint32_t rows, std::uint32_t columns, std::uint32_t all_columns);

}  // namespace spica::workloads

// SPDX-License-Identifier: Apache-2.0
// What a kernel does with an element of its product before it stores it (sw/kernels/gemm_common/epilogue.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/workloads/activation.h"
#include "platform/workloads/operands.h"

namespace spica::workloads {

/// element = output(activation(scale * sum + bias[column]) * per_step), all in FP32:
///
///   sum                 FP32, or of 32-bit integers rounded to FP32
///   scale * sum + bias  one fused multiply-add, without bias a multiplication
///   activation          sw/lib/include/activation.h
///   per_step            a multiplication; formats of 8 bits only
///   output              the nearest number of the format, of two the even one; beyond the largest the largest
///
/// so that an element means its number over per_step.
struct Epilogue {
  bool bias = false;
  Activation activation = Activation::kNone;
  Element output = Element::kFp32;
  float scale = 1, per_step = 1;

  bool has_steps() const { return numeric::info(output).stored_bits == 8; }
};

/// Formats of C that it can have, by key.
std::vector<std::string> output_formats();

/// In double precision: before the output's format rounds it, but within its range.
double finished(const Epilogue& epilogue, double sum, double bias);

/// How far an element may be from finished() of the product in double precision, when its sum is within `product`; u =
/// 2^-24:
///
///   scale * sum + bias   the sum's error times scale; u (scale sum |a b| + |bias|)
///   activation           activated(), its slope for all before it
///   per_step             u
///   output               half a unit in the last place, and of the smallest numbers; of integers 1/2
///
/// each error carried through the steps behind it. At the ends of the range numbers only come closer to each other.
/// `largest_bias`: magnitude.
Tolerance finished(const Epilogue& epilogue, const Tolerance& product, double largest_bias);

/// Marks the elements of `c` that differ from what the steps above make of `sums`, bit by bit, row by row. Where the
/// activation rounds, which no value within its roundings becomes. `bias`: one for each column, or none.
std::vector<bool> differences(const Epilogue& epilogue, const std::vector<float>& sums,
                              const std::vector<float>& bias, std::uint32_t columns,
                              const std::vector<float>& c);

/// per_step for which the largest finite magnitude of the corner of rows x columns becomes the largest number of the
/// format. `sums` have `all_columns`.
float fitting_step(const Epilogue& epilogue, const std::vector<float>& sums, const std::vector<float>& bias,
                   std::uint32_t rows, std::uint32_t columns, std::uint32_t all_columns);

}  // namespace spica::workloads

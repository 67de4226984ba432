// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/block_operand.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/numeric/convert.h"
#include "models/numeric/mma.h"
#include "platform/workloads/arithmetic.h"

namespace spica::workloads {

namespace {
constexpr std::uint32_t kScaledBlock = 32;
}

std::vector<float> BlockOperand::values(numeric::BlockFormat format) const {
  std::vector<float> result(codes.size());
  for (std::size_t i = 0; i < codes.size(); ++i)
    result[i] = static_cast<float>(numeric::block_value(format, scales[i / block], codes[i]));
  return result;
}

BlockOperand in_blocks(numeric::BlockFormat format, const std::vector<float>& values, std::uint32_t across,
                       std::uint32_t k, numeric::BlockScale rule) {
  const std::uint32_t block = numeric::info(format).block;
  BlockOperand operand{
      across, k, block, {}, std::vector<std::uint8_t>(values.size()), std::vector<float>(values.size())};
  std::uint32_t codes[kScaledBlock];
  for (std::size_t first = 0; first < values.size(); first += block) {
    operand.scales.push_back(numeric::scale_of(format, &values[first], block, rule));
    numeric::encode_block(format, operand.scales.back(), &values[first], block, codes);
    for (std::uint32_t i = 0; i < block; ++i) {
      const auto code = static_cast<std::uint8_t>(codes[i]);
      operand.codes[first + i] = code;
      operand.elements[first + i] = numeric::value_of(numeric::info(format).element, code);
    }
  }
  return operand;
}

std::vector<unsigned char> memory_of(const GemmDesign& design, const BlockOperand& operand, bool is_a) {
  const Packing packing = design.packing();
  const std::uint32_t k = design.slots(operand.k) * (packing.slot_bits / packing.bits);  // with scales
  const std::uint32_t tile = design.tile.k, head = design.scale_slots * packing.slot_bits / packing.bits;
  const std::uint32_t per_byte = 8 / packing.bits;
  // Codes as unsigned integers, which any bits are.
  std::vector<float> numbers(std::uint64_t{operand.across} * k);
  const auto put = [&](std::uint64_t at, std::uint8_t byte) {
    for (std::uint32_t i = 0; i < per_byte; ++i)
      numbers[at + i] = static_cast<float>(byte >> i * packing.bits & ((1u << packing.bits) - 1));
  };
  for (std::uint64_t x = 0; x < operand.across; ++x) {
    for (std::uint32_t first = 0; first < operand.k; first += tile) {
      const std::uint64_t to = x * k + first / tile * (tile + head);
      for (std::uint32_t block = 0; head != 0 && block < tile / kScaledBlock; ++block)
        put(to + block * per_byte, operand.scales[x * operand.blocks() + first / kScaledBlock + block]);
      std::copy_n(operand.codes.begin() + static_cast<std::ptrdiff_t>(x * operand.k + first), tile,
                  numbers.begin() + static_cast<std::ptrdiff_t>(to + head));
    }
  }
  const OperandLayout layout = is_a ? design.operands.a.layout : design.operands.b.layout;
  const Element bits = packing.bits == 4 ? Element::kUint4 : Element::kUint8;
  return encoded(arranged_a(numbers, operand.across, k, layout, packing), bits);
}

std::vector<unsigned char> memory_of_scales(const GemmDesign& design, const BlockOperand& operand) {
  const std::uint32_t at_once = design.scale_depth / operand.block;
  std::vector<unsigned char> bytes;
  for (std::uint32_t first = 0; first < operand.blocks(); first += at_once)
    for (std::uint64_t x = 0; x < operand.across; ++x)
      for (std::uint32_t i = 0; i < at_once; ++i)
        bytes.push_back(operand.scales[x * operand.blocks() + first + i]);
  return bytes;
}

std::vector<float> exact_block_product(numeric::BlockFormat format, const BlockOperand& a,
                                       const BlockOperand& b, unsigned operation, Element kept) {
  const int unit = 2 * numeric::info(format).unit;
  std::vector<float> c(std::uint64_t{a.across} * b.across);
  for (std::uint64_t i = 0; i < a.across; ++i) {
    for (std::uint64_t j = 0; j < b.across; ++j) {
      float sum = 0, of_operation = 0;
      for (std::uint32_t block = 0; block < a.blocks(); ++block) {
        const float* const left = &a.elements[i * a.k + block * kScaledBlock];
        const float* const right = &b.elements[j * b.k + block * kScaledBlock];
        float chain = 0;
        for (std::uint32_t k = 0; k < kScaledBlock; ++k) chain = std::fma(left[k], right[k], chain);
        const std::uint8_t scale_a = a.scales[i * a.blocks() + block],
                           scale_b = b.scales[j * b.blocks() + block];
        const double scaled =
            std::ldexp(static_cast<double>(chain), scale_a + scale_b - 2 * numeric::kScaleBias + unit);
        const bool is_nan = scale_a == numeric::kScaleNan || scale_b == numeric::kScaleNan;
        const float rounded = is_nan ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(scaled);
        of_operation = block % operation == 0 ? rounded : of_operation + rounded;
        if (block % operation + 1 != operation) continue;
        sum += of_operation;
        if (kept != Element::kFp32) numeric::round_all(kept, numeric::Overflow::kSpecial, &sum, 1);
      }
      c[i * b.across + j] = sum;
    }
  }
  return c;
}

std::vector<float> rows_of_b(numeric::BlockFormat format, const BlockOperand& b) {
  const std::vector<float> columns = b.values(format);
  std::vector<float> rows(columns.size());
  for (std::uint64_t j = 0; j < b.across; ++j)
    for (std::uint64_t k = 0; k < b.k; ++k) rows[k * b.across + j] = columns[j * b.k + k];
  return rows;
}

namespace {

/// Sums of tensor cores with fragments: by the rule of the silicon, all of k in one chain of instructions.
std::vector<float> sums_by_rule(const numeric::SumRule& rule, numeric::BlockFormat format,
                                const BlockOperand& a, const BlockOperand& b) {
  const numeric::BlockFormatInfo& f = numeric::info(format);
  const std::uint32_t n = b.across, k = a.k;
  const std::vector<std::uint32_t> left(a.codes.begin(), a.codes.end());
  std::vector<std::uint32_t> right(b.codes.size()), sums(std::size_t{a.across} * n);
  std::vector<std::uint8_t> scales(b.scales.size());
  for (std::uint32_t j = 0; j < n; ++j) {
    for (std::uint32_t i = 0; i < k; ++i) right[std::size_t{i} * n + j] = b.codes[std::size_t{j} * k + i];
    for (std::uint32_t i = 0; i < b.blocks(); ++i)
      scales[std::size_t{i} * n + j] = b.scales[std::size_t{j} * b.blocks() + i];
  }
  const numeric::Mma mma(rule, numeric::operand_info(f.element, f.scale));
  mma(left.data(), right.data(), a.scales.data(), scales.data(), sums.data(), sums.data(), a.across, n, k);
  std::vector<float> values(sums.size());
  std::transform(sums.begin(), sums.end(), values.begin(),
                 [&](std::uint32_t word) { return numeric::sum_value(rule.result, word); });
  return values;
}

}  // namespace

std::vector<float> sums_of(const GemmDesign& design, const soc::SocParams& params, const BlockOperand& a,
                           const BlockOperand& b) {
  if (design.unit == ComputeUnit::kWarpTensorCore)
    return sums_by_rule(unit_arithmetic(design, params).rule, *design.blocks, a, b);
  const auto& unit = params.cluster.matrix_units[design.matrix_units.front()];
  std::vector<float> sums =
      exact_block_product(*design.blocks, a, b, unit.scaled_blocks(), unit.sum_format());
  const Element result = design.operands.c.element;
  if (result != Element::kFp32)
    numeric::round_all(result, numeric::Overflow::kSpecial, sums.data(), sums.size());
  return sums;
}

GemmCheck check_blocks(const GemmDesign& design, const soc::SocParams& params, const BlockOperand& a,
                       const BlockOperand& b, const std::vector<float>& c) {
  const GemmSize size{a.across, b.across, a.k};
  const bool bitwise = design.rule.order != GemmCheckRule::Order::kAny;
  const std::vector<bool> differs =
      bitwise ? differences(design.rule.reference, sums_of(design, params, a, b), c) : std::vector<bool>();
  return check_numbers(design, params, 0, size, a.values(*design.blocks), rows_of_b(*design.blocks, b), c,
                       bitwise ? &differs : nullptr);
}

}  // namespace spica::workloads

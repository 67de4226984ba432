// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/isa/mma_form.h"
#include "models/numeric/fused_dot.h"
#include "models/tensor_core/warp_mma/fragment_map.h"

namespace spica::tensor_core::warp_mma {

/// When the steps of a multiply-add of a warp that has the tensor core for itself issue, in cycles after the
/// instruction; and how long a step occupies the tensor core.
struct Timing {
  unsigned startup = 0;  // to the first step
  unsigned interval = 1;  // a step keeps the tensor core so long
  unsigned chain = 0;  // from a step to the next one that adds to the same accumulators, and to the result
  /// Instead of the rule: the end of each step, the last one being the result. 0: none.
  std::array<std::uint16_t, 4> ends{};
  unsigned operands = 0;  // cycles for which a step takes the ways from the register file
};

/// One form of the multiply-add of a tensor core: the steps it is split into (HMMA instructions), the fragments, and
/// the time of the steps.
///
/// Steps    step = set * parts() + part: a set is `terms` elements of k, of which `sum_terms` products each are added
///          at once, a part is `part_elements` elements of C of each lane
struct Operation {
  unsigned form = 0;  // number, isa::kMmaForms
  FragmentMap a, b, c;
  unsigned terms = 0, sum_terms = 0, part_elements = 0;
  Timing timing;
  bool reuses_operands = false;  // A and B of a set are read with its first part only

  const isa::MmaForm& shape() const { return isa::kMmaForms[form]; }
  unsigned parts() const { return parts_; }
  unsigned sets() const { return steps_ / parts_; }
  unsigned steps() const { return steps_; }
  std::uint64_t macs() const { return std::uint64_t{shape().m} * shape().n * shape().k; }

  /// 32-bit registers of a fragment.
  unsigned a_registers() const { return a.elements() * numeric::info(shape().operand).stored_bits / 32; }
  unsigned b_registers() const { return b.elements() * numeric::info(shape().operand).stored_bits / 32; }
  unsigned c_registers() const { return c.elements() * numeric::info(shape().accumulate).stored_bits / 32; }

  /// Multiply-adds of a step.
  std::uint64_t step_macs() const { return macs() / steps_; }
  /// Register rows that a step reads and writes.
  unsigned rows_read(unsigned step) const { return rows_read_[step]; }
  unsigned rows_written() const { return rows_written_; }
  /// Once all of the above is set.
  void count();

  /// The end of each step when a warp is alone: with the last one, the result.
  std::vector<unsigned> ends() const;

  std::array<std::uint8_t, 16> rows_read_{};  // by step
  unsigned rows_written_ = 0, parts_ = 0, steps_ = 0;
};

/// A kind of tensor core.
enum class Generation : std::uint8_t { kVolta, kTuring, kAmpere, kBlock };

/// All it has.
const std::vector<Operation>& operations(Generation style);

/// The operation of 16x16 results with A row by row and B column by column, sums of 32 bits and most elements of k;
/// nullptr: the tensor core does not have the format.
const Operation* square_operation(Generation style, numeric::Format operand);

/// The rule by which it adds.
constexpr numeric::SumRule sum_rule(Generation style) {
  return style == Generation::kVolta || style == Generation::kBlock ? numeric::SumRule::kTruncated23
                                                                    : numeric::SumRule::kTruncated24;
}

}  // namespace spica::tensor_core::warp_mma

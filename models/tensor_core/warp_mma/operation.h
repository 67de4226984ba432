// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/isa/mma_form.h"
#include "models/tensor_core/warp_mma/fragment_map.h"

namespace spica::tensor_core::warp_mma {

/// Timing of a multiply-add whose warp has the tensor core to itself: issue cycles of its steps, counted from the
/// instruction, and the occupation of the tensor core by a step.
struct Timing {
  unsigned startup = 0;  // cycles to the first step
  unsigned interval = 1;  // cycles for which a step occupies the tensor core
  /// cycles from a step to the next one with the same accumulators, and from the last one to the result
  unsigned chain = 0;
  /// Overrides this rule: the end of each step; the end of the last one is the result. 0: none.
  std::array<std::uint16_t, 4> ends{};
  unsigned operands = 0;  // cycles for which a step occupies the read ports of the register file
};

/// What is worked out of an operation once, as it is asked for in each cycle.
struct OperationCounts {
  std::array<std::uint8_t, 16> rows_read{};  // by step
  unsigned rows_written = 0, parts = 0, steps = 0;
};

/// One form of the multiply-add of a tensor core: its steps (HMMA instructions), fragments and timing.
///
/// Steps    step = set * parts() + part: a set is `terms` elements of k, a part is `part_elements` elements of C of each
///          lane. How many products are added at once is a matter of numerics (rules.h), not of time
struct Operation {
  unsigned form = 0;  // number below isa::kMmaForms
  FragmentMap a, b, c;
  unsigned terms = 0, part_elements = 0;
  Timing timing;
  bool reuses_operands = false;  // A and B of a set are read only with its first part

  const isa::MmaForm& shape() const { return isa::kMmaForms[form]; }
  unsigned parts() const { return counts.parts; }
  unsigned sets() const { return counts.steps / counts.parts; }
  unsigned steps() const { return counts.steps; }
  bool has_scales() const { return shape().scale != numeric::ScaleFormat::kNone; }
  std::uint64_t macs() const { return std::uint64_t{shape().m} * shape().n * shape().k; }

  /// 32-bit registers of a fragment.
  unsigned a_registers() const { return a.elements() * numeric::info(shape().operand).stored_bits / 32; }
  unsigned b_registers() const { return b.elements() * numeric::info(shape().operand).stored_bits / 32; }
  unsigned c_registers() const { return c.elements() * numeric::info(shape().accumulate).stored_bits / 32; }

  /// Multiply-adds of a step.
  std::uint64_t step_macs() const { return macs() / counts.steps; }
  /// Register rows read by a step, and written by it.
  unsigned rows_read(unsigned step) const { return counts.rows_read[step]; }
  unsigned rows_written() const { return counts.rows_written; }
  /// Call once all of the above is set.
  void count();
  /// Whether count() finds the same: for the same fragments, steps and widths.
  bool counts_as(const Operation& other) const {
    const isa::MmaForm &own = shape(), &others = other.shape();
    return a == other.a && b == other.b && c == other.c && terms == other.terms &&
           part_elements == other.part_elements && reuses_operands == other.reuses_operands &&
           own.k == others.k && has_scales() == other.has_scales() && a_registers() == other.a_registers() &&
           c_registers() == other.c_registers();
  }

  /// The end of each step for a warp alone; the end of the last one is the result.
  std::vector<unsigned> ends() const;

  OperationCounts counts = {};
};

/// A generation of tensor cores.
enum class Generation : std::uint8_t { kVolta, kTuring, kAmpere, kBlock };

/// All operations of a generation.
const std::vector<Operation>& operations(Generation style);

/// The operation with 16x16 results, A by rows, B by columns, sums of that width and the most elements of k; nullptr: the
/// tensor core does not have the format.
const Operation* square_operation(Generation style, numeric::Format operand, unsigned sum_bits = 32,
                                  numeric::ScaleFormat scale = numeric::ScaleFormat::kNone);

}  // namespace spica::tensor_core::warp_mma

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "models/protocol/ports/warp_mma_if.h"
#include "models/tensor_core/tensor_core_params.h"
#include "models/tensor_core/warp_mma/arithmetic.h"
#include "models/tensor_core/warp_mma/operation.h"

namespace spica::tensor_core::warp_mma {

/// The memory layout of a fragment. A lane accesses as many adjacent elements at once as its map allows: of A and B up
/// to 16 bytes, of C one register or, for FP16 by columns, one element (raihan section II.B). No phases: 4-bit elements
/// that are not adjacent.
protocol::FragmentAccess fragment_access(const FragmentMap& map, numeric::Format format, bool is_c,
                                         bool column_major);

/// Generation of a tensor core with these parameters.
Generation generation(const TensorCoreParams& params);
/// The rule by which a form adds floating-point products; std::nullopt: the numerics have none.
std::optional<numeric::SumRule> sum_rule(const TensorCoreParams& params, const isa::MmaForm& form);
/// An error text if the numerics have no rule for a form: what is missing, and what exists. Otherwise empty.
std::string missing_rule(const TensorCoreParams& params, const isa::MmaForm& form);

/// The rules of all forms; std::nullopt: none.
using FormRules = std::array<std::optional<numeric::SumRule>, isa::kMmaFormCount>;

/// All operations of one generation of tensor cores, for both modes. A form is prepared by its first user.
class Semantics {
 public:
  Semantics(Generation style, const FormRules& rules);
  /// The shared instance for these parameters. Can be used from several host threads.
  static const Semantics& of(const TensorCoreParams& params);

  /// nullptr: the tensor core does not have the form, or its numerics have no rule for it. Those of integers have their
  /// fragments at any rate, in which floating-point numbers as wide lie.
  const Operation* operation(unsigned form) const {
    return form < forms_.size() ? forms_[form].operation : nullptr;
  }
  bool multiplies(unsigned form) const { return form < rules_.size() && rules_[form].has_value(); }
  const protocol::FragmentAccess& access(unsigned form, protocol::FragmentMatrix matrix,
                                         bool column_major) const {
    return prepared(form).access[static_cast<unsigned>(matrix)][column_major];
  }
  void multiply(unsigned form, const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c,
                std::uint32_t* d) const;

 private:
  struct Form {
    const Operation* operation = nullptr;
    std::once_flag prepared;
    std::unique_ptr<const Arithmetic> arithmetic;
    std::array<std::array<protocol::FragmentAccess, 2>, 3> access;  // by matrix and layout
  };
  const Form& prepared(unsigned form) const {
    Form& found = forms_[form];
    std::call_once(found.prepared, [&] { prepare(found); });
    return found;
  }
  void prepare(Form& form) const;

  const FormRules rules_;
  mutable std::array<Form, isa::kMmaFormCount> forms_;
};

}  // namespace spica::tensor_core::warp_mma

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/base/config/expression.h"
#include "platform/base/config/field.h"
#include "platform/machine/soc/soc_params.h"

namespace spica::workloads {

/// A machine whose values can be asked for by key. What a kernel asks of it is an expression about its keys. Words that
/// are not keys are values:
///   cluster.cores=1|2|4               one of these values
///   cluster.shared_memory.size>=64 KiB, cluster.core.warps<=16
///   cluster.shared_memory.size>=16*cluster.matrix_units.0.tile_m*cluster.matrix_units.0.tile_k
///   cluster.matrix_units.0.tile_n<=cluster.matrix_units.0.tile_m if cluster.matrix_units.0.command_set=quartile_v1
class MachineValues {
 public:
  explicit MachineValues(const soc::SocParams& params);
  MachineValues(const MachineValues&) = delete;
  MachineValues& operator=(const MachineValues&) = delete;

  /// Why the machine does not do, of a comparison with a value that would; empty: it does.
  std::string unmet(const config::Expression& condition) const;
  /// What is wrong with the condition on any machine; empty: nothing.
  std::string problem(const config::Expression& condition) const;
  /// The value of a key as a define takes it: whole numbers in decimals, names in capitals; nothing when this machine
  /// has no such entry of a list.
  std::optional<std::string> define_value(const std::string& key) const;
  /// Whether some machine has the key.
  bool knows(const std::string& key) const;

 private:
  using Node = config::Expression::Node;
  soc::SocParams params_;  // the fields refer to it
  config::Field root_;

  config::Operand value_of(const std::string& key) const;
  /// What is wrong with a part, which must be a truth value, or a number.
  std::string truth_problem(const Node& node) const;
  std::string number_problem(const Node& node) const;
  std::string comparison_problem(const Node& node) const;
  /// "cluster.cores = 1, 2 or 4", `values` in place of what is written.
  std::string wanted_text(const Node& node, const std::vector<std::string>& values) const;
  /// Whether it compares a key with values; else it combines several conditions.
  bool compares_key(const Node& node) const;
};

/// Why the machine does not do, with values that would, of texts that check_needs() has approved; empty: it does.
std::vector<std::string> unmet(const std::vector<std::string>& needs, const soc::SocParams& params);
/// Reports the texts `needs` of a design that cannot be meant on any machine.
void check_needs(const std::vector<std::string>& needs, const config::Contradiction& contradiction);

}  // namespace spica::workloads

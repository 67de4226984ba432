// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/base/config/expression.h"
#include "platform/base/config/field.h"
#include "platform/machine/soc/soc_params.h"

namespace spica::workloads {

/// A machine whose values can be looked up by key. The requirements of a kernel are expressions about these keys; words
/// that are not keys are values:
///   cluster.cores=1|2|4               one of these values
///   cluster.shared_memory.size>=64 KiB, cluster.core.warps<=16
///   cluster.shared_memory.size>=16*cluster.matrix_units.0.tile_m*cluster.matrix_units.0.tile_k
///   cluster.matrix_units.0.tile_n<=cluster.matrix_units.0.tile_m if cluster.matrix_units.0.command_set=quartile_v1
class MachineValues {
 public:
  explicit MachineValues(const soc::SocParams& params);
  MachineValues(const MachineValues&) = delete;
  MachineValues& operator=(const MachineValues&) = delete;

  /// The reason why the machine does not meet the condition, with a valid value for a comparison; empty: it does.
  std::string unmet(const config::Expression& condition) const;
  /// The error in a condition for any machine; empty: none.
  std::string problem(const config::Expression& condition) const;
  /// The value of a key in the form of a define: whole numbers in decimal, names in capitals; empty if this machine has
  /// no such list entry.
  std::optional<std::string> define_value(const std::string& key) const;
  /// True if some machine has the key.
  bool knows(const std::string& key) const;

 private:
  using Node = config::Expression::Node;
  soc::SocParams params_;  // the fields refer to it
  config::Field root_;

  config::Operand value_of(const std::string& key) const;
  /// The error in a part that must be a boolean, or a number.
  std::string truth_problem(const Node& node) const;
  std::string number_problem(const Node& node) const;
  std::string comparison_problem(const Node& node) const;
  /// "cluster.cores = 1, 2 or 4"; `values` replace the written ones.
  std::string wanted_text(const Node& node, const std::vector<std::string>& values) const;
  /// True if it compares a key with values; false: it combines several conditions.
  bool compares_key(const Node& node) const;
};

/// The reason why the machine does not meet conditions approved by check_needs(), with valid values; empty: it does.
std::vector<std::string> unmet(const std::vector<std::string>& needs, const soc::SocParams& params);
/// The defines of a source, then those that follow the machine (NAME=KEY each), which replace defines of the same name.
/// Throws UserError for a key that the machine does not have; `who`: adapts to it, "design simt".
std::vector<std::string> defines_for(const std::vector<std::string>& defines,
                                     const std::vector<std::string>& follows, const soc::SocParams& params,
                                     const std::string& who);
/// Reports conditions `needs` of a design that are invalid on every machine.
void check_needs(const std::vector<std::string>& needs, const config::Contradiction& contradiction);

}  // namespace spica::workloads

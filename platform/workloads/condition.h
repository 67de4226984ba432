// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/base/config/field.h"
#include "platform/machine/soc/soc_params.h"

namespace spica::config {
class Contradiction;
}

namespace spica::workloads {

/// What a kernel asks of the machine, about one key of its configuration:
///   cluster.cores=1|2|4               one of these values
///   cluster.shared_memory.size>=64 KiB, cluster.core.warps<=16
///   cluster.shared_memory.size>=16*cluster.matrix_units.0.tile_m*cluster.matrix_units.0.tile_k
///   cluster.matrix_units.0.tile_n<=cluster.matrix_units.0.tile_m if cluster.matrix_units.0.command_set=quartile_v1
struct Condition {
  enum class Kind { kOneOf, kAtLeast, kAtMost };
  std::string key;
  Kind kind = Kind::kOneOf;
  std::vector<std::string> values;  // as they were written
  std::vector<Condition> when;  // none, or the one behind `if`, without which nothing is asked

  /// Nothing when it is not one, and in `why` what is wrong.
  static std::optional<Condition> parse(const std::string& text, std::string& why);
};

/// A machine whose values can be asked for by key.
class MachineValues {
 public:
  explicit MachineValues(const soc::SocParams& params);
  MachineValues(const MachineValues&) = delete;
  MachineValues& operator=(const MachineValues&) = delete;

  /// Why the machine does not do, with a value that would; empty: it does.
  std::string unmet(const Condition& condition) const;
  /// What is wrong with the condition on any machine; empty: nothing.
  std::string problem(const Condition& condition) const;
  /// The value of a key as a define takes it: whole numbers in decimals, names in capitals; nothing when this machine
  /// has no such entry of a list.
  std::optional<std::string> define_value(const std::string& key) const;
  /// Whether some machine has the key.
  bool knows(const std::string& key) const;

 private:
  soc::SocParams params_;  // the fields refer to it
  config::Field root_;

  /// The number that the text of a value means: itself, or a product of numbers and keys.
  std::optional<std::uint64_t> product(const std::string& text) const;
  /// Whether the text of a value is a product, or a key.
  bool is_computed(const std::string& text) const;
};

/// Parses the texts in a design, which check_needs() has approved.
std::vector<Condition> parse_needs(const std::vector<std::string>& needs);
/// Why the machine does not do, with values that would; empty: it does.
std::vector<std::string> unmet(const std::vector<Condition>& conditions, const soc::SocParams& params);
/// Reports the texts `needs` of a design that cannot be meant on any machine.
void check_needs(const std::vector<std::string>& needs, const config::Contradiction& contradiction);

}  // namespace spica::workloads

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "platform/base/config/field.h"

namespace spica::config {

/// The value of a name in a condition: a number, a word, or empty (a missing result).
using Operand = std::variant<std::monostate, double, std::string>;

/// Converts text to an operand: a number if all of it is one ("4", "0.3", "1e6", "64 KiB"), else a word. "true" and
/// "false" are words.
Operand operand_of(const std::string& text);
/// The value of a parameter: a number, or its text.
Operand operand_of(const Field& field);

/// A number as in files and labels: whole, or the shortest text that gives the same value.
std::string number_text(double value);

/// A condition or calculation: the common language of sweeps (`only`, `constraints`, `columns`) and designs (`needs`).
///
///   design == "virgo-dma" and cores * 4 <= banks
///   cluster.cores = 1|2|4, cluster.shared_memory.size >= 64 KiB
///   tile_n <= tile_m if command_set = "quartile_v1"
///
/// Numbers (with B, KiB, MiB or GiB), quoted words, names; + - * / %, == (or =, with | between several values) != < <=
/// > >=, `and`, `or`, `not`, parentheses. With `if` and a second condition, it is also true where the second one is
/// false. Names are looked up during evaluation; sum(stats.A), min, max and mean of a path with * are also names; other
/// functions are not supported.
class Expression {
 public:
  /// Returns the value of a name; `name` as written.
  using Lookup = std::function<Operand(const std::string& name)>;

  /// Throws UserError with the error and its position.
  explicit Expression(std::string_view text);

  const std::string& text() const { return text_; }
  /// All names in the expression, each once.
  const std::vector<std::string>& names() const { return names_; }
  /// True if the condition is true. A comparison with an empty operand is false; a number is not equal to a word.
  /// Throws UserError for a calculation with words.
  bool holds(const Lookup& lookup) const;
  /// The result of the calculation; empty if an operand is empty, or for a division by zero.
  Operand value(const Lookup& lookup) const;

  /// A part of the expression: a value, a name, or an operation ("==", "*", "and", "if", "negative") with its operands.
  /// For "==", the operands after the first are the allowed values; for "if", the first operand is required where the
  /// second is true.
  struct Node {
    enum class Kind : std::uint8_t { kConstant, kName, kOperation };
    Kind kind = Kind::kConstant;
    Operand constant;
    std::string name;  // name, or operation
    std::vector<Node> inner;
    std::string text;  // as written

    bool is(std::string_view operation) const { return kind == Kind::kOperation && name == operation; }
  };
  const Node& root() const { return root_; }
  /// The result of a part.
  Operand value(const Node& part, const Lookup& lookup) const;

 private:
  std::string text_;
  std::vector<std::string> names_;
  Node root_;
};

}  // namespace spica::config

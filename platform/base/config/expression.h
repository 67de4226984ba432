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

/// The value of a name in a condition: a number, a word, or nothing (a result that is not there).
using Operand = std::variant<std::monostate, double, std::string>;

/// A text as an operand: a number where all of it is one ("4", "0.3", "1e6", "64 KiB"), else a word. "true" and "false"
/// are words.
Operand operand_of(const std::string& text);
/// The value of a parameter: a number, or its text.
Operand operand_of(const Field& field);

/// A number as files and labels have it: whole, or the shortest text that reads as the same.
std::string number_text(double value);

/// A condition, or a calculation: the one language of sweeps (`only`, `constraints`, `columns`) and of designs
/// (`needs`).
///
///   design == "virgo-dma" and cores * 4 <= banks
///   cluster.cores = 1|2|4, cluster.shared_memory.size >= 64 KiB
///   tile_n <= tile_m if command_set = "quartile_v1"
///
/// Numbers (with B, KiB, MiB or GiB), words in quotes, names; + - * / %, == (or =, with | between several values) != <
/// <= > >=, `and`, `or`, `not`, parentheses; with `if` and a second condition behind it, it holds where that one does
/// not. Names are looked up when it is evaluated; sum(stats.A), min, max and mean of a path with * in it are also
/// names, and nothing else can be called.
class Expression {
 public:
  /// The value of a name; `name` as written.
  using Lookup = std::function<Operand(const std::string& name)>;

  /// Throws UserError with the error and its place.
  explicit Expression(std::string_view text);

  const std::string& text() const { return text_; }
  /// All names in it, each once.
  const std::vector<std::string>& names() const { return names_; }
  /// Whether it holds. A comparison with nothing does not; a number is not equal to a word. Throws UserError when words
  /// are calculated with.
  bool holds(const Lookup& lookup) const;
  /// What it comes to; nothing where something in it is nothing, or where it divides by zero.
  Operand value(const Lookup& lookup) const;

  /// A part of it: a value, a name, or an operation ("==", "*", "and", "if", "negative") and its parts. Of "==" all but
  /// the first are the values that it may have; of "if" the first holds where the second does.
  struct Node {
    enum class Kind : std::uint8_t { kConstant, kName, kOperation };
    Kind kind = Kind::kConstant;
    Operand constant;
    std::string name;  // or the operation
    std::vector<Node> inner;
    std::string text;  // as written

    bool is(std::string_view operation) const { return kind == Kind::kOperation && name == operation; }
  };
  const Node& root() const { return root_; }
  /// What a part of it comes to.
  Operand value(const Node& part, const Lookup& lookup) const;

 private:
  std::string text_;
  std::vector<std::string> names_;
  Node root_;
};

}  // namespace spica::config

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spica::sweep {

/// The value of a name in a condition: a number, a word, or nothing (a result that is not there).
using Operand = std::variant<std::monostate, double, std::string>;

/// A text as an operand: a number where all of it is one ("4", "0.3", "1e6", "64 KiB"), else a word. "true" and "false"
/// are words.
Operand operand_of(const std::string& text);

/// A number as files and labels have it: whole, or the shortest text that reads as the same.
std::string number_text(double value);

/// A condition, or a calculation: `design == "virgo-dma" and cores * 4 <= banks`. Numbers, words in quotes, names; + -
/// * / %, == != < <= > >=, `and`, `or`, `not`, parentheses. Names are looked up when it is evaluated; sum(stats.A),
/// min, max and mean of a path with * are names also; no other functions exist.
class Expression {
 public:
  /// The value of a name; `name` as written.
  using Lookup = std::function<Operand(const std::string& name)>;

  /// Throws UserError with the error and its place.
  explicit Expression(std::string_view text);
  ~Expression();
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;

  const std::string& text() const { return text_; }
  /// All names in it, each once.
  const std::vector<std::string>& names() const { return names_; }
  /// Whether it holds. A comparison with nothing does not; a number is not equal to a word. Throws UserError when words
  /// are calculated with.
  bool holds(const Lookup& lookup) const;
  /// What it comes to; nothing where something in it is nothing, or where it divides by zero.
  Operand value(const Lookup& lookup) const;

  struct Node;

 private:
  std::string text_;
  std::vector<std::string> names_;
  std::unique_ptr<Node> root_;
};

}  // namespace spica::sweep

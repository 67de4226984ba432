// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spica::text {

/// A regular expression of the ECMAScript kind, by Boost.Regex: <regex> takes a multiple of the time, to compile and to run,
/// and calls itself for each character. A match that needs more than four MB of notes throws a std::runtime_error.
class Pattern {
 public:
  /// What matched: the whole at 0, then the groups. A group that took no part is empty.
  using Groups = std::vector<std::string>;

  /// Throws a std::runtime_error if `text` is not a regular expression.
  explicit Pattern(const std::string& text);

  /// The groups if all of `text` matches.
  std::optional<Groups> match(const std::string& text) const;

  /// The groups of the first place in `text` that matches.
  std::optional<Groups> search(const std::string& text) const;

  /// The groups of every place that matches, none overlapping another.
  std::vector<Groups> search_all(const std::string& text) const;

  /// `text` with `by` in each place that matches. `$1` in `by` is the first group.
  std::string replace(const std::string& text, const std::string& by) const;

 private:
  class Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace spica::text

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spica::text {

/// A regular expression of the ECMAScript kind. Instead of <regex>, which takes two seconds and 100 MB in each file that
/// includes it. Its matcher calls itself for each character: texts of a user should have a bound.
class Pattern {
 public:
  /// What matched: the whole at 0, then the groups. A group that took no part is empty.
  using Groups = std::vector<std::string>;

  /// Throws std::regex_error if `text` is not a regular expression.
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

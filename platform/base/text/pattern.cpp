// SPDX-License-Identifier: Apache-2.0
#include "platform/base/text/pattern.h"

#include <regex>

namespace spica::text {

class Pattern::Compiled : public std::regex {
  using std::regex::regex;
};

namespace {
Pattern::Groups groups_of(const std::smatch& match) { return {match.begin(), match.end()}; }
}  // namespace

Pattern::Pattern(const std::string& text) : compiled_(std::make_shared<Compiled>(text)) {}

std::optional<Pattern::Groups> Pattern::match(const std::string& text) const {
  std::smatch found;
  if (!std::regex_match(text, found, *compiled_)) return std::nullopt;
  return groups_of(found);
}

std::optional<Pattern::Groups> Pattern::search(const std::string& text) const {
  std::smatch found;
  if (!std::regex_search(text, found, *compiled_)) return std::nullopt;
  return groups_of(found);
}

std::vector<Pattern::Groups> Pattern::search_all(const std::string& text) const {
  std::vector<Groups> all;
  for (std::sregex_iterator at(text.begin(), text.end(), *compiled_), end; at != end; ++at)
    all.push_back(groups_of(*at));
  return all;
}

std::string Pattern::replace(const std::string& text, const std::string& by) const {
  return std::regex_replace(text, *compiled_, by);
}

}  // namespace spica::text

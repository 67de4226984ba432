// SPDX-License-Identifier: Apache-2.0
#include "platform/base/text/pattern.h"

#include <boost/regex.hpp>

namespace spica::text {

class Pattern::Compiled : public boost::regex {
 public:
  explicit Compiled(const std::string& text) : boost::regex(text, ECMAScript | no_mod_m) {}
};

namespace {
const boost::regex_constants::match_flag_type kEcmaScript =
    boost::match_default | boost::match_not_dot_newline;

Pattern::Groups groups_of(const boost::smatch& match) { return {match.begin(), match.end()}; }
}  // namespace

Pattern::Pattern(const std::string& text) : compiled_(std::make_shared<Compiled>(text)) {}

std::optional<Pattern::Groups> Pattern::match(const std::string& text) const {
  boost::smatch found;
  if (!boost::regex_match(text, found, *compiled_, kEcmaScript)) return std::nullopt;
  return groups_of(found);
}

std::optional<Pattern::Groups> Pattern::search(const std::string& text) const {
  boost::smatch found;
  if (!boost::regex_search(text, found, *compiled_, kEcmaScript)) return std::nullopt;
  return groups_of(found);
}

std::vector<Pattern::Groups> Pattern::search_all(const std::string& text) const {
  std::vector<Groups> all;
  for (boost::sregex_iterator at(text.begin(), text.end(), *compiled_, kEcmaScript), end; at != end; ++at)
    all.push_back(groups_of(*at));
  return all;
}

std::string Pattern::replace(const std::string& text, const std::string& by) const {
  return boost::regex_replace(text, *compiled_, by, kEcmaScript);
}

}  // namespace spica::text

// SPDX-License-Identifier: Apache-2.0
#include "models/assembly/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/assembly/kinds.h"
#include "models/base/suggest.h"

namespace spica::assembly {

void Plan::add(std::string name, std::string kind, std::any params) {
  if (find(name) != nullptr) throw PlanError(fmt::format("there are two blocks called '{}'", name));
  slots_.push_back({std::move(name), std::move(kind), std::move(params), 0});
  index(slots_.size() - 1);
}

/// Records the places from `first` on.
void Plan::index(std::size_t first) {
  for (std::size_t i = first; i < slots_.size(); ++i) places_[slots_[i].name] = i;
}

PlanError no_link(const std::string& from, const std::string& to, const std::vector<std::string>& linked,
                  const std::vector<std::string>& starts) {
  return PlanError(fmt::format("'{}' has no link to '{}'; {}", from, to,
                               linked.empty()
                                   ? "nothing starts there" + base::did_you_mean(from, starts)
                                   : fmt::format("it is linked to '{}'", fmt::join(linked, "', '"))));
}

std::vector<std::string> Plan::starts() const {
  std::vector<std::string> names;
  for (const Link& link : links_) names.push_back(link.from);
  return names;
}

std::vector<Slot>::iterator Plan::place_of(const std::string& name) {
  const auto found = places_.find(name);
  return found != places_.end() ? slots_.begin() + static_cast<std::ptrdiff_t>(found->second) : slots_.end();
}

const Slot* Plan::find(const std::string& name) const {
  const auto found = const_cast<Plan*>(this)->place_of(name);
  return found != slots_.end() ? &*found : nullptr;
}

std::vector<std::string> Plan::linked_to(const std::string& from) const {
  std::vector<std::string> found;
  for (const Link& link : links_)
    if (link.from == from) found.push_back(link.to);
  return found;
}

End Plan::end(const std::string& name) const {
  for (std::size_t dot = name.size(); dot != std::string::npos && dot != 0; dot = name.rfind('.', dot - 1))
    if (find(name.substr(0, dot)) != nullptr)
      return {name.substr(0, dot), dot < name.size() ? name.substr(dot + 1) : ""};
  return {"", name};
}

std::string Plan::before(const std::string& slot) const {
  const auto found = before_.find(slot);
  return found != before_.end() ? found->second : "";
}

void Plan::insert(std::string name, std::string kind, std::any params, const std::string& from,
                  const std::string& to) {
  const auto link = std::find_if(links_.begin(), links_.end(), [&](const Link& candidate) {
    return candidate.from == from && candidate.to == to;
  });
  if (link == links_.end()) throw no_link(from, to, linked_to(from), starts());
  const Kind& made = kinds().at(kind);
  link->to = name + "." + made.entry;
  links_.push_back({name + "." + made.exit, to});
  before_[name] = from;
  add(std::move(name), std::move(kind), std::move(params));
  const auto place = place_of(end(to).slot);
  if (place == slots_.end()) return;
  slots_.back().clock_mhz = place->clock_mhz;
  std::rotate(place + 1, slots_.end() - 1, slots_.end());
  index(static_cast<std::size_t>(place - slots_.begin()) + 1);
}

Slot& Plan::at(const std::string& name) {
  const auto found = place_of(name);
  if (found == slots_.end()) throw PlanError(fmt::format("there is no block called '{}'", name));
  return *found;
}

void Plan::replace(const std::string& name, std::string kind, std::any params) {
  Slot& replaced = at(name);
  replaced.kind = std::move(kind);
  replaced.params = std::move(params);
}

void Plan::set_clock(const std::string& name, double mhz) { at(name).clock_mhz = mhz; }

}  // namespace spica::assembly

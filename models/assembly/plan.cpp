// SPDX-License-Identifier: Apache-2.0
#include "models/assembly/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/assembly/kinds.h"

namespace spica::assembly {

void Plan::add(std::string name, std::string kind, std::any params) {
  if (find(name) != nullptr) throw PlanError(fmt::format("there are two blocks called '{}'", name));
  slots_.push_back({std::move(name), std::move(kind), std::move(params)});
}

const Slot* Plan::find(const std::string& name) const {
  const auto found =
      std::find_if(slots_.begin(), slots_.end(), [&](const Slot& slot) { return slot.name == name; });
  return found != slots_.end() ? &*found : nullptr;
}

Slot* Plan::slot(const std::string& name) { return const_cast<Slot*>(find(name)); }

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
  if (link == links_.end()) {
    std::string others;
    for (const Link& candidate : links_)
      if (candidate.from == from) others += fmt::format("; it is linked to '{}'", candidate.to);
    throw PlanError(fmt::format("'{}' has no link to '{}'{}", from, to, others));
  }
  if (find(name) != nullptr) throw PlanError(fmt::format("there are two blocks called '{}'", name));
  const Kind& made = kinds().at(kind);
  link->to = name + "." + made.entry;
  links_.push_back({name + "." + made.exit, to});
  before_[name] = from;
  const std::string behind = end(to).slot;
  const auto place =
      std::find_if(slots_.begin(), slots_.end(), [&](const Slot& slot) { return slot.name == behind; });
  slots_.insert(place != slots_.end() ? place + 1 : place,
                {std::move(name), std::move(kind), std::move(params)});
}

void Plan::replace(const std::string& name, std::string kind, std::any params) {
  Slot* const replaced = slot(name);
  if (replaced == nullptr) throw PlanError(fmt::format("there is no block called '{}'", name));
  replaced->kind = std::move(kind);
  replaced->params = std::move(params);
}

}  // namespace spica::assembly

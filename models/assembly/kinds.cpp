// SPDX-License-Identifier: Apache-2.0
#include "models/assembly/kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/assembly/adapter_kinds.h"

namespace spica::assembly {

void Kinds::add(Kind kind) {
  if (find(kind.name) != nullptr)
    throw PlanError(fmt::format("there are two kinds of block '{}'", kind.name));
  all_.push_back(std::make_unique<Kind>(std::move(kind)));
}

const Kind* Kinds::find(const std::string& name) const {
  for (const auto& kind : all_)
    if (kind->name == name) return kind.get();
  return nullptr;
}

const Kind& Kinds::at(const std::string& name) const {
  if (const Kind* kind = find(name)) return *kind;
  std::vector<std::string> names;
  for (const auto& kind : all_) names.push_back(kind->name);
  throw PlanError(fmt::format("unknown kind of block '{}'; known: {}", name, fmt::join(names, ", ")));
}

Kinds& kinds() {
  static Kinds all = [] {
    Kinds kinds;
    add_adapter_kinds(kinds);
    return kinds;
  }();
  return all;
}

}  // namespace spica::assembly

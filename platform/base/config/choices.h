// SPDX-License-Identifier: Apache-2.0
// Names of enumeration values, for options.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/params.h"

namespace spica::config {

/// The names, in order.
template <class Enum, std::size_t N>
std::vector<std::string> names_of(const base::Choices<Enum, N>& choices) {
  std::vector<std::string> names;
  for (const auto& choice : choices.items) names.emplace_back(choice.name);
  return names;
}

/// The value of that name; empty if no value has it, as when the option was not given.
template <class Enum, std::size_t N>
std::optional<Enum> value_of(const base::Choices<Enum, N>& choices, std::string_view name) {
  for (const auto& choice : choices.items)
    if (choice.name == name) return choice.value;
  return {};
}

}  // namespace spica::config

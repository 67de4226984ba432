// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/landings.h"

#include <fmt/format.h>

#include <utility>

namespace spica::check {

namespace {

bool is_near(const Objects::Range& object, std::uint64_t address) {
  return address < object.begin ? object.begin - address <= Landings::kReach
                                : address - object.end < Landings::kReach;
}

}  // namespace

std::string outside_text(const Objects::Range& object, std::uint64_t address) {
  const bool in_front = address < object.begin;
  const std::uint64_t bytes = in_front ? object.begin - address : address - object.end;
  return fmt::format("{} byte{} {} `{}` ({} bytes at {:#010x})", bytes, bytes == 1 ? "" : "s",
                     in_front ? "before the beginning of" : "past the end of", object.name,
                     object.end - object.begin, object.begin);
}

bool Landings::is_news(const Pointers::Target& pointer, const Objects::Range* in, std::uint64_t address,
                       std::uint32_t pc) {
  if (pointer.upper_at == 0 || (pointer.hint == nullptr && in == nullptr)) return false;
  const Upper& upper = upper_at(pointer.upper_at);
  if (upper.object != nullptr) return !upper.object->contains(address);
  return (in != nullptr && in == pointer.hint) || upper.others.count(pc) == 0;
}

std::vector<Finding> Landings::add(const Pointers::Target& pointer, const Objects::Range* in,
                                   Finding access) {
  Upper& upper = upper_at(pointer.upper_at);
  const bool proves = in != nullptr && in == pointer.hint;
  if (proves && (upper.object == nullptr || in->begin < upper.object->begin)) {
    // Two lower parts: an overrun is likelier than an access in front of an object.
    if (upper.object != nullptr) upper.others.try_emplace(upper.first.second.pc, upper.first);
    upper.object = in;
    upper.first = std::move(access);
  } else {
    upper.others.try_emplace(access.second.pc, std::move(access));
  }
  if (upper.object == nullptr) return {};
  std::vector<Finding> outside;
  for (auto& [pc, other] : std::exchange(upper.others, {})) {
    if (upper.object->contains(other.address) || !is_near(*upper.object, other.address)) continue;
    other.detail = outside_text(*upper.object, other.address);
    outside.push_back(std::move(other));
  }
  return outside;
}

}  // namespace spica::check

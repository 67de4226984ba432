// SPDX-License-Identifier: Apache-2.0
#include "models/base/block_type.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>

namespace spica::base {

namespace {

std::vector<const BlockType*>& known_types() {
  static std::vector<const BlockType*> types;
  return types;
}

bool comes_before(const BlockType* a, const BlockType* b) {
  return std::tie(a->order, a->name) < std::tie(b->order, b->name);
}

}  // namespace

const BlockType& plain_block_type() {
  static const BlockType type{"block"};
  return type;
}

const std::vector<const BlockType*>& block_types() { return known_types(); }

void register_block_type(const BlockType& type) {
  if (&type == &plain_block_type()) return;
  std::vector<const BlockType*>& types = known_types();
  for (const BlockType* known : types)
    if (known->name == type.name) {
      if (known == &type) return;
      throw std::logic_error("there are two types of block called '" + std::string(type.name) + "'");
    }
  types.insert(std::upper_bound(types.begin(), types.end(), &type, comes_before), &type);
}

bool matches(std::string_view pattern, std::string_view name) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  const std::string_view head = pattern.substr(0, star), tail = pattern.substr(star + 1);
  return name.size() >= head.size() + tail.size() && name.substr(0, head.size()) == head &&
         name.substr(name.size() - tail.size()) == tail;
}

bool matches(const CounterNames& patterns, std::string_view name) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [name](std::string_view pattern) { return matches(pattern, name); });
}

}  // namespace spica::base

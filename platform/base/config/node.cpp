// SPDX-License-Identifier: Apache-2.0
#include "platform/base/config/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>

namespace spica::config {
namespace {

void merge_map(Node& base, Node over, const std::string& path, std::vector<Problem>& problems) {
  if (base.keys.empty()) {
    base.keys = std::move(over.keys);
    base.children = std::move(over.children);
    return;
  }
  std::unordered_map<std::string, std::size_t> places;  // of keys in base; never iterated
  for (std::size_t i = 0; i < base.keys.size(); ++i) places.emplace(base.keys[i], i);
  for (std::size_t i = 0; i < over.keys.size(); ++i) {
    const std::string& key = over.keys[i];
    const auto [place, is_new] = places.emplace(key, base.keys.size());
    if (is_new) {
      base.keys.push_back(key);
      base.children.push_back(std::move(over.children[i]));
    } else {
      merge(base.children[place->second], std::move(over.children[i]), join(path, key), problems);
    }
  }
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  if (kind == Kind::kMap) {
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (keys[i] == key) return &children[i];
  } else if (kind == Kind::kList) {
    if (const auto i = entry_number(key); i && *i < children.size()) return &children[*i];
  }
  return nullptr;
}

void merge(Node& base, Node over, const std::string& path, std::vector<Problem>& problems) {
  using Kind = Node::Kind;
  if (base.kind == Kind::kMap && over.kind == Kind::kMap) {
    merge_map(base, std::move(over), path, problems);
  } else if (base.kind == Kind::kList && over.kind == Kind::kMap) {
    for (std::size_t i = 0; i < over.keys.size(); ++i) {
      Node& child = over.children[i];
      const std::string child_path = join(path, over.keys[i]);
      const auto at = entry_of(over.keys[i], base.children.size(), child.place, child_path, problems);
      if (at) merge(base.children[*at], std::move(child), child_path, problems);
    }
  } else if (base.kind == Kind::kMap && over.kind == Kind::kNothing) {
    // An empty "core:" says nothing about the keys inside.
  } else {
    base = std::move(over);
  }
}

std::optional<std::vector<std::string>> split_path(std::string_view path) {
  std::vector<std::string> keys;
  for (;;) {
    const std::size_t end = std::min(path.find_first_of(".["), path.size());
    if (end == 0) return std::nullopt;
    keys.emplace_back(path.substr(0, end));
    path.remove_prefix(end);
    while (!path.empty() && path.front() == '[') {
      const std::size_t close = path.find(']');
      if (close == std::string_view::npos || !entry_number(path.substr(1, close - 1))) return std::nullopt;
      keys.emplace_back(path.substr(1, close - 1));
      path.remove_prefix(close + 1);
    }
    if (path.empty()) return keys;
    if (path.front() != '.') return std::nullopt;
    path.remove_prefix(1);
  }
}

std::string shown_path(std::string_view path) {
  const auto keys = split_path(path);
  if (!keys) return std::string(path);
  std::string text;
  for (const std::string& key : *keys) {
    if (!text.empty() && entry_number(key)) text += '[' + key + ']';
    else text = join(text, key);
  }
  return text;
}

Place place_of(const Node& root, std::string_view path) {
  const auto keys = split_path(path);
  if (!keys) return path.empty() ? root.place : Place{};
  const Node* node = &root;
  for (auto key = keys->begin(); node != nullptr && key != keys->end(); ++key) node = node->find(*key);
  return node != nullptr ? node->place : Place{};
}

std::string join(const std::string& path, std::string_view key) {
  if (path.empty()) return std::string(key);
  if (key.empty()) return path;
  return path + '.' + std::string(key);
}

std::optional<std::size_t> entry_number(std::string_view key) {
  std::size_t number = 0;
  const char* end = key.data() + key.size();
  const auto result = std::from_chars(key.data(), end, number);
  if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
  return number;
}

std::optional<std::size_t> entry_of(std::string_view key, std::size_t size, const Place& place,
                                    const std::string& path, std::vector<Problem>& problems) {
  const auto number = entry_number(key);
  if (number && *number < size) return number;
  const char* what = number ? "the list has no such entry" : "expected a list or an entry number";
  std::string allowed;
  if (size == 0) allowed = "a list (there are no entries yet)";
  else if (size == 1) allowed = "0";
  else allowed = fmt::format("0..{}", size - 1);
  problems.push_back({place, path, what, std::move(allowed)});
  return std::nullopt;
}

}  // namespace spica::config

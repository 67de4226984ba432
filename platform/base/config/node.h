// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/base/config/problem.h"

namespace spica::config {

/// One node of a configuration as written, after all files and overrides have been merged.
struct Node {
  enum class Kind : std::uint8_t { kNothing, kScalar, kMap, kList };

  Kind kind = Kind::kNothing;
  Place place;                    // the line of its key, or of a list entry
  std::string scalar;             // kScalar: the text as written, without quotes
  std::vector<std::string> keys;  // kMap: one per child, in the order first written
  std::vector<Node> children;     // kMap, kList

  const Node* find(std::string_view key) const;
};

/// Merges `over` into `base`: maps are merged key by key, everything else is replaced. A map whose keys are entry
/// numbers changes single entries of a list. `path` is the key path of both, for problems.
void merge(Node& base, Node over, const std::string& path, std::vector<Problem>& problems);

/// Splits a path into keys: "a.b[0].c" and "a.b.0.c" both name c of entry 0 of the list b. Empty: not a path.
std::optional<std::vector<std::string>> split_path(std::string_view path);

/// The path as shown to users: list entries in brackets.
std::string shown_path(std::string_view path);

/// Where the value at a path was written; the default place if it was not.
Place place_of(const Node& root, std::string_view path);

/// "a.b", without the dot if either is empty.
std::string join(const std::string& path, std::string_view key);

/// The number in "0", "1", ...; empty for any other text.
std::optional<std::size_t> entry_number(std::string_view key);

/// The list index that a key of a map means, for `size` entries; reports a problem and returns nothing if there is no
/// such entry.
std::optional<std::size_t> entry_of(std::string_view key, std::size_t size, const Place& place,
                                    const std::string& path, std::vector<Problem>& problems);

}  // namespace spica::config

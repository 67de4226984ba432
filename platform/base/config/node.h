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

/// One node of a configuration as written, after all files and overrides were put together.
struct Node {
  enum class Kind : std::uint8_t { kNothing, kScalar, kMap, kList };

  Kind kind = Kind::kNothing;
  Place place;                    // the line of its key, or of a list's entry
  std::string scalar;             // kScalar: the text as written, without quotes
  std::vector<std::string> keys;  // kMap: one per child, in the order first written
  std::vector<Node> children;     // kMap, kList

  const Node* find(std::string_view key) const;
};

/// Puts `over` on top of `base`: maps are merged key by key, everything else is replaced. A map
/// whose keys are entry numbers changes single entries of a list. `path` is the key path of both,
/// for problems.
void merge(Node& base, Node over, const std::string& path, std::vector<Problem>& problems);

/// The keys of a path: "a.b[0].c" and "a.b.0.c" both name c of entry 0 of the list b. Nothing: not a path.
std::optional<std::vector<std::string>> split_path(std::string_view path);

/// The path as users see it: entries of lists in brackets.
std::string shown_path(std::string_view path);

/// Where the value at a path was written; the default place when it was not.
Place place_of(const Node& root, std::string_view path);

/// "a.b", without the dot when either is empty.
std::string join(const std::string& path, std::string_view key);

/// "0", "1", ... as a number; nothing for any other text.
std::optional<std::size_t> entry_number(std::string_view key);

/// The index a key of a map means in a list of `size` entries; reports and returns nothing when
/// there is no such entry.
std::optional<std::size_t> entry_of(std::string_view key, std::size_t size, const Place& place,
                                    const std::string& path, std::vector<Problem>& problems);

}  // namespace spica::config

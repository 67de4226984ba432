// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/base/params.h"

namespace spica::profile {

struct Profile;

struct TextOptions {
  std::string by = "function";  // line, instruction
  unsigned top = 20;            // number of rows, by cycles; 0: all
  std::filesystem::path root;   // where sources are searched

  template <class Self, class Visit>
  static void describe(Self& o, Visit&& field) {
    field("by", o.by, std::vector<std::string>{"function", "line", "instruction"}, "rows of the table");
    field("top", o.top, "rows", base::Range{0, 1e9}, "number of rows, those with the most cycles; 0: all");
  }
};

/// A table of the hottest functions, lines or instructions, with an explanation of its columns.
std::string profile_text(const Profile& profile, const TextOptions& options);

}  // namespace spica::profile

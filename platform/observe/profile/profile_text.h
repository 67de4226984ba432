// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace spica::profile {

struct Profile;

struct TextOptions {
  std::string by = "function";  // line, instruction
  unsigned top = 20;            // rows, those with most cycles; 0: all
  std::filesystem::path root;   // where sources are looked for
};

/// A table of the hottest functions, lines or instructions, and what its columns mean.
std::string profile_text(const Profile& profile, const TextOptions& options);

}  // namespace spica::profile

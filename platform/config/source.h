// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/config/node.h"
#include "platform/config/problem.h"

namespace spica::config {

/// Everything the user wrote, put together but not yet compared with any parameters.
struct Source {
  Node root;
  std::string name;  // the main file as shown to users
  std::vector<std::string> files;  // all files read, as shown to users, in the order of first reading
  std::vector<Problem> problems;  // reported together with those that apply() finds
};

/// Reads a configuration and the files it extends, then applies `overrides` ("key.path=value", the
/// value is YAML, an entry of a list is list[0] or list.0) in their order.
///
/// `config` is a path, or the name of a file in `configs_dir` without extension ("virgo",
/// "isolate/cache"). In any map, `extends: file` or `extends: [file, file]` (relative to the file
/// it stands in, or like `config` the name of one in `configs_dir`) puts those files below the map: later files win over earlier ones, the map's own
/// keys win over all. Files in configs_dir are shown as configs/..., whatever the working directory
/// is.
///
/// Never throws because of what the user wrote: problems are kept in the result for apply().
Source load(const std::string& config, const std::vector<std::string>& overrides,
            const std::filesystem::path& configs_dir);

/// Names that `load` accepts for the files of `configs_dir` itself, sorted.
std::vector<std::string> names(const std::filesystem::path& configs_dir);

}  // namespace spica::config

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/base/config/node.h"
#include "platform/base/config/problem.h"

namespace spica::config {

/// Everything the user wrote, put together but not yet compared with any parameters.
struct Source {
  Node root;
  std::string name;  // the main file as shown to users
  std::vector<std::string> files;  // all files read, as shown to users, in the order of first reading
  std::vector<std::filesystem::path> paths;  // of `files`
  std::vector<Problem> problems;  // reported together with those that apply() finds

  /// The folder of the file that sets the value at a key path; empty when no file does.
  std::filesystem::path folder_of(std::string_view path) const;
};

/// Files of one kind, which users name by their name in a folder of configs, or by their path: "tc" is
/// configs/designs/tc.yaml.
struct FileKind {
  std::string name;    // "design"
  std::string folder;  // "designs"; empty: configs itself
};
inline const FileKind& configuration() {
  static const FileKind kind{"configuration", {}};
  return kind;
}

/// Reads a configuration and the files it extends, then applies `overrides` ("key.path=value", the
/// value is YAML, an entry of a list is list[0] or list.0) in their order.
///
/// `config` is a path, or the name of a file in `configs_dir` without extension ("virgo",
/// "isolate/cache"). In any map, `extends: file` or `extends: [file, file]` (relative to the file
/// that contains it, or like `config` the name of one in `configs_dir`) puts those files below the map: later files win
/// over earlier ones, the map's own
/// keys win over all. Files in configs_dir are shown as configs/..., whatever the working directory
/// is.
///
/// Never throws because of what the user wrote: problems are kept in the result for apply().
Source load(const std::string& config, const std::vector<std::string>& overrides,
            const std::filesystem::path& configs_dir, const FileKind& kind = configuration());

/// Parses all files below a folder once, so that reading a file with one of these texts later, in this process and in
/// those forked from it, does not parse it again.
void keep_parsed(const std::filesystem::path& configs_dir);

/// The file that `load` would read; nothing when there is none.
std::optional<std::filesystem::path> find_file(const std::string& config,
                                               const std::filesystem::path& configs_dir,
                                               const FileKind& kind = configuration());

/// Names that `load` accepts for the files of that kind, sorted.
std::vector<std::string> names(const std::filesystem::path& configs_dir,
                               const FileKind& kind = configuration());

/// One file of a kind that has its `title` and place in lists in it.
struct Entry {
  std::string name, title;
};
/// All of them by their key `order`, those of one order and those without one (last) by name. Reads the files, but
/// says nothing about what is wrong in them.
std::vector<Entry> entries(const std::filesystem::path& configs_dir, const FileKind& kind);

}  // namespace spica::config

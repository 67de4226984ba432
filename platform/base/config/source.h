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

/// All user input, merged but not yet compared with any parameters.
struct Source {
  Node root;
  std::string name;  // the main file as shown to users
  std::vector<std::string> files;  // all files read, as shown to users, in the order of first reading
  std::vector<std::filesystem::path> paths;  // paths of `files`
  std::vector<Problem> problems;  // reported together with the problems that apply() finds

  /// The folder of the file that sets the value at a key path; empty if no file does.
  std::filesystem::path folder_of(std::string_view path) const;
};

/// A kind of file that users name by path, or by name within a folder of configs: "tc" is configs/designs/tc.yaml.
struct FileKind {
  std::string name;  // "design"
  std::string folder;  // "designs"; empty: configs itself
};
inline const FileKind& configuration() {
  static const FileKind kind{"configuration", {}};
  return kind;
}

/// Reads a configuration and the files it extends, then applies `overrides` in order ("key.path=value"; the value is
/// YAML; a list entry is list[0] or list.0).
///
/// `config` is a path, or the name of a file in `configs_dir` without extension ("virgo", "isolate/cache"). In any map,
/// `extends: file` or `extends: [file, file]` inserts those files below the map: later files override earlier ones, and
/// the map's own keys override all. A file is relative to the extending file or, like `config`, a name in
/// `configs_dir`. Files in configs_dir are shown as configs/..., whatever the working directory.
///
/// Never throws for user errors: problems are kept in the result for apply().
Source load(const std::string& config, const std::vector<std::string>& overrides,
            const std::filesystem::path& configs_dir, const FileKind& kind = configuration());

/// Parses all files below a folder once. Later reads of a file with the same text, in this process and its forks, do
/// not parse it again.
void keep_parsed(const std::filesystem::path& configs_dir);

/// The file that `load` would read; empty if there is none.
std::optional<std::filesystem::path> find_file(const std::string& config,
                                               const std::filesystem::path& configs_dir,
                                               const FileKind& kind = configuration());

/// Names that `load` accepts for files of that kind, sorted.
std::vector<std::string> names(const std::filesystem::path& configs_dir,
                               const FileKind& kind = configuration());

/// One file of a kind, with its `title` and its position in lists.
struct Entry {
  std::string name, title;
};
/// All entries, sorted by their key `order` and then by name; entries without `order` come last. Reads the files, but
/// does not report problems in them.
std::vector<Entry> entries(const std::filesystem::path& configs_dir, const FileKind& kind);

}  // namespace spica::config

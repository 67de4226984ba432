// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platform/base/config/node.h"
#include "platform/base/config/problem.h"

namespace YAML {
class Node;
}

namespace spica::config {

/// Reads YAML files into nodes and resolves `extends`. Collects problems and never throws them. A file is read and
/// parsed once, however often it is extended; size, nesting depth and number of values are limited (yaml_reader.cpp).
/// Bytes not allowed in YAML are preserved.
class YamlReader {
 public:
  static constexpr std::size_t kMaxDepth =
      64;  // maximum nesting of keys, and of files that extend each other

  explicit YamlReader(const std::filesystem::path& configs_dir);
  ~YamlReader();
  YamlReader(const YamlReader&) = delete;
  YamlReader& operator=(const YamlReader&) = delete;

  /// Reads a whole file. `from` and `path` are the place that names it.
  Node file(const std::filesystem::path& file, const Place& from, const std::string& path) {
    return this->file(file, from, path, 0);
  }

  /// Reads the value of an override; `extends` in it is relative to the working directory.
  Node value(std::string_view text, const Place& place, const std::string& path);

  /// The file as shown to users: "configs/..." inside the configuration folder, else as it was
  /// named; printable.
  std::string shown(const std::filesystem::path& file) const;

  std::vector<Problem>& problems() { return problems_; }
  const std::vector<std::string>& files() const { return files_; }
  /// The same files by their path on disk.
  const std::vector<std::filesystem::path>& paths() const { return paths_; }

 private:
  struct Context {
    std::filesystem::path folder;  // base of relative `extends`
    Place place;  // the file or override of all nodes
    std::size_t depth = 0;  // current nesting
  };
  /// A file that was read, with its nodes by the key path at which it was extended.
  struct Document {
    std::unique_ptr<YAML::Node> yaml;  // nullptr: it could not be read, or is not YAML
    std::string problem;  // the reason why it could not be read
    std::map<std::string, Node> nodes;
  };

  Node file(const std::filesystem::path& file, const Place& from, const std::string& path, std::size_t depth);
  std::unique_ptr<YAML::Node> parse(std::string_view text, const Place& place, const std::string& path);
  bool too_large(std::size_t values, std::size_t depth, const Place& place, const std::string& path);
  Node convert(const YAML::Node& yaml, const Context& context, const Place& place, const std::string& path);
  Node convert_map(const YAML::Node& yaml, const Context& context, const Place& place,
                   const std::string& path);
  /// The file named by `extends: name` in a file of `folder`: one in the same folder, otherwise a shipped one.
  std::filesystem::path extended(const std::string& name, const std::filesystem::path& folder) const;
  void extend(Node& below, const Node& extends, const Context& context, const std::string& path);
  void report(const Place& place, const std::string& key, std::string what, std::string allowed = {});

  std::filesystem::path configs_dir_;
  std::vector<std::filesystem::path> open_;  // files being read, to detect cycles
  std::map<std::filesystem::path, Document> documents_;  // by canonical path
  std::vector<std::string> files_;
  std::vector<std::filesystem::path> paths_;
  std::vector<Problem> problems_;
  std::size_t nodes_ = 0;
  bool too_large_ = false;  // set after the first report
};

}  // namespace spica::config

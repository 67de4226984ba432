// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "platform/config/node.h"
#include "platform/config/problem.h"

namespace YAML {
class Node;
}

namespace spica::config {

/// Reads YAML files into nodes and resolves `extends` on the way. Collects problems, never throws
/// them.
class YamlReader {
 public:
  explicit YamlReader(const std::filesystem::path& configs_dir);

  /// The whole file. `from` and `path` say where it was asked for.
  Node file(const std::filesystem::path& file, const Place& from, const std::string& path);

  /// The value of an override; `extends` in it is relative to the working directory.
  Node value(std::string_view text, const Place& place, const std::string& path);

  /// The file as shown to users: "configs/..." inside the configuration folder, else as it was
  /// named.
  std::string shown(const std::filesystem::path& file) const;

  std::vector<Problem>& problems() { return problems_; }
  const std::vector<std::string>& files() const { return files_; }

 private:
  struct Context {
    std::filesystem::path folder;  // extends is relative to it
    Place place;                   // file, or the override all nodes come from
    std::size_t depth = 0;
  };

  Node document(std::string_view text, const Context& context, const std::string& path);
  Node convert(const YAML::Node& yaml, const Context& context, const Place& place,
               const std::string& path);
  Node convert_map(const YAML::Node& yaml, const Context& context, const Place& place,
                   const std::string& path);
  void extend(Node& below, const Node& extends, const Context& context, const std::string& path);
  void report(const Place& place, const std::string& key, std::string what,
              std::string allowed = {});

  std::filesystem::path configs_dir_;
  std::vector<std::filesystem::path> open_;  // files being read, to find circles
  std::vector<std::string> files_;
  std::vector<Problem> problems_;
  std::size_t nodes_ = 0;
  bool too_large_ = false;  // reported once
};

}  // namespace spica::config

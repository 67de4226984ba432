// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace spica::loader {

/// Lines of source files. Files are searched by their name, then below `root`. Only regular files of at most 16 MiB are
/// read.
class SourceLines {
 public:
  explicit SourceLines(std::filesystem::path root) : root_(std::move(root)) {}

  /// The line, printable and without its line end; "" if the file or the line does not exist. Lines count from 1.
  const std::string& line(const std::string& file, unsigned number);

 private:
  std::vector<std::string> read(const std::string& file) const;

  const std::filesystem::path root_;
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace spica::loader

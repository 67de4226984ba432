// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

namespace spica::input {

/// An empty folder of this process; removed with its contents by the destructor.
class TemporaryFolder {
 public:
  /// Its name: `prefix`, a dot and six characters.
  explicit TemporaryFolder(const std::string& prefix) {
    std::string name = prefix + ".XXXXXX";
    if (mkdtemp(name.data()) == nullptr) problem_ = std::strerror(errno);
    else path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  /// Empty if it could not be created.
  const std::filesystem::path& path() const { return path_; }
  /// The reason why it could not be created; empty on success.
  const std::string& problem() const { return problem_; }

 private:
  std::filesystem::path path_;
  std::string problem_;
};

}  // namespace spica::input

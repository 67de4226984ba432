// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace spica::network {

/// A regular file, mapped for reading: of any size, pages are read when they are used.
class MappedFile {
 public:
  /// Throws UserError: missing, not a regular file, empty, not readable.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const unsigned char* data() const;
  std::uint64_t size() const;
  const std::string& path() const { return path_; }

 private:
  class Mapping;
  std::string path_;
  std::unique_ptr<const Mapping> mapping_;
};

}  // namespace spica::network

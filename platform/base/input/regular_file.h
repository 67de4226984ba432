// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spica::input {

inline constexpr std::uint64_t kKiB = 1024, kMiB = 1024 * kKiB, kGiB = 1024 * kMiB;

/// The content of a file, or the reason why it could not be read.
struct FileContent {
  std::vector<unsigned char> bytes;
  std::string problem;  // "No such file or directory", "it is a folder"; "" on success

  std::string text() const { return {bytes.begin(), bytes.end()}; }
};

/// Reads a regular file of at most `limit` bytes. Folders, devices, pipes and sockets are refused without blocking. A
/// file that grows while it is read is not read beyond the limit, and insufficient memory is reported as its error.
/// Never throws.
FileContent read_regular_file(const std::string& path, std::uint64_t limit);

/// "it is a folder", "it is a pipe, not a regular file": describes a file type, by its st_mode.
const char* kind_of_file(unsigned mode);

/// "512 MiB", "1000 bytes".
std::string size_text(std::uint64_t bytes);

}  // namespace spica::input

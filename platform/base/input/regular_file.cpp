// SPDX-License-Identifier: Apache-2.0
#include "platform/base/input/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace spica::input {

namespace {

std::string too_large(std::uint64_t limit) { return "it is larger than the limit of " + size_text(limit); }

/// Fills `content`; true when all was read.
bool read_all(int file, std::uint64_t size, std::uint64_t limit, FileContent& content) {
  // Beyond the size that the file says. Room is cleared before it is read into: one byte shows the end of a file that
  // has kept its size.
  constexpr std::uint64_t kPiece = 4 * kKiB;
  content.bytes.reserve(std::min(size + kPiece, limit + 1));
  for (;;) {
    // One byte beyond the limit shows a file that has grown, or one of /proc, which says 0.
    const std::uint64_t before = content.bytes.size();
    const std::uint64_t piece = size > before ? size - before : before == size && size != 0 ? 1 : kPiece;
    content.bytes.resize(std::min(before + piece, limit + 1));
    const ssize_t got = read(file, content.bytes.data() + before, content.bytes.size() - before);
    content.bytes.resize(before + static_cast<std::uint64_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) content.problem = std::strerror(errno);
    if (content.bytes.size() > limit) content.problem = too_large(limit);
    if (got <= 0 || !content.problem.empty()) return content.problem.empty();
  }
}

}  // namespace

const char* kind_of_file(unsigned mode) {
  if (S_ISDIR(mode)) return "it is a folder";
  if (S_ISFIFO(mode)) return "it is a pipe, not a regular file";
  if (S_ISSOCK(mode)) return "it is a socket, not a regular file";
  return "it is a device, not a regular file";
}

std::string size_text(std::uint64_t bytes) {
  if (bytes != 0 && bytes % kGiB == 0) return std::to_string(bytes / kGiB) + " GiB";
  if (bytes != 0 && bytes % kMiB == 0) return std::to_string(bytes / kMiB) + " MiB";
  if (bytes != 0 && bytes % kKiB == 0) return std::to_string(bytes / kKiB) + " KiB";
  return std::to_string(bytes) + " bytes";
}

FileContent read_regular_file(const std::string& path, std::uint64_t limit) {
  FileContent content;
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  const int file = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) {
    content.problem = std::strerror(errno);
    return content;
  }
  struct stat status{};
  if (fstat(file, &status) != 0) {
    content.problem = std::strerror(errno);
  } else if (!S_ISREG(status.st_mode)) {
    content.problem = kind_of_file(status.st_mode);
  } else if (static_cast<std::uint64_t>(status.st_size) > limit) {
    content.problem =
        "it has " + size_text(static_cast<std::uint64_t>(status.st_size)) + "; " + too_large(limit);
  } else {
    try {
      read_all(file, static_cast<std::uint64_t>(status.st_size), limit, content);
    } catch (const std::bad_alloc&) {
      content.problem = "not enough memory for its " + size_text(static_cast<std::uint64_t>(status.st_size));
    }
  }
  close(file);
  if (!content.problem.empty()) content.bytes = {};
  return content;
}

}  // namespace spica::input

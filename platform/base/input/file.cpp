// SPDX-License-Identifier: Apache-2.0
#include "platform/base/input/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "platform/base/input/user_error.h"

namespace spica::input {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& problem) {
  throw UserError("cannot write '" + path + "': " + problem);
}

[[noreturn]] void fail(const std::string& path, int error) { fail(path, std::strerror(error)); }

/// The name of something that is already open, perhaps a file that another process keeps writing to.
bool is_stream(const std::string& path) {
  return path.rfind("/dev/", 0) == 0 || path.rfind("/proc/", 0) == 0;
}

/// 0, or the error of the system.
int write_all(int descriptor, const std::vector<unsigned char>& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ::ssize_t count = ::write(descriptor, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno != EINTR) return errno;
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  return 0;
}

}  // namespace

std::vector<unsigned char> read_file(const std::string& path, std::uint64_t limit) {
  FileContent content = read_regular_file(path, limit);
  if (!content.problem.empty()) throw UserError("cannot read '" + path + "': " + content.problem);
  return std::move(content.bytes);
}

int open_output(const std::string& path, int flags) {
  // Without O_NONBLOCK, opening a pipe would wait for a reader.
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC | flags, 0666);
  if (descriptor < 0 && errno == ENXIO) fail(path, "it is a pipe without a reader");
  if (descriptor < 0) fail(path, errno);
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  return descriptor;
}

void check_output(const std::string& path) {
  struct stat status{};
  if (path.empty() || is_stream(path) || ::stat(path.c_str(), &status) != 0) return;
  if (!S_ISREG(status.st_mode)) fail(path, kind_of_file(status.st_mode));
}

void write_file(const std::string& path, const std::vector<unsigned char>& bytes) {
  namespace fs = std::filesystem;
  // A link stays: its target is replaced.
  std::error_code error;
  const fs::path resolved = fs::canonical(path, error);
  const std::string target = error || is_stream(path) ? path : resolved.string();
  struct stat old{};
  const bool exists = ::stat(target.c_str(), &old) == 0;
  const std::string temporary = target + "." + std::to_string(::getpid()) + ".new";
  int descriptor = -1;
  if (!is_stream(path) && (!exists || S_ISREG(old.st_mode))) {
    // A file that may not be written may not be replaced either.
    if (exists && ::access(target.c_str(), W_OK) != 0) fail(path, errno);
    descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  }
  const bool replaces = descriptor >= 0;
  // Where no second file can be made (the folder is not ours, the name too long), the file itself must do.
  if (!replaces) descriptor = open_output(target, O_TRUNC);
  const int problem = [&] {
    const int written = write_all(descriptor, bytes);
    if (replaces && exists) static_cast<void>(::fchmod(descriptor, old.st_mode & 07777));
    if (::close(descriptor) != 0 && written == 0) return errno;  // the disk may be full only now
    if (written == 0 && replaces && std::rename(temporary.c_str(), target.c_str()) != 0) return errno;
    return written;
  }();
  if (problem == 0) return;
  if (replaces) ::unlink(temporary.c_str());
  fail(path, problem);
}

void write_text(const std::string& path, std::string_view text) {
  write_file(path, {text.begin(), text.end()});
}

}  // namespace spica::input

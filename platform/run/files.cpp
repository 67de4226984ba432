// SPDX-License-Identifier: Apache-2.0
#include "platform/run/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <filesystem>
#include <system_error>

#include "platform/base/input/file.h"
#include "platform/base/input/user_error.h"

namespace spica::job {

void make_folder(const std::string& folder) {
  if (folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw input::UserError(fmt::format("cannot create folder {}: {}", folder, error.message()));
}

void append_line(const std::string& file, std::string line) {
  line += '\n';
  const int descriptor = input::open_output(file, O_APPEND);
  const ssize_t written = write(descriptor, line.data(), line.size());
  const int error = errno;
  close(descriptor);
  if (written != static_cast<ssize_t>(line.size()))
    throw input::UserError(fmt::format("cannot write {}: {}", file,
                                       written < 0 ? std::strerror(error) : "not all of a line was written"));
}

}  // namespace spica::job

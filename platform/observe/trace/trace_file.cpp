// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/trace_file.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

#include "platform/base/input/file.h"
#include "platform/base/input/user_error.h"

namespace spica::trace {

TraceFile::TraceFile(const std::string& path, std::uint64_t limit, std::uint64_t reserve)
    : path_(path),
      limit_(limit),
      full_at_(limit - std::min(reserve, limit / 2)),
      file_(fdopen(input::open_output(path, O_TRUNC), "wb"), &std::fclose) {
  if (file_ == nullptr)
    throw input::UserError(fmt::format("cannot write trace {}: {}", path, std::strerror(errno)));
}

TraceFile::~TraceFile() {
  if (file_ != nullptr) flush();
}

void TraceFile::flush() {
  if (error_ == 0 && std::fwrite(buffer_.data(), 1, buffer_.size(), file_.get()) != buffer_.size())
    error_ = errno;
  written_ += buffer_.size();
  buffer_.clear();
}

void TraceFile::close() {
  if (file_ == nullptr) return;
  flush();
  if (std::fclose(file_.release()) != 0 && error_ == 0) error_ = errno;
}

}  // namespace spica::trace

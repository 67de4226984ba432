// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/trace_file.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

#include "platform/machine/loader/file.h"
#include "platform/machine/loader/user_error.h"

namespace spica::trace {

TraceFile::TraceFile(const std::string& path, std::uint64_t limit, std::uint64_t reserve)
    : path_(path),
      limit_(limit),
      full_at_(limit - std::min(reserve, limit / 2)),
      file_(fdopen(loader::open_output(path, O_TRUNC), "wb"), &std::fclose) {
  if (file_ == nullptr)
    throw loader::UserError(fmt::format("cannot write trace {}: {}", path, std::strerror(errno)));
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

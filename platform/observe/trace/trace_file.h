// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

namespace spica::trace {

/// A buffered text file, written during the run. It counts as full some bytes before its limit, which leaves room for
/// its end; the caller must stop writing then. If the disk is full, the file reports an error and drops further output;
/// the run continues.
class TraceFile {
 public:
  /// `reserve`: bytes for the end. Throws UserError if the file cannot be written.
  TraceFile(const std::string& path, std::uint64_t limit, std::uint64_t reserve);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... arguments) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(arguments)...);
    if (buffer_.size() >= kBuffer) flush();
  }
  std::uint64_t size() const { return written_ + buffer_.size(); }
  /// The system's error if the file could not be written completely; 0: none so far.
  int error() const { return error_; }
  bool full() const { return size() >= full_at_ || error_ != 0; }
  std::uint64_t limit() const { return limit_; }
  const std::string& path() const { return path_; }
  /// Writes the rest; error() has the result.
  void close();

 private:
  static constexpr std::size_t kBuffer = 1 << 18;
  void flush();

  const std::string path_;
  const std::uint64_t limit_, full_at_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  fmt::memory_buffer buffer_;
  std::uint64_t written_ = 0;  // bytes before the buffer
  int error_ = 0;
};

}  // namespace spica::trace

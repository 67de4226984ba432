// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "platform/opencl/driver/allocator.h"

namespace spica::opencl {

/// The addresses of the programs of one machine. A range that was released is free after reuse_released(), or when it is
/// needed; the machine removes its program before it adds the next one. A machine that is observed keeps programs that have run, whose lines
/// its findings, traces and energies name. Thread-safe.
class ProgramArea {
 public:
  /// Programs begin at multiples of it. Most are smaller: 15 to 40 KB.
  static constexpr std::uint64_t kSlot = 0x10000;

  ProgramArea(std::uint64_t base, std::uint64_t bytes, bool keeps_programs)
      : keeps_programs_(keeps_programs), ranges_(base, bytes / kSlot * kSlot) {}

  std::optional<std::uint32_t> reserve(std::uint64_t bytes);
  /// `serial`: number of the executable. `has_run`: the machine has the program.
  void release(std::uint32_t base, std::uint64_t serial, bool has_run);
  void reuse_released();
  bool keeps_programs() const { return keeps_programs_; }
  /// The executables that have run, and were released since the last call.
  std::vector<std::uint64_t> take_released();

 private:
  const bool keeps_programs_;
  void free_ranges();

  std::mutex mutex_;
  Allocator ranges_;
  std::vector<std::uint32_t> left_;  // ranges that were released
  std::vector<std::uint64_t> released_;
};

}  // namespace spica::opencl

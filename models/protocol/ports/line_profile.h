// SPDX-License-Identifier: Apache-2.0
// Per-instruction counts of a core.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>

#include "models/base/types.h"
#include "models/protocol/payload/issue_reason.h"

namespace spica::protocol {

/// What a core counts per program counter when enabled. The names are those of the core's statistics that count the
/// same. Words and lanes of memory accesses are counted at issue.
enum class LineCount : std::uint8_t {
  kFetches,
  kDecodes,
  kIssues,
  kWarpInstructions,
  kThreadInstructions,
  kRegisterReads,
  kRegisterWrites,
  kTensorMicroOps,
  kAluLanes,
  kMultiplyLanes,
  kDivideLanes,
  kFmaLanes,
  kFpuOtherLanes,
  kFpuDivideLanes,
  kMemoryLanes,
  kControlLanes,
  kSharedWordsRead,
  kSharedWordsWritten,
  kGlobalLanes,
  kPeripheralLanes,
  kCount,
};
inline constexpr std::size_t kLineCounts = static_cast<std::size_t>(LineCount::kCount);
inline constexpr std::array<std::string_view, kLineCounts> kLineCountNames{"fetches",
                                                                           "decodes",
                                                                           "issues",
                                                                           "warp_instructions",
                                                                           "thread_instructions",
                                                                           "register_reads",
                                                                           "register_writes",
                                                                           "tensor_micro_ops",
                                                                           "alu_lanes",
                                                                           "multiply_lanes",
                                                                           "divide_lanes",
                                                                           "fma_lanes",
                                                                           "fpu_other_lanes",
                                                                           "fpu_divide_lanes",
                                                                           "memory_lanes",
                                                                           "control_lanes",
                                                                           "shared_words_read",
                                                                           "shared_words_written",
                                                                           "global_lanes",
                                                                           "peripheral_lanes"};

/// The counts of one instruction.
struct LineRow {
  std::array<std::uint64_t, kLineCounts> counts{};
  /// cycles of the issue slot by reason
  std::array<std::uint64_t, static_cast<std::size_t>(IssueReason::kCount)> cycles{};

  std::uint64_t& operator[](LineCount count) { return counts[static_cast<std::size_t>(count)]; }
  std::uint64_t operator[](LineCount count) const { return counts[static_cast<std::size_t>(count)]; }
};

/// Rows by program counter, a multiple of 4. kNoPc: cycles without an instruction.
using LineRows = std::map<std::uint32_t, LineRow>;
inline constexpr std::uint32_t kNoPc = ~std::uint32_t{0};

/// Counts of a core by program counter.
class LineProfile {
 public:
  /// Counts before cycle `now`: one row per instruction with a count.
  virtual LineRows rows(base::Cycle now) const = 0;

 protected:
  ~LineProfile() = default;
};

/// A block that can count by instruction.
class LineProfiled {
 public:
  /// Starts counting.
  virtual void start_profile() = 0;
  /// nullptr before start_profile().
  virtual const LineProfile* profile() const = 0;

 protected:
  ~LineProfiled() = default;
};

}  // namespace spica::protocol

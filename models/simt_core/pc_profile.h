// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "models/base/types.h"
#include "models/isa/instruction.h"
#include "models/simt_core/stall_reason.h"

namespace spica::simt_core {

/// What a core counts per program counter when it is asked to. The names are those of the statistics that
/// count the same for the whole core; the words and lanes of memory accesses are counted at issue.
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
inline constexpr std::array<std::string_view, kLineCounts> kLineCountNames{
    "fetches",          "decodes",       "issues",           "warp_instructions", "thread_instructions",
    "register_reads",   "register_writes", "tensor_micro_ops", "alu_lanes",       "multiply_lanes",
    "divide_lanes",     "fma_lanes",     "fpu_other_lanes",  "fpu_divide_lanes",  "memory_lanes",
    "control_lanes",    "shared_words_read", "shared_words_written", "global_lanes", "peripheral_lanes"};

/// Events and issue cycles of one core by program counter. Covers one range of addresses; what happens at
/// any other goes to the last row.
class PcProfile {
 public:
  struct Row {
    std::array<std::uint64_t, kLineCounts> counts{};
    std::array<std::uint64_t, static_cast<std::size_t>(IssueReason::kCount)> cycles{};

    std::uint64_t& operator[](LineCount count) { return counts[static_cast<std::size_t>(count)]; }
    std::uint64_t operator[](LineCount count) const { return counts[static_cast<std::size_t>(count)]; }
  };

  /// `bytes` of instructions from `base` on; `now` starts the accounts of cycles.
  PcProfile(std::uint32_t base, std::uint32_t bytes, base::Cycle now)
      : base_(base), rows_(bytes / 4 + 1), current_row_(rows_.size() - 1), since_(now) {}

  std::uint32_t first_pc() const { return base_; }
  /// One per instruction, and the row of all others.
  const std::vector<Row>& rows() const { return rows_; }
  Row& at(std::uint32_t pc) { return rows_[index(pc)]; }

  /// An instruction, or a micro-op of one, issued.
  void issued(std::uint32_t pc) {
    last_issued_ = pc;
    ++at(pc)[LineCount::kIssues];
  }
  std::uint32_t last_issued() const { return last_issued_; }

  /// From cycle `now` on, the issue slot's time belongs to `pc` for `reason`; kNoPc: to no instruction.
  void charge(std::uint32_t pc, IssueReason reason, base::Cycle now) {
    rows_[current_row_].cycles[static_cast<std::size_t>(current_reason_)] += now - since_;
    current_row_ = index(pc);
    current_reason_ = reason;
    since_ = now;
  }
  /// The rows as they are before cycle `now`.
  std::vector<Row> settled(base::Cycle now) const {
    std::vector<Row> rows = rows_;
    rows[current_row_].cycles[static_cast<std::size_t>(current_reason_)] += now - since_;
    return rows;
  }
  static constexpr std::uint32_t kNoPc = ~std::uint32_t{0};

 private:
  std::size_t index(std::uint32_t pc) const {
    const std::size_t row = (pc - base_) / 4;
    return row < rows_.size() ? row : rows_.size() - 1;
  }

  std::uint32_t base_;
  std::vector<Row> rows_;
  std::size_t current_row_;
  IssueReason current_reason_ = IssueReason::kNoWarp;
  base::Cycle since_;
  std::uint32_t last_issued_ = kNoPc;
};

}  // namespace spica::simt_core

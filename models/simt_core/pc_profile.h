// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>

#include "models/base/types.h"
#include "models/isa/instruction.h"
#include "models/simt_core/stall_reason.h"

namespace spica::simt_core {

/// What a core counts per program counter when enabled. The names are those of the statistics that
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

/// Events and issue cycles of one core by program counter. Takes memory for pages of code in which something
/// happened, wherever they lie.
///
/// What follows from the instruction itself (registers, kind of operation) is worked out when the profile is
/// read, so a program counter must keep its instruction.
class PcProfile {
 public:
  static constexpr std::uint32_t kNoPc = ~std::uint32_t{0};
  using Cycles = std::array<std::uint64_t, static_cast<std::size_t>(IssueReason::kCount)>;
  struct Row {
    std::array<std::uint64_t, kLineCounts> counts{};
    Cycles cycles{};

    std::uint64_t& operator[](LineCount count) { return counts[static_cast<std::size_t>(count)]; }
    std::uint64_t operator[](LineCount count) const { return counts[static_cast<std::size_t>(count)]; }
  };

  /// What happened at a program counter. Multiples of 4; kNoPc stands for no instruction.
  using Rows = std::map<std::uint32_t, Row>;

  /// `now` starts the accounts of cycles.
  explicit PcProfile(base::Cycle now) : current_(&nowhere_), since_(now) {}
  PcProfile(const PcProfile&) = delete;
  PcProfile& operator=(const PcProfile&) = delete;

  void fetched(std::uint32_t pc) { ++at(pc).fetches; }
  void decoded(std::uint32_t pc) { ++at(pc).decodes; }
  /// An instruction issued for this many lanes.
  void issued(std::uint32_t pc, const isa::Instruction& instruction, unsigned lanes) {
    Place& place = at(pc);
    place.instruction = &instruction;
    ++place.instructions;
    place.lanes += lanes;
    last_issued_ = pc;
  }
  /// A micro-op of a tensor instruction issued; the last one ends the instruction.
  void issued_micro_op(std::uint32_t pc, const isa::Instruction& instruction, bool last, unsigned lanes) {
    Place& place = at(pc);
    place.instruction = &instruction;
    ++place.micro_ops;
    place.instructions += last;
    place.lanes += last ? lanes : 0;
    last_issued_ = pc;
  }
  /// A memory instruction issued for this many lanes of one kind.
  void accessed(std::uint32_t pc, LineCount kind, unsigned lanes) {
    at(pc).accesses[static_cast<std::size_t>(kind) - kFirstAccess] += lanes;
  }
  std::uint32_t last_issued() const { return last_issued_; }

  /// From cycle `now` on, the issue slot's time belongs to `pc` for `reason`; kNoPc: to no instruction.
  void charge(std::uint32_t pc, IssueReason reason, base::Cycle now) {
    current_->cycles[static_cast<std::size_t>(current_reason_)] += now - since_;
    current_ = &at(pc);
    current_reason_ = reason;
    since_ = now;
  }
  /// What was counted before cycle `now`: a row for each instruction at which something happened.
  Rows rows(base::Cycle now) const;

 private:
  static constexpr std::size_t kFirstAccess = static_cast<std::size_t>(LineCount::kSharedWordsRead);
  struct Place {
    const isa::Instruction* instruction = nullptr;  // the last one here
    std::uint64_t fetches = 0, decodes = 0, instructions = 0, lanes = 0, micro_ops = 0;
    std::array<std::uint64_t, kLineCounts - kFirstAccess> accesses{};
    Cycles cycles{};
  };

  static constexpr std::uint32_t kPageInstructions = 256, kPageBytes = 4 * kPageInstructions;
  using Page = std::array<Place, kPageInstructions>;

  Place& at(std::uint32_t pc) {
    if (pc == kNoPc) return nowhere_;
    if (pc / kPageBytes != last_page_) find(pc / kPageBytes);
    return (*last_)[pc % kPageBytes / 4];
  }
  void find(std::uint32_t page);
  Row row_of(const Place& place, base::Cycle now) const;

  std::map<std::uint32_t, std::unique_ptr<Page>> pages_;  // by pc / kPageBytes
  std::uint32_t last_page_ = ~std::uint32_t{0};           // no pc is in it
  Page* last_ = nullptr;
  Place nowhere_;  // what no instruction did
  Place* current_;
  IssueReason current_reason_ = IssueReason::kNoWarp;
  base::Cycle since_;
  std::uint32_t last_issued_ = kNoPc;
};

}  // namespace spica::simt_core

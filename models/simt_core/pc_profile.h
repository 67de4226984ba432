// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>

#include "models/base/objects.h"
#include "models/base/types.h"
#include "models/isa/instruction.h"
#include "models/protocol/ports/line_profile.h"
#include "models/simt_core/stall_reason.h"

namespace spica::simt_core {

using protocol::kLineCounts;
using protocol::LineCount;

/// Events and issue cycles of one core by program counter. Allocates memory only for pages of code with events.
///
/// Counts that follow from the instruction itself (registers, kind of operation) are computed when the profile is read,
/// so the instruction at a program counter must not change.
class PcProfile final : public protocol::LineProfile {
 public:
  static constexpr std::uint32_t kNoPc = protocol::kNoPc;
  using Row = protocol::LineRow;
  using Rows = protocol::LineRows;

  /// Cycles are charged from `now` on.
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
  }
  /// A micro-op of a tensor instruction issued; the last one ends the instruction.
  void issued_micro_op(std::uint32_t pc, const isa::Instruction& instruction, bool last, unsigned lanes) {
    Place& place = at(pc);
    place.instruction = &instruction;
    ++place.micro_ops;
    place.instructions += last;
    place.lanes += last ? lanes : 0;
  }
  /// A memory instruction issued for this many lanes of one kind.
  void accessed(std::uint32_t pc, LineCount kind, unsigned lanes) {
    at(pc).accesses[static_cast<std::size_t>(kind) - kFirstAccess] += lanes;
  }

  /// From cycle `now` on, issue-slot cycles are charged to `pc` with `reason`; kNoPc: to no instruction.
  void charge(std::uint32_t pc, IssueReason reason, base::Cycle now) {
    current_->cycles[static_cast<std::size_t>(current_reason_)] += now - since_;
    current_ = &at(pc);
    current_reason_ = reason;
    since_ = now;
  }
  Rows rows(base::Cycle now) const override;

  /// Not saved: last_, last_page_, a lookup cache.
  template <class Archive>
  void serialize(Archive& archive) {
    std::vector<std::uint32_t> numbers;
    for (const auto& [number, page] : pages_) numbers.push_back(number);
    bool somewhere = current_ != &nowhere_;
    std::uint32_t pc = somewhere ? pc_of(*current_) : 0;
    archive(numbers, nowhere_, somewhere, pc, current_reason_, since_);
    for (const std::uint32_t number : numbers) {
      find(number);
      archive(*last_);
    }
    current_ = somewhere ? &at(pc) : &nowhere_;
  }

 private:
  static constexpr std::size_t kFirstAccess = static_cast<std::size_t>(LineCount::kSharedWordsRead);
  struct Place {
    const isa::Instruction* instruction = nullptr;  // the last instruction at this pc
    std::uint64_t fetches = 0, decodes = 0, instructions = 0, lanes = 0, micro_ops = 0;
    std::array<std::uint64_t, kLineCounts - kFirstAccess> accesses{};
    decltype(Row::cycles) cycles{};

    template <class Archive>
    void serialize(Archive& archive) {
      base::point<const isa::Instruction>(archive, instruction);
      archive(fetches, decodes, instructions, lanes, micro_ops, accesses, cycles);
    }
  };

  static constexpr std::uint32_t kPageInstructions = 256, kPageBytes = 4 * kPageInstructions;
  using Page = std::array<Place, kPageInstructions>;

  Place& at(std::uint32_t pc) {
    if (pc == kNoPc) return nowhere_;
    if (pc / kPageBytes != last_page_) find(pc / kPageBytes);
    return (*last_)[pc % kPageBytes / 4];
  }
  void find(std::uint32_t page);
  std::uint32_t pc_of(const Place& place) const;
  Row row_of(const Place& place, base::Cycle now) const;

  std::map<std::uint32_t, std::unique_ptr<Page>> pages_;  // by pc / kPageBytes
  std::uint32_t last_page_ = ~std::uint32_t{0};  // no valid page number
  Page* last_ = nullptr;
  Place nowhere_;  // counts without an instruction
  Place* current_;
  IssueReason current_reason_ = IssueReason::kNoWarp;
  base::Cycle since_;
};

}  // namespace spica::simt_core

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/base/bounded_queue.h"
#include "models/base/count_bits.h"
#include "models/base/types.h"
#include "models/isa/instruction.h"
#include "models/simt_core/stall_reason.h"
#include "models/simt_core/tensor_sequencer.h"

namespace spica::simt_core {

/// A decoded instruction that waits in a warp's instruction buffer.
struct Fetched {
  const isa::Instruction* instruction = nullptr;
  std::uint32_t pc = 0;
};

/// Pipeline state of one warp. What fetch, issue and commit touch comes first, in two cache lines: with many warps
/// that decides about speed.
struct alignas(64) Warp {
  explicit Warp(unsigned buffer_depth) : buffer(buffer_depth) {}

  std::uint64_t pending_rows = 0;  // scoreboard: registers with a write under way
  std::uint64_t awaited = 0;  // while it is blocked: rows whose write-back lets it try again (kAnyCommit)
  std::uint64_t write_backs = 0;  // cycles whose write-back port is taken, bit = cycle mod 64
  base::Cycle last_commit = 0;  // instructions of the core's own units write back in order
  base::BoundedQueue<Fetched> buffer;
  std::uint32_t pc = 0;  // of the next instruction to fetch
  std::uint16_t in_flight = 0;  // issued but not committed instructions
  std::uint8_t alu = 0, fpu = 0;  // execution units of this warp

  std::uint32_t issue_pc = 0;  // of the last instruction issued, for reports
  TensorSequencer sequencer;  // of the tensor instruction at the head of the buffer
  std::uint8_t tensor_products = 0;  // hgmma whose results are not all written
  std::array<IssueReason, isa::kRegisterRows> producer{};  // who writes the pending rows

  /// Of `awaited`: any commit will do. Row 0 is x0, which nobody writes.
  static constexpr std::uint64_t kAnyCommit = 1;

  /// Takes the write-back port in cycle `cycle`, at most 63 cycles ahead; false when it is taken.
  bool take_write_back(base::Cycle cycle) {
    const std::uint64_t bit = std::uint64_t{1} << (cycle % 64);
    if ((write_backs & bit) != 0) return false;
    write_backs |= bit;
    return true;
  }
  void leave_write_back(base::Cycle cycle) { write_backs &= ~(std::uint64_t{1} << (cycle % 64)); }

  void reset() {
    pc = issue_pc = 0;
    buffer.clear();
    pending_rows = awaited = 0;
    in_flight = 0;
    last_commit = 0;
    write_backs = 0;
    tensor_products = 0;
    sequencer.reset();
  }
};

}  // namespace spica::simt_core

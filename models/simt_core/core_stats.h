// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "models/base/stats.h"
#include "models/isa/instruction.h"
#include "models/simt_core/stall_reason.h"

namespace spica::simt_core {

/// Counters of one SIMT core. A register access is one row (all lanes of a warp) read or written.
struct CoreStats final : base::StatGroup {
  base::Counter warp_instructions{*this, "warp_instructions", base::Unit::kInstructions,
                                  "instructions issued, one per warp"};
  base::Counter thread_instructions{*this, "thread_instructions", base::Unit::kInstructions,
                                    "instructions issued, one per active lane"};
  base::Counter alu{*this, "alu", base::Unit::kInstructions, "integer and branch instructions"};
  base::Counter fpu{*this, "fpu", base::Unit::kInstructions, "floating-point instructions"};
  base::Counter load_store{*this, "load_store", base::Unit::kInstructions,
                           "loads, stores, atomics, fences and asynchronous copies"};
  base::Counter stores{*this, "stores", base::Unit::kInstructions, "stores and atomics"};
  base::Counter lane_loads{*this, "lane_loads", base::Unit::kCount, "words loaded by lanes"};
  base::Counter lane_stores{*this, "lane_stores", base::Unit::kCount, "words stored by lanes"};
  base::Counter partial_answers{
      *this, "partial_answers", base::Unit::kCount,
      "answers with some lanes of a load or atomic, before those with the last ones"};
  base::Counter async_copies{*this, "async_copies", base::Unit::kInstructions,
                             "asynchronous copies from global to shared memory"};
  base::Counter async_words{*this, "async_words", base::Unit::kWords, "words copied by them"};
  base::Counter csr{*this, "csr", base::Unit::kInstructions, "CSR instructions"};
  base::Counter sfu{*this, "sfu", base::Unit::kInstructions, "CSR and warp-control instructions"};
  base::Counter tensor{*this, "tensor", base::Unit::kInstructions,
                       "tensor-core instructions (one per wmma, not per micro-op)"};
  base::Counter fetches{*this, "fetches", base::Unit::kCount, "instruction fetches sent"};
  base::Counter register_reads{*this, "register_reads", base::Unit::kCount, "register rows read"};
  base::Counter register_writes{*this, "register_writes", base::Unit::kCount, "register rows written"};
  base::Counter barriers{*this, "barriers", base::Unit::kCount, "barrier instructions"};
  base::Counter decodes{*this, "decodes", base::Unit::kInstructions, "instructions decoded"};
  base::Counter issues{*this, "issues", base::Unit::kCount,
                       "instructions issued, of tensor instructions each micro-op"};
  base::Counter dispatches{*this, "dispatches", base::Unit::kCount,
                           "instructions and micro-ops taken by an execution unit"};
  base::Counter commits{*this, "commits", base::Unit::kCount, "instructions and micro-ops committed"};
  base::Counter accumulator_rows{*this, "accumulator_rows", base::Unit::kCount,
                                 "register rows of a decoupled tensor core through write-back"};
  base::Counter tensor_micro_ops{*this, "tensor_micro_ops", base::Unit::kCount,
                                 "micro-ops of tensor instructions issued"};
  // Active lanes of issued instructions, by kind of operation, without tensor instructions.
  base::Counter alu_lanes{*this, "alu_lanes", base::Unit::kCount,
                          "lanes that did integer, compare and branch operations"};
  base::Counter multiply_lanes{*this, "multiply_lanes", base::Unit::kCount,
                               "lanes that did integer multiplications"};
  base::Counter divide_lanes{*this, "divide_lanes", base::Unit::kCount, "lanes that did integer divisions"};
  base::Counter fma_lanes{*this, "fma_lanes", base::Unit::kCount,
                          "lanes that did floating-point add, multiply and fused operations"};
  base::Counter fpu_other_lanes{*this, "fpu_other_lanes", base::Unit::kCount,
                                "lanes that did floating-point compare, convert, sign, move"};
  base::Counter fpu_divide_lanes{*this, "fpu_divide_lanes", base::Unit::kCount,
                                 "lanes that did floating-point division and square root"};
  base::Counter memory_lanes{*this, "memory_lanes", base::Unit::kCount,
                             "lanes that did loads, stores and atomics"};
  base::Counter control_lanes{*this, "control_lanes", base::Unit::kCount,
                              "lanes that did CSR, warp-control and fence operations"};
  base::Counter traps{*this, "traps", base::Unit::kCount, "entries into a program's trap handler"};
  base::CycleAccount& issue = account("issue", "cycles of the issue stage by reason", issue_reason_names());

  /// Counts an instruction that issues as a whole, in all counters that apply.
  void count_issue(isa::Unit unit, unsigned lanes, unsigned rows_read, bool writes) {
    Issued& issued = issued_[static_cast<std::size_t>(unit)];
    ++issued.instructions;
    issued.lanes += lanes;
    issued.rows_read += rows_read;
    issued.rows_written += writes;
  }
  /// Counts a micro-op of a wmma; only the last one counts as an instruction, with its lanes.
  void count_micro_op(bool last, unsigned lanes) {
    ++micro_ops_;
    if (!last) return;
    ++warp_instructions;
    thread_instructions += lanes;
    ++tensor;
  }
  /// Counts an instruction that a unit accepts in cycle `cycle`, at most 8 cycles ahead.
  void count_dispatch(base::Cycle cycle) {
    Dispatches& ahead = dispatches_[cycle % dispatches_.size()];
    if (ahead.cycle != cycle) {
      dispatches += ahead.count;
      ahead = {cycle, 0};
    }
    ++ahead.count;
  }
  /// Updates the counters with everything before cycle `now`.
  void catch_up(base::Cycle now);

  template <class Archive>
  void serialize(Archive& archive) {
    base::StatGroup::serialize(archive);
    archive(dispatches_, micro_ops_, issued_);
  }

 private:
  struct Dispatches {
    base::Cycle cycle = 0;
    std::uint64_t count = 0;
  };
  std::array<Dispatches, 16> dispatches_{};  // by cycle
  std::uint64_t micro_ops_ = 0;
  struct alignas(32) Issued {
    std::uint64_t instructions = 0, lanes = 0, rows_read = 0, rows_written = 0;
  };
  std::array<Issued, static_cast<std::size_t>(isa::Unit::kCount)> issued_{};
};

}  // namespace spica::simt_core

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
  base::Counter& warp_instructions = counter("warp_instructions", base::Unit::kInstructions,
                                             "instructions issued, one per warp");
  base::Counter& thread_instructions = counter("thread_instructions", base::Unit::kInstructions,
                                               "instructions issued, one per active lane");
  base::Counter& alu = counter("alu", base::Unit::kInstructions, "integer and branch instructions");
  base::Counter& fpu = counter("fpu", base::Unit::kInstructions, "floating-point instructions");
  base::Counter& load_store = counter("load_store", base::Unit::kInstructions,
                                      "loads, stores, atomics and fences");
  base::Counter& stores = counter("stores", base::Unit::kInstructions, "stores and atomics");
  base::Counter& lane_loads = counter("lane_loads", base::Unit::kCount, "words loaded by lanes");
  base::Counter& lane_stores = counter("lane_stores", base::Unit::kCount, "words stored by lanes");
  base::Counter& csr = counter("csr", base::Unit::kInstructions, "CSR instructions");
  base::Counter& sfu = counter("sfu", base::Unit::kInstructions, "CSR and warp-control instructions");
  base::Counter& tensor = counter("tensor", base::Unit::kInstructions, "tensor-core instructions (one per wmma, not per micro-op)");
  base::Counter& fetches = counter("fetches", base::Unit::kCount, "instruction fetches sent");
  base::Counter& register_reads = counter("register_reads", base::Unit::kCount,
                                          "register rows read");
  base::Counter& register_writes = counter("register_writes", base::Unit::kCount,
                                           "register rows written");
  base::Counter& barriers = counter("barriers", base::Unit::kCount, "barrier instructions");
  base::Counter& decodes = counter("decodes", base::Unit::kInstructions, "instructions decoded");
  base::Counter& issues = counter("issues", base::Unit::kCount,
                                  "instructions issued, of tensor instructions each micro-op");
  base::Counter& dispatches = counter("dispatches", base::Unit::kCount,
                                      "instructions and micro-ops taken by an execution unit");
  base::Counter& commits = counter("commits", base::Unit::kCount,
                                   "instructions and micro-ops committed");
  base::Counter& tensor_micro_ops = counter("tensor_micro_ops", base::Unit::kCount,
                                            "micro-ops of tensor instructions issued");
  // Active lanes of the instructions issued, by what they do; those of tensor instructions are not counted.
  base::Counter& alu_lanes = lanes("alu_lanes", "integer, compare and branch operations");
  base::Counter& multiply_lanes = lanes("multiply_lanes", "integer multiplications");
  base::Counter& divide_lanes = lanes("divide_lanes", "integer divisions");
  base::Counter& fma_lanes = lanes("fma_lanes", "floating-point add, multiply and fused operations");
  base::Counter& fpu_other_lanes = lanes("fpu_other_lanes", "floating-point compare, convert, sign, move");
  base::Counter& fpu_divide_lanes = lanes("fpu_divide_lanes", "floating-point division and square root");
  base::Counter& memory_lanes = lanes("memory_lanes", "loads, stores and atomics");
  base::Counter& control_lanes = lanes("control_lanes", "CSR, warp-control and fence operations");
  /// By isa::Unit: the counters of its instructions and of their lanes.
  struct OfUnit {
    base::Counter* instructions;
    base::Counter* lanes;
  };
  std::array<OfUnit, static_cast<std::size_t>(isa::Unit::kCount)> of_unit{{
      {&alu, &alu_lanes},            // kAlu
      {&alu, &multiply_lanes},       // kMul
      {&alu, &divide_lanes},         // kDiv
      {&alu, &alu_lanes},            // kBranch
      {&load_store, &memory_lanes},  // kLoad
      {&load_store, &memory_lanes},  // kStore
      {&load_store, &memory_lanes},  // kAtomic
      {&load_store, &control_lanes}, // kFence
      {&fpu, &fma_lanes},            // kFpuFma
      {&fpu, &fpu_other_lanes},      // kFpuMisc
      {&fpu, &fpu_other_lanes},      // kFpuConvert
      {&fpu, &fpu_divide_lanes},     // kFpuDivide
      {&fpu, &fpu_divide_lanes},     // kFpuSqrt
      {&sfu, &control_lanes},        // kCsr
      {&sfu, &control_lanes},        // kWarpControl
      {&tensor, &control_lanes},     // kTensor: has no lanes of its own, see issue_tensor.cpp
      {&sfu, &control_lanes},        // kSystem
  }};

  base::Counter& traps = counter("traps", base::Unit::kCount, "entries into a program's trap handler");
  base::CycleAccount& issue = account("issue", "what the issue stage did, one reason per cycle",
                                      issue_reason_names());

 private:
  base::Counter& lanes(std::string_view name, std::string_view what) {
    return counter(name, base::Unit::kCount, "lanes that did " + std::string(what));
  }
};

}  // namespace spica::simt_core

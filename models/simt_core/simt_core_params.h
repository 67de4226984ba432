// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/params.h"
#include "models/isa/instruction.h"
#include "models/isa/mma_form.h"
#include "models/simt_core/core_choices.h"
#include "models/simt_core/load_store_params.h"

namespace spica::simt_core {

/// Everything an architect may vary in one SIMT core. Latencies of units count from the cycle in which
/// the unit takes an instruction to the cycle in which a dependent one can issue.
struct Params {
  std::uint64_t warps = 8;
  std::uint64_t lanes = 8;
  std::uint64_t barriers = 8;
  std::uint64_t simt_stack_depth = 7;
  Divergence divergence = Divergence::kFault;
  Reconvergence reconvergence = Reconvergence::kSimtStack;
  bool machine_mode = true;
  Misaligned misaligned = Misaligned::kUserMode;
  std::uint64_t mpm_class = 0;

  std::uint64_t register_rows = 0;
  std::uint64_t tensor_registers = 0;
  bool async_copy = false;

  std::uint64_t instruction_buffer = 32;
  Issue issue = Issue::kPerWarp;
  Scheduler scheduler = Scheduler::kRoundRobin;
  Turns turns = Turns::kRoundRobin;
  bool shared_operand_paths = false;
  std::uint64_t fetch_instructions = 1;
  std::uint64_t decode_latency = 3;
  std::uint64_t operand_latency = 4;
  std::uint64_t operand_depth = 4;
  std::uint64_t dispatch_interval = 2;

  std::uint64_t alu_blocks = 2;
  std::uint64_t fpu_blocks = 1;
  std::uint64_t alu_lanes = 32;
  std::uint64_t fpu_lanes = 32;
  std::uint64_t sfu_lanes = 4;
  std::uint64_t sfu_interval = 2;
  CsrReads csr_reads = CsrReads::kInOrder;
  std::uint64_t commit_latency = 3;
  std::uint64_t gather_entries = 0;
  bool own_tensor_operands = false;
  std::uint64_t alu_latency = 2;
  std::uint64_t branch_latency = 2;
  std::uint64_t mul_latency = 6;
  std::uint64_t div_latency = 6;
  std::uint64_t div_interval = 1;
  std::uint64_t fma_latency = 5;
  std::uint64_t fpu_misc_latency = 3;
  std::uint64_t fpu_convert_latency = 6;
  std::uint64_t fpu_divide_latency = 27;
  std::uint64_t fpu_divide_interval = 9;
  std::uint64_t sfu_latency = 2;
  std::uint64_t csr_latency = 2;
  std::uint64_t barrier_request_latency = 1;
  bool barrier_waits_for_memory = true;

  std::vector<UnitParams> units;
  LoadStoreParams load_store;

  /// The number of units of this kind: from `units`, or from the short forms.
  std::uint64_t units_of(UnitKind kind) const {
    for (const UnitParams& entry : units)
      if (entry.kind == kind) return entry.count;
    return kind == UnitKind::kAlu ? alu_blocks : kind == UnitKind::kFpu ? fpu_blocks : 1;
  }

  /// The number of groups into which a unit with `unit_lanes` lanes splits a warp; it takes one group after the other.
  std::uint64_t packets(std::uint64_t unit_lanes) const { return (lanes + unit_lanes - 1) / unit_lanes; }

  // Set by the cluster, not keys.
  isa::TensorStyle tensor_style = isa::TensorStyle::kUnknown;
  bool lane_stream = false;  // a second block also uses the floating-point lanes (protocol::LaneStreamIf)

  /// Parameters of the programming model (see describe.h).
  static constexpr std::string_view kProgrammingModel[] = {"warps",
                                                           "lanes",
                                                           "barriers",
                                                           "simt_stack_depth",
                                                           "divergence",
                                                           "reconvergence",
                                                           "machine_mode",
                                                           "misaligned",
                                                           "mpm_class",
                                                           "sfu_lanes",
                                                           "barrier_waits_for_memory",
                                                           "register_rows",
                                                           "tensor_registers",
                                                           "async_copy"};
  /// Neither larger nor smaller values are better hardware (see describe.h).
  static constexpr std::string_view kPolicies[] = {"register_rows", "tensor_registers"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("warps", p.warps, "warps", Range{1, 32}, "warps resident in a core", "paper table 2");
    field("lanes", p.lanes, "lanes", Range{1, 32}, "lanes of a warp", "paper table 2");
    field("barriers", p.barriers, "ids", Range{1, 32}, "barrier ids", "vortex VX_config.vh (NUM_BARRIERS)");
    field("simt_stack_depth", p.simt_stack_depth, "entries", Range{1, 64}, "nested divergent splits per warp",
          "vortex core/VX_split_join.sv (7)");
    field("divergence", p.divergence, kDivergenceChoices,
          "action when active lanes disagree about a branch outside a split: fault: guest error; "
          "warn: follow the highest active lane with a warning; follow: without one",
          "vortex core/VX_dispatch.sv: hardware follows the highest active lane");
    field(
        "reconvergence", p.reconvergence, kReconvergenceChoices,
        "how lanes diverge and reconverge: simt_stack: by split and join, as in the published "
        "core; min_pc: research option, at any branch: lanes with the smallest pc run first, lanes at one pc together",
        "vortex core/VX_split_join.sv (simt_stack); collange 2011 (min_pc)");
    field(
        "machine_mode", p.machine_mode,
        "RISC-V machine mode: CSRs such as mtvec and mepc hold values, mret and wfi exist, and a "
        "program with a handler in mtvec takes its own traps; off: these CSRs read 0 and nothing "
        "traps",
        "vortex core/VX_csr_data.sv: the published core has none; a program that writes none of it runs the same either way");
    field("misaligned", p.misaligned, kMisalignedChoices,
          "handling of a load or store at an address that is not a multiple of its size; only "
          "programs with a trap handler enter user mode",
          "the published core has no support; the standard leaves it to the environment");
    field("mpm_class", p.mpm_class, "class", Range{0, 2},
          "class of the performance counters 0xB03-0xB1F: 0: none, 1: pipeline of the core, 2: "
          "memory",
          "vortex VX_core_wrapper.sv: a configuration register, 0 in published runs");
    field("register_rows", p.register_rows, "registers", Range{0, 4096},
          "32-bit registers per lane that the warps of the core share, used by the dispatcher of "
          "work groups; 0: each warp has its own");
    field("tensor_registers", p.tensor_registers, "registers", Range{0, 256},
          "32-bit registers per lane for fragments of wmma32: 256 or 0", "raihan section II.B");
    field("async_copy", p.async_copy,
          "asynchronous copies: instructions that copy from global to shared memory without "
          "registers, and wait for groups of copies",
          "ptx section 9.7.9.25 (cp.async)");
    field("instruction_buffer", p.instruction_buffer, "instructions", Range{1, 64},
          "decoded instructions that a warp can hold", "vortex VX_config.vh (4 x issue width)");
    field("issue", p.issue, kIssueChoices,
          "instructions issued per cycle: per_warp: one of each warp; one: one of the core",
          "vortex core/VX_issue.sv (per_warp); raihan section I.A (one)");
    field("scheduler", p.scheduler, kSchedulerChoices,
          "warp priority if issue is one: round_robin; gto: greedy, then oldest; oldest",
          "rogers section 2.1");
    field("turns", p.turns, kTurnsChoices,
          "whose turn it is to fetch and to enter a unit: round_robin: the warp after the last one chosen; "
          "rotating: the turn passes on in each cycle in which a warp asks",
          "vortex libs/VX_lzc.sv (VX_lzc_rr: rotating)");
    field("shared_operand_paths", p.shared_operand_paths,
          "steps of wmma32 use the operand paths of the integer and floating-point units, so "
          "neither unit can issue meanwhile",
          "raihan section IV.A");
    field("fetch_instructions", p.fetch_instructions, "instructions", Range{1, kMostFetched},
          "instructions fetched at once and decoded per cycle: consecutive ones of an aligned "
          "group, up to the first that changes control flow",
          "vortex core/VX_fetch.sv (1)");
    field(
        "decode_latency", p.decode_latency, "cycles", Range{1, 8},
        "from the instruction cache's response to the instruction buffer and the next fetch",
        "UNCERTAIN: makes the fetch round trip of one warp 7 cycles; an estimate from vortex core/VX_schedule.sv is 6 to 8");
    field(
        "operand_latency", p.operand_latency, "cycles", Range{1, 8},
        "from issue to the unit's execute register: staging, operand and dispatch buffers",
        "vortex core/VX_scoreboard.sv, core/VX_operands_dup.sv, core/VX_dispatch.sv (5 in v2); RTL simulation");
    field("operand_depth", p.operand_depth, "instructions", Range{1, 16},
          "instructions of a warp that wait in order before the dispatch buffers (one per unit): "
          "staging and operand buffers",
          "vortex core/VX_scoreboard.sv, core/VX_operands_dup.sv, core/VX_dispatch.sv; RTL simulation");
    field("dispatch_interval", p.dispatch_interval, "cycles", Range{1, 16},
          "minimum distance of two instructions of a warp at the same unit",
          "vortex libs/VX_toggle_buffer.sv, what core/VX_dispatch.sv elaborates to; RTL simulation");
    field("alu_blocks", p.alu_blocks, "units", Range{1, 8}, "integer units; warp w uses unit w mod blocks",
          "paper table 2; vortex VX_config.vh");
    field("fpu_blocks", p.fpu_blocks, "units", Range{1, 8}, "floating-point units",
          "paper table 2; vortex VX_config.vh");
    field("alu_lanes", p.alu_lanes, "lanes", Range{1, 32},
          "lanes of an integer unit; a wider warp occupies it for several cycles", "raihan section I.A");
    field("fpu_lanes", p.fpu_lanes, "lanes", Range{1, 32},
          "lanes of a floating-point unit; a wider warp occupies it for several cycles",
          "raihan section I.A");
    field("sfu_lanes", p.sfu_lanes, "lanes", Range{1, 32},
          "lanes of a packet of the special-function unit (CSR, warp control)", "vortex VX_config.vh");
    field("sfu_interval", p.sfu_interval, "cycles", Range{1, 16},
          "from one packet of the special-function unit to the next",
          "vortex core/VX_sfu_unit.sv; RTL simulation");
    field(
        "csr_reads", p.csr_reads, kCsrReadsChoices,
        "reads of the position of a lane, warp or work group: in_order: they wait for the earlier instructions of "
        "their warp and hold its fetch, and the unit examines one warp per cycle; pipelined: as arithmetic, and "
        "the unit takes any warp",
        "vortex core/VX_csr_unit.sv, core/VX_sfu_unit.sv (in_order); huerta section 4 (pipelined: only users of a "
        "result of variable latency wait for it)");
    field("commit_latency", p.commit_latency, "cycles", Range{0, 8},
          "from a unit's output to the issue of a dependent: gather and commit stages, scoreboard",
          "vortex libs/VX_gather_unit.sv, core/VX_commit.sv; RTL simulation");
    field("gather_entries", p.gather_entries, "results", Range{0, 8},
          "results of a warp that wait between a synchronous tensor core and the write-back port; 0: the "
          "tensor core waits",
          "vortex libs/VX_gather_unit.sv, as core/VX_tensor_core.sv has it");
    field(
        "own_tensor_operands", p.own_tensor_operands,
        "micro-ops of a wmma have an operand stage of their own; false: they share that of all instructions of "
        "their warp, which then wait behind them",
        "vortex core/VX_operands_dup.sv (false)");
    field("alu_latency", p.alu_latency, "cycles", Range{1, 63}, "integer ALU",
          "vortex VX_config.vh (1 + output register)");
    field("branch_latency", p.branch_latency, "cycles", Range{1, 63},
          "from a branch or jump in the ALU to the next fetch of its warp",
          "vortex core/VX_alu_unit.sv (resolves there, before write-back); RTL simulation");
    field("mul_latency", p.mul_latency, "cycles", Range{1, 63}, "integer multiply",
          "vortex VX_config.vh (4 + 1); RTL simulation");
    field("div_latency", p.div_latency, "cycles", Range{1, 200}, "integer divide and remainder",
          "vortex VX_config.vh (simulated RTL: 4 + 1; synthesis: 34); RTL simulation");
    field("div_interval", p.div_interval, "cycles", Range{1, 200},
          "cycles for which a divide occupies the integer unit",
          "vortex VX_config.vh (simulated RTL: pipelined)");
    field("fma_latency", p.fma_latency, "cycles", Range{1, 63},
          "floating-point add, subtract, multiply, fused multiply-add",
          "vortex VX_config.vh; RTL simulation");
    field("fpu_misc_latency", p.fpu_misc_latency, "cycles", Range{1, 63},
          "floating-point compare, min/max, sign injection, classify, move",
          "vortex VX_config.vh; RTL simulation");
    field("fpu_convert_latency", p.fpu_convert_latency, "cycles", Range{1, 63},
          "conversions between integer and floating point", "vortex VX_config.vh; RTL simulation");
    field("fpu_divide_latency", p.fpu_divide_latency, "cycles", Range{1, 200},
          "floating-point divide and square root", "RTL simulation of FPNEW as vortex configures it");
    field("fpu_divide_interval", p.fpu_divide_interval, "cycles", Range{1, 200},
          "from one divide or square root to the next instruction of the FPU",
          "RTL simulation of FPNEW as vortex configures it: several are in flight");
    field("sfu_latency", p.sfu_latency, "cycles", Range{1, 63},
          "result of a CSR access, and warp control, in addition to the time of the packets",
          "vortex core/VX_sfu_unit.sv UNCERTAIN");
    field("csr_latency", p.csr_latency, "cycles", Range{1, 63},
          "from a CSR access, in addition to the time of its packets, to the next fetch of the warp",
          "vortex core/VX_csr_unit.sv: 1, the access itself releases the warp");
    field("barrier_request_latency", p.barrier_request_latency, "cycles", Range{1, 16},
          "from the last arrival of a warp in the core to the request to the synchronizer",
          "vortex core/VX_schedule.sv");
    field("barrier_waits_for_memory", p.barrier_waits_for_memory,
          "a barrier, wspawn and the end of a warp wait until its memory accesses are complete: "
          "loads and atomics answered, stores acknowledged, fences passed; off: they do not wait, "
          "so fence and barrier do not order stores before loads of other warps",
          "vortex core/VX_scoreboard.sv: the published core does not wait; deviation D118");
    field.list("units", p.units,
               "execution units, one entry per kind; default: alu_blocks and fpu_blocks, and one unit "
               "of every other kind");
    field.group("load_store", p.load_store, "each load/store unit");
  }

  template <class Report>
  static void check(const Params& p, Report&& contradiction) {
    if (p.load_store.fence_waits == FenceWaits::kWarp && p.load_store.fence_store)
      contradiction({"load_store.fence_waits", "load_store.fence_store"},
                    "a fence that waits for its warp has no store: set load_store.fence_store=false");
    if ((p.fetch_instructions & (p.fetch_instructions - 1)) != 0)
      contradiction({"fetch_instructions"}, "an aligned group must have 1, 2, 4 or 8 instructions");
    if (p.fetch_instructions > p.instruction_buffer)
      contradiction({"fetch_instructions", "instruction_buffer"},
                    "the buffer must hold all instructions of a fetch");
    if (p.sfu_lanes > p.lanes)
      contradiction({"sfu_lanes", "lanes"}, "the special-function unit cannot have more lanes than a warp");
    if (p.async_copy && p.load_store.lanes == Lanes::kIndependent)
      contradiction({"async_copy", "load_store.lanes"},
                    "asynchronous copies move lanes together: use lockstep");
    if (p.tensor_registers != 0 && p.tensor_registers != isa::kFragmentSlots * isa::kFragmentRegisters)
      contradiction({"tensor_registers"}, "must be 256 (32 fragments of 8 registers), or 0 for none");
    for (std::size_t i = 0; i < p.units.size(); ++i) {
      const UnitParams& unit = p.units[i];
      const std::string place = "units." + std::to_string(i);
      for (std::size_t j = 0; j < i; ++j)
        if (p.units[j].kind == unit.kind)
          contradiction({place + ".kind"},
                        "this kind of unit is already in the list: give the total number in one entry");
      const std::uint64_t most = unit.kind == UnitKind::kLoadStore ? 2
                                 : unit.kind == UnitKind::kTensor  ? 1
                                                                   : 8;
      if (unit.count > most)
        contradiction({place + ".count"}, "a core has at most " + std::to_string(most) + " of these units");
    }
  }
};

}  // namespace spica::simt_core

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/base/params.h"

namespace spica::simt_core {

/// What happens when the active lanes of a warp disagree about a branch or jump outside a split.
enum class Divergence : std::uint8_t {
  kFault,  // the program is wrong: stop (stock compilers produce such branches silently)
  kWarn,   // report once per pc, then follow the highest active lane like the hardware
  kFollow, // follow the highest active lane silently
};
inline constexpr base::Choices kDivergenceChoices{base::Choice<Divergence>{"fault", Divergence::kFault},
                                                  base::Choice<Divergence>{"warn", Divergence::kWarn},
                                                  base::Choice<Divergence>{"follow", Divergence::kFollow}};

/// How lanes of a warp that diverge at a branch reconverge.
enum class Reconvergence : std::uint8_t {
  kSimtStack,  // by the instructions split and join
  kMinPc,  // in hardware, at any branch
};
inline constexpr base::Choices kReconvergenceChoices{
    base::Choice<Reconvergence>{"simt_stack", Reconvergence::kSimtStack},
    base::Choice<Reconvergence>{"min_pc", Reconvergence::kMinPc}};

/// Handling of a load or store whose address is not a multiple of its size.
enum class Misaligned : std::uint8_t {
  kTrap,      // a fault; the warp's handler takes it, if present
  kUserMode,  // the same in machine mode; in user mode it is done byte by byte
  kComplete,  // done byte by byte in both modes
};
inline constexpr base::Choices kMisalignedChoices{
    base::Choice<Misaligned>{"trap", Misaligned::kTrap},
    base::Choice<Misaligned>{"complete_in_user_mode", Misaligned::kUserMode},
    base::Choice<Misaligned>{"complete", Misaligned::kComplete}};

/// What a core issues in a cycle.
enum class Issue : std::uint8_t {
  kPerWarp,  // the next instruction of each warp
  kOne,      // one instruction of one warp
};
inline constexpr base::Choices kIssueChoices{base::Choice<Issue>{"per_warp", Issue::kPerWarp},
                                             base::Choice<Issue>{"one", Issue::kOne}};

/// Which warp has priority in a core that issues one instruction per cycle (IssueScheduler).
enum class Scheduler : std::uint8_t { kRoundRobin, kGto, kOldest };
inline constexpr base::Choices kSchedulerChoices{
    base::Choice<Scheduler>{"round_robin", Scheduler::kRoundRobin},
    base::Choice<Scheduler>{"gto", Scheduler::kGto}, base::Choice<Scheduler>{"oldest", Scheduler::kOldest}};

/// How a core reads CSRs that stay the same while a warp runs (isa::csr::of_position).
enum class CsrReads : std::uint8_t {
  kInOrder,    // behind the warp's earlier instructions, before its next fetch; warps have turns
  kPipelined,  // as arithmetic
};
inline constexpr base::Choices kCsrReadsChoices{base::Choice<CsrReads>{"in_order", CsrReads::kInOrder},
                                                base::Choice<CsrReads>{"pipelined", CsrReads::kPipelined}};

/// Whose turn it is to fetch, and to enter an execution unit (WarpTurn).
enum class Turns : std::uint8_t { kRoundRobin, kRotating };
inline constexpr base::Choices kTurnsChoices{base::Choice<Turns>{"round_robin", Turns::kRoundRobin},
                                             base::Choice<Turns>{"rotating", Turns::kRotating}};

/// Kinds of execution units of a core.
enum class UnitKind : std::uint8_t {
  kLoadStore,  // loads, stores, atomics, fences
  kSfu,        // control and status registers, warp control
  kAlu,        // integers, branches
  kFpu,        // floating point
  kTensor,     // the way to the tensor core
};
inline constexpr std::size_t kUnitKinds = 5;
inline constexpr base::Choices kUnitKindChoices{
    base::Choice<UnitKind>{"load_store", UnitKind::kLoadStore}, base::Choice<UnitKind>{"sfu", UnitKind::kSfu},
    base::Choice<UnitKind>{"alu", UnitKind::kAlu}, base::Choice<UnitKind>{"fpu", UnitKind::kFpu},
    base::Choice<UnitKind>{"tensor", UnitKind::kTensor}};

/// How many units of a kind a core has.
struct UnitParams {
  UnitKind kind = UnitKind::kAlu;
  std::uint64_t count = 1;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("kind", p.kind, kUnitKindChoices, "instructions that the units execute",
          "vortex core/VX_execute.sv");
    field("count", p.count, "units", base::Range{1, 8},
          "units of this kind; warp w uses unit w mod count. At most 2 load/store units, 1 tensor unit",
          "vortex VX_config.vh");
  }
};

inline constexpr std::uint64_t kMostFetched = 8;

}  // namespace spica::simt_core

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/base/types.h"
#include "models/isa/control_flow.h"
#include "models/isa/lane_kernels.h"
#include "models/isa/machine_mode.h"
#include "models/isa/registers.h"
#include "models/protocol/host_queues/work_group.h"
#include "models/protocol/payload/request_info.h"
#include "models/protocol/ports/accelerator_if.h"
#include "models/simt_core/performance_counters.h"
#include "models/simt_core/simt_core_params.h"

namespace spica::simt_core {

/// The identity of a core, read by the guest through CSRs.
struct CoreIdentity {
  unsigned core = 0;             // over all clusters
  unsigned core_in_cluster = 0;
  unsigned cores = 1;            // of the whole machine

  /// The origin of an action: these lanes of a warp, at that instruction.
  protocol::Origin origin(unsigned warp, std::uint32_t pc, std::uint32_t lanes) const {
    return {protocol::Origin::Unit::kCore, static_cast<std::uint8_t>(warp), static_cast<std::uint16_t>(core),
            pc, lanes};
  }
};

/// The hart number of lane 0 of a warp; its other lanes follow. `core`: number within the machine.
inline std::uint32_t first_hart(const Params& params, unsigned core, unsigned warp) {
  return static_cast<std::uint32_t>((core * params.warps + warp) * params.lanes);
}

/// Values that programs have added to the counters of a core by writing them; the counters themselves are unchanged.
struct CounterOffsets {
  std::uint64_t cycles = 0, lane_instructions = 0;
};

/// The control and status registers of one warp (vortex core/VX_csr_data.sv), in both modes. models/isa/csr.h defines
/// their numbers and access rights; the values are in the core and its warp.
struct CsrFile {
  const Params& params;
  const CoreIdentity& identity;
  const PerformanceCounters& performance;
  protocol::AcceleratorIf* accelerator;  // nullptr: none
  base::Cycle now;
  std::uint64_t lane_instructions;  // of the core, since reset
  CounterOffsets& offsets;  // of the core
  std::uint32_t active_warps;  // of the core
  unsigned warp;
  std::uint32_t mask;  // active lanes of the warp
  isa::FloatState& floating;
  isa::MachineMode& machine;
  const protocol::WorkGroup& group;  // of the warp

  /// False: the program has a trap handler and the access is illegal. Without a handler every access is allowed, as in
  /// the published core.
  bool allows(const isa::Instruction& instruction) const;
  /// Executes an access that allows() accepts.
  void execute(const isa::Instruction& instruction, isa::RegisterFile& registers,
               const protocol::Origin& origin);
  std::uint32_t read(std::uint32_t number, unsigned lane) const;
  void write(std::uint32_t number, std::uint32_t value, const protocol::Origin& origin);
  /// mcycle and minstret as programs read them.
  std::uint64_t mcycle() const { return now + offsets.cycles; }
  std::uint64_t minstret() const { return lane_instructions + offsets.lane_instructions; }
  /// Sets a register that holds state of the warp, for a debugger; false for all others.
  bool set(std::uint32_t number, std::uint32_t value);

 private:
  std::uint32_t read_group(std::uint32_t number, unsigned lane) const;
  void write_counter(std::uint32_t number, std::uint32_t value);
};

}  // namespace spica::simt_core

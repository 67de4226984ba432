// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/base/component.h"
#include "models/protocol/payload/address_map.h"
#include "models/simt_core/core_stats.h"
#include "models/simt_core/performance_counters.h"
#include "models/simt_core/pipeline/memory_hints.h"
#include "models/simt_core/pipeline/watchers.h"
#include "models/simt_core/simt_core_params.h"
#include "models/simt_core/warp/core_state.h"
#include "models/simt_core/warp/executor.h"

namespace spica::simt_core {

/// State shared by the stages of a core.
struct Context {
  Context(const Params& core_params, const CoreIdentity& core_identity,
          const protocol::AddressMap& address_map, base::Component& component,
          const isa::ControlFlowMaker& control_flow = {})
      : params(core_params),
        identity(core_identity),
        map(address_map),
        core(component),
        state(params, control_flow) {}

  base::Cycle now() const { return core.now(); }
  Executor::At at(unsigned w, std::uint32_t pc) const { return {w, pc, state[w].mask(), now()}; }
  /// The active lanes of a warp, at that instruction.
  protocol::Origin origin(unsigned w, std::uint32_t pc) const {
    return identity.origin(w, pc, state[w].mask());
  }
  bool counts_latency() const { return params.mpm_class == PerformanceCounters::kPipeline; }
  void reset() {
    state.reset();
    executor.reset();
    committed_threads = 0;
    third_port_taken = base::kNever;
    float_watch = 0;
  }
  /// Call after a debugger or an instruction may have changed mstatus of the warp.
  void record_state(unsigned w) {
    const std::uint32_t bit = 1u << w;
    float_watch = state[w].machine.watches_floats() ? float_watch | bit : float_watch & ~bit;
  }
  /// Not saved: state, which is architecture; watchers, which save themselves; gated, shares_third_port, hints,
  /// performance, which record the attached tools.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(third_port_taken, float_watch, committed_threads, stats, executor);
  }

  const Params params;
  const CoreIdentity identity;
  const protocol::AddressMap& map;
  base::Component& core;
  CoreState state;
  Watchers watchers;
  /// The cycle in which a tensor core last read accumulators through the third read port of the register
  /// file: nothing issues in it. Set by its unit.
  base::Cycle third_port_taken = base::kNever;
  /// A warp that would issue must try in that very cycle, because a debugger is asked or the register port may be
  /// taken.
  bool gated = false, shares_third_port = false;
  bool every_cycle_counts() const { return gated || shares_third_port; }
  MemoryHints hints{identity.core_in_cluster};
  std::uint32_t float_watch = 0;  // warps whose MachineMode::watches_floats()
  std::uint64_t committed_threads = 0;  // minstret; counted by the commit stage
  CoreStats stats;
  PerformanceCounters performance;
  Executor executor{params, identity, map, state, performance, committed_threads};
};

}  // namespace spica::simt_core

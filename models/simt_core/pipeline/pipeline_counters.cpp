// SPDX-License-Identifier: Apache-2.0
// Counters of class 1: the pipeline of this core (vortex core/VX_csr_data.sv).
#include "models/simt_core/pipeline/pipeline_counters.h"

#include <utility>

#include "models/simt_core/pipeline/context.h"
#include "models/simt_core/pipeline/dispatcher.h"
#include "models/simt_core/pipeline/front_end.h"

namespace spica::simt_core {

void connect_pipeline_counters(Context& core, const FrontEnd& front_end, const Dispatcher& units) {
  const auto connect = [&core](std::uint32_t number, PerformanceCounters::Source source) {
    core.performance.connect(PerformanceCounters::kPipeline, number, std::move(source));
  };
  const auto show = [&](std::uint32_t number, const base::Counter& counter) {
    connect(number, [&core, &counter] {
      core.stats.catch_up(core.now());
      return counter.value();
    });
  };
  // Cycles in which the scheduler sent no warp to fetch.
  connect(0xB03, [&core] { return core.now() - core.stats.fetches.value(); });
  // Cycles in which nothing issued because operands were not there yet.
  connect(0xB06, [&core] {
    core.stats.issue.settle(core.now());
    std::uint64_t cycles = 0;
    for (const IssueReason reason :
         {IssueReason::kAluResult, IssueReason::kFpuResult, IssueReason::kTensor, IssueReason::kSharedLoad,
          IssueReason::kGlobalLoad, IssueReason::kPeripheral})
      cycles += core.stats.issue.cycles(static_cast<std::size_t>(reason));
    return cycles;
  });
  show(0xB07, core.stats.alu);
  show(0xB08, core.stats.fpu);
  show(0xB09, core.stats.load_store);
  show(0xB0A, core.stats.sfu);
  show(0xB0B, core.stats.fetches);
  show(0xB0C, core.stats.lane_loads);
  show(0xB0D, core.stats.lane_stores);
  connect(0xB0E, [&front_end] { return front_end.fetch_cycles(); });
  connect(0xB0F, [&units] { return units.load_cycles(); });
  connect(0xB10, [&core] {
    core.stats.catch_up(core.now());
    return core.stats.sfu.value() - core.stats.csr.value();
  });
  show(0xB11, core.stats.csr);
}

}  // namespace spica::simt_core

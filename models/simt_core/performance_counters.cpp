// SPDX-License-Identifier: Apache-2.0
// Counters of class 1: the pipeline of this core (vortex core/VX_csr_data.sv).
#include "models/simt_core/performance_counters.h"

#include "models/simt_core/simt_core.h"

namespace spica::simt_core {

void SimtCore::connect_pipeline_counters() {
  const auto connect = [this](std::uint32_t number, PerformanceCounters::Source source) {
    core_.performance.connect(PerformanceCounters::kPipeline, number, std::move(source));
  };
  const auto show = [&](std::uint32_t number, const base::Counter& counter) {
    connect(number, [this, &counter] {
      core_.stats.catch_up(now());
      return counter.value();
    });
  };
  // Cycles in which the scheduler sent no warp to fetch.
  connect(0xB03, [this] { return now() - core_.stats.fetches.value(); });
  // Cycles in which nothing issued because operands were not there yet.
  connect(0xB06, [this] {
    core_.stats.issue.settle(now());
    std::uint64_t cycles = 0;
    for (const IssueReason reason :
         {IssueReason::kAluResult, IssueReason::kFpuResult, IssueReason::kTensor, IssueReason::kSharedLoad,
          IssueReason::kGlobalLoad, IssueReason::kPeripheral})
      cycles += core_.stats.issue.cycles(static_cast<std::size_t>(reason));
    return cycles;
  });
  show(0xB07, core_.stats.alu);
  show(0xB08, core_.stats.fpu);
  show(0xB09, core_.stats.load_store);
  show(0xB0A, core_.stats.sfu);
  show(0xB0B, core_.stats.fetches);
  show(0xB0C, core_.stats.lane_loads);
  show(0xB0D, core_.stats.lane_stores);
  connect(0xB0E, [this] { return front_end_.fetch_cycles(); });
  connect(0xB0F, [this] { return units_.load_cycles(); });
  connect(0xB10, [this] {
    const CoreStats& counted = stats();
    return counted.sfu.value() - counted.csr.value();
  });
  show(0xB11, core_.stats.csr);
}

}  // namespace spica::simt_core

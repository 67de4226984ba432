// SPDX-License-Identifier: Apache-2.0
// Counters of class 1: the pipeline of this core (vortex core/VX_csr_data.sv).
#include "models/simt_core/performance_counters.h"

#include "models/simt_core/simt_core.h"

namespace spica::simt_core {

void SimtCore::connect_pipeline_counters() {
  const auto connect = [this](std::uint32_t number, PerformanceCounters::Source source) {
    performance_.connect(PerformanceCounters::kPipeline, number, std::move(source));
  };
  const auto show = [&](std::uint32_t number, const base::Counter& counter) {
    connect(number, [&counter] { return counter.value(); });
  };
  // Cycles in which the scheduler sent no warp to fetch.
  connect(0xB03, [this] { return now() - stats_.fetches.value(); });
  // Cycles in which nothing issued because operands were not there yet.
  connect(0xB06, [this] {
    stats_.issue.settle(now());
    std::uint64_t cycles = 0;
    for (const IssueReason reason :
         {IssueReason::kAluResult, IssueReason::kFpuResult, IssueReason::kTensor, IssueReason::kSharedLoad,
          IssueReason::kGlobalLoad, IssueReason::kPeripheral})
      cycles += stats_.issue.cycles(static_cast<std::size_t>(reason));
    return cycles;
  });
  show(0xB07, stats_.alu);
  show(0xB08, stats_.fpu);
  show(0xB09, stats_.load_store);
  show(0xB0A, stats_.sfu);
  show(0xB0B, stats_.fetches);
  show(0xB0C, stats_.lane_loads);
  show(0xB0D, stats_.lane_stores);
  connect(0xB0E, [this] { return front_end_.fetch_cycles(); });
  connect(0xB0F, [this] { return load_cycles_; });
  connect(0xB10, [this] { return stats_.sfu.value() - stats_.csr.value(); });
  show(0xB11, stats_.csr);
}

}  // namespace spica::simt_core

// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/memory_counters.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/cache/cache.h"
#include "models/main_memory/main_memory.h"
#include "models/shared_memory/shared_memory_block.h"
#include "models/simt_core/performance_counters.h"
#include "models/simt_core/performance_counters_if.h"

namespace spica::cluster {

namespace {

void show_counter(simt_core::PerformanceCounters& performance, std::uint32_t number,
                  simt_core::PerformanceCounters::Source source) {
  performance.connect(simt_core::PerformanceCounters::kMemory, number, std::move(source));
}

/// Reads, read misses and MSHR stalls of the instruction cache.
void show_instruction_cache(simt_core::PerformanceCounters& performance, cache::Cache& cache) {
  cache::Stats& stats = cache.stats();
  show_counter(performance, 0xB03, [&stats] {
    return stats.read_hits.value() + stats.read_misses.value() + stats.read_merged.value();
  });
  show_counter(performance, 0xB04,
               [&stats] { return stats.read_misses.value() + stats.read_merged.value(); });
  show_counter(performance, 0xB05, [&stats] { return stats.blocked_mshr.value(); });
}

/// Reads, writes, read misses, write misses, bank stalls (not counted), MSHR stalls from `first` on, of all slices of
/// the cache.
void show_data_cache(simt_core::PerformanceCounters& performance, std::uint32_t first,
                     const std::vector<cache::Cache*>& slices) {
  using Count = std::uint64_t (*)(const cache::Stats&);
  const auto show = [&](std::uint32_t number, Count count) {
    show_counter(performance, number, [slices, count] {
      std::uint64_t sum = 0;
      for (cache::Cache* slice : slices) sum += count(slice->stats());
      return sum;
    });
  };
  show(first, [](const cache::Stats& stats) {
    return stats.read_hits.value() + stats.read_misses.value() + stats.read_merged.value();
  });
  show(first + 1, [](const cache::Stats& stats) {
    return stats.write_hits.value() + stats.write_misses.value() + stats.write_merged.value();
  });
  show(first + 2,
       [](const cache::Stats& stats) { return stats.read_misses.value() + stats.read_merged.value(); });
  show(first + 3,
       [](const cache::Stats& stats) { return stats.write_misses.value() + stats.write_merged.value(); });
  show(first + 5, [](const cache::Stats& stats) { return stats.blocked_mshr.value(); });
}

/// The level 2 cache: one block, or all of its slices.
std::vector<cache::Cache*> level_2(const assembly::Assembly& blocks) {
  if (auto* const whole = blocks.find<cache::Cache>("l2"); whole != nullptr) return {whole};
  std::vector<cache::Cache*> slices;
  for (unsigned i = 0;; ++i) {
    auto* const slice = blocks.find<cache::Cache>("l2_" + std::to_string(i));
    if (slice == nullptr) return slices;
    slices.push_back(slice);
  }
}

/// Words read and written by the cores of the cluster, and cycles lost to bank conflicts.
void show_shared_memory(simt_core::PerformanceCounters& performance,
                        shared_memory::SharedMemoryBlock& memory) {
  auto& stats = memory.stats();
  show_counter(performance, 0xB1B, [&stats] { return stats.core.words[0]->value(); });
  show_counter(performance, 0xB1C, [&stats] { return stats.core.words[1]->value(); });
  show_counter(performance, 0xB1D, [&stats] { return stats.bank_conflict_cycles.value(); });
}

}  // namespace

// A block of another kind in one of these places shows nothing.
void show_cluster_counters(const assembly::Assembly& blocks, const std::string& box,
                           const ClusterParams& params) {
  auto* const shared = blocks.find<shared_memory::SharedMemoryBlock>(box + "shared_memory");
  for (std::uint64_t i = 0; i < params.cores; ++i) {
    const std::string number = "_" + std::to_string(i);
    auto* const core = blocks.find<simt_core::PerformanceCountersIf>(box + "core" + number);
    if (core == nullptr) continue;
    auto* const icache = blocks.find<cache::Cache>(box + "icache" + number);
    auto* const dcache =
        blocks.find<cache::Cache>(box + "dcache" + (params.mio.shared_data_path ? "" : number));
    if (icache != nullptr) show_instruction_cache(core->performance(), *icache);
    if (dcache != nullptr) show_data_cache(core->performance(), 0xB06, {dcache});
    if (shared != nullptr) show_shared_memory(core->performance(), *shared);
  }
}

void show_memory_counters(const assembly::Assembly& blocks) {
  const std::vector<cache::Cache*> l2 = level_2(blocks);
  auto* const memory = blocks.find<main_memory::MainMemory>("main_memory");
  for (simt_core::PerformanceCountersIf* core : blocks.all<simt_core::PerformanceCountersIf>()) {
    if (!l2.empty()) show_data_cache(core->performance(), 0xB0C, l2);
    if (memory == nullptr) continue;
    const auto& stats = memory->stats();
    show_counter(core->performance(), 0xB18, [&stats] { return stats.reads.value(); });
    show_counter(core->performance(), 0xB19, [&stats] { return stats.writes.value(); });
  }
}

}  // namespace spica::cluster

// SPDX-License-Identifier: Apache-2.0
// Which statistics the performance counters of class 2 show (vortex core/VX_csr_data.sv): the
// numbering of the published core, from the instruction cache to shared memory. What the model has
// no count for reads 0.
#pragma once

#include <cstdint>

#include "models/cache/cache.h"
#include "models/shared_memory/shared_memory.h"
#include "models/simt_core/performance_counters.h"

namespace spica::cluster {

inline void show_counter(simt_core::PerformanceCounters& performance, std::uint32_t number,
                         simt_core::PerformanceCounters::Source source) {
  performance.connect(simt_core::PerformanceCounters::kMemory, number, std::move(source));
}

/// Reads, read misses and MSHR stalls of the instruction cache.
inline void show_instruction_cache(simt_core::PerformanceCounters& performance, cache::Cache& cache) {
  cache::Stats& stats = cache.stats();
  show_counter(performance, 0xB03, [&stats] {
    return stats.read_hits.value() + stats.read_misses.value() + stats.read_merged.value();
  });
  show_counter(performance, 0xB04,
               [&stats] { return stats.read_misses.value() + stats.read_merged.value(); });
  show_counter(performance, 0xB05, [&stats] { return stats.blocked_mshr.value(); });
}

/// Reads, writes, read misses, write misses, bank stalls (not counted), MSHR stalls from `first` on.
inline void show_data_cache(simt_core::PerformanceCounters& performance, std::uint32_t first,
                            cache::Cache& cache) {
  cache::Stats& stats = cache.stats();
  show_counter(performance, first, [&stats] {
    return stats.read_hits.value() + stats.read_misses.value() + stats.read_merged.value();
  });
  show_counter(performance, first + 1, [&stats] {
    return stats.write_hits.value() + stats.write_misses.value() + stats.write_merged.value();
  });
  show_counter(performance, first + 2,
               [&stats] { return stats.read_misses.value() + stats.read_merged.value(); });
  show_counter(performance, first + 3,
               [&stats] { return stats.write_misses.value() + stats.write_merged.value(); });
  show_counter(performance, first + 5, [&stats] { return stats.blocked_mshr.value(); });
}

/// Words read and written by the cores of the cluster, and cycles lost to bank conflicts.
inline void show_shared_memory(simt_core::PerformanceCounters& performance,
                               shared_memory::SharedMemory& memory) {
  auto& stats = memory.stats();
  show_counter(performance, 0xB1B, [&stats] { return stats.core.words[0]->value(); });
  show_counter(performance, 0xB1C, [&stats] { return stats.core.words[1]->value(); });
  show_counter(performance, 0xB1D, [&stats] { return stats.bank_conflict_cycles.value(); });
}

}  // namespace spica::cluster

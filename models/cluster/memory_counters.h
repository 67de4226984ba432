// SPDX-License-Identifier: Apache-2.0
// Connects statistics to the performance counters of class 2 (vortex core/VX_csr_data.sv), in the published numbering
// from the instruction cache to main memory. Counters without a statistic in the model read 0.
#pragma once

#include <string>

#include "models/assembly/assembly.h"
#include "models/cluster/cluster_params.h"

namespace spica::cluster {

/// Connects the caches and shared memory of one cluster ("cluster_0.") to the counters of its cores.
void show_cluster_counters(const assembly::Assembly& blocks, const std::string& box,
                           const ClusterParams& params);

/// Connects "l2" and "main_memory", which all cores share, to the counters of all cores.
void show_memory_counters(const assembly::Assembly& blocks);

}  // namespace spica::cluster

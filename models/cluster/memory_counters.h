// SPDX-License-Identifier: Apache-2.0
// Which statistics the performance counters of class 2 show (vortex core/VX_csr_data.sv): the
// numbering of the published core, from the instruction cache to main memory. What the model has
// no count for reads 0.
#pragma once

#include <string>

#include "models/assembly/assembly.h"
#include "models/cluster/cluster_params.h"

namespace spica::cluster {

/// Shows the cores of one cluster ("cluster_0.") the counters of their caches and shared memory.
void show_cluster_counters(const assembly::Assembly& blocks, const std::string& box,
                           const ClusterParams& params);

/// Shows all cores the counters of "l2" and "main_memory", which they share.
void show_memory_counters(const assembly::Assembly& blocks);

}  // namespace spica::cluster

// SPDX-License-Identifier: Apache-2.0
// Values of parameters that each are in range and that no machine can have together.
#include "platform/soc/soc_params.h"

namespace spica::soc {

namespace {

constexpr std::uint64_t kAddresses = std::uint64_t{1} << 32;
constexpr std::uint64_t kBusPorts = 64;

}  // namespace

void SocParams::find_contradictions(const cluster::ClusterParams::Report& report) const {
  const std::uint64_t units = cluster.matrix_units.size();
  if (clusters * cluster.bus_masters() + 1 > kBusPorts) {
    const std::uint64_t per_cluster = (kBusPorts - 1) / clusters;
    const std::uint64_t most = per_cluster > units ? (per_cluster - units) / 2 : 0;
    report({"clusters", "cluster.cores"},
           "the system bus has 64 ports: 1 for the host, 2 per core and 1 per matrix unit of each "
           "cluster; " +
               (most != 0 ? "cluster.cores may be at most " + std::to_string(most)
                          : std::string("use fewer clusters or matrix units")) +
               " here");
  }
  if (l2.write_policy == cache::WritePolicy::kReadOnly)
    report({"l2.write_policy"}, "stores come to this cache; use write_back or write_through");
  for (const bool data : {true, false})
    if ((data ? cluster.dcache : cluster.icache).line_bytes > l2.line_bytes)
      report({data ? "cluster.dcache.line_bytes" : "cluster.icache.line_bytes", "l2.line_bytes"},
             "a level 1 line must fit into a level 2 line: at most " + std::to_string(l2.line_bytes));
  if (units != 0 && cluster.dma.max_request > l2.line_bytes)
    report({"cluster.dma.max_request", "l2.line_bytes"},
           "a request of the DMA must fit into a level 2 line: l2.line_bytes at least " +
               std::to_string(cluster.dma.max_request));
  if (l2.line_bytes > main_memory.interleave_bytes)
    report({"l2.line_bytes", "main_memory.interleave_bytes"},
           "a level 2 line must lie in one DRAM channel: interleave_bytes at least " +
               std::to_string(l2.line_bytes));
  if (main_memory.base + main_memory.size > kAddresses)
    report({"main_memory.base", "main_memory.size"},
           "memory ends beyond the 32-bit address space; size may be at most " +
               std::to_string(kAddresses - main_memory.base) + " here");
}

}  // namespace spica::soc

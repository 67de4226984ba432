// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "models/assembly/plan.h"
#include "models/cluster/cluster_params.h"

namespace spica::cluster {

/// The position of a cluster in its machine, and what the machine adds to it.
struct ClusterPlace {
  std::string box;  // "cluster_0."; empty: the cluster is the machine
  unsigned first_core = 0;  // number of its core 0 within the machine
  unsigned all_cores = 0;  // number of cores of the machine
  std::string fault = "fault";  // port or block that receives faults
  bool host_port = false;  // shared memory and the peripheral bus have one more port
  std::vector<Window> windows = {};  // of blocks that the owner adds to the cluster
};

/// Adds the blocks and links of one cluster to a plan.
///
///   core n ── tensor core n                          (where present; a decoupled one has two wide_in ports)
///          ── icache n ──────────────► master 2n     (to the system bus; with shared_icache, that one is a master)
///          ── coalescer n ── dcache n ► master 2n+1
///          ── shared memory core_in n
///          ── peripheral bus ── print buffer, putchar, matrix-unit registers
///          ── barrier, accelerator node
///   unit u ── shared memory (A, B, and its DMA); the DMA ── master u behind those
///
/// The owner links ClusterParams::bus_masters() to a system bus. The plan must have `fault`, `console` and `marker`
/// (ports, or blocks with their interfaces).
void add_cluster(assembly::Plan& plan, const ClusterParams& params, const ClusterPlace& place);

/// The ends in a cluster to which a host port is linked (ClusterPlace::host_port).
struct HostEnds {
  std::string shared_memory, peripheral_bus;
};
HostEnds cluster_host_ends(const ClusterParams& params, const ClusterPlace& place);

/// The name of the peripheral-bus socket for the block behind a window (ClusterPlace::windows).
std::string window_end(const ClusterParams& params, const ClusterPlace& place, const std::string& window);

/// Links the dispatcher of work groups ("dispatcher") to the cores and the barriers of cluster `cluster`.
void link_dispatcher(assembly::Plan& plan, const ClusterParams& params, const ClusterPlace& place,
                     unsigned cluster);

/// Adds the hart that runs the command processor's firmware, with the hart number after the `cores` of the machine, and
/// links the two. `fault`: port or block that receives faults.
void add_hart(assembly::Plan& plan, const ClusterParams& params, unsigned cores, const std::string& fault);

}  // namespace spica::cluster

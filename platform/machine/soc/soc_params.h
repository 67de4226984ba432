// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "models/base/links.h"
#include "models/cache/l2_params.h"
#include "models/cluster/cluster_params.h"
#include "models/command_processor/command_processor_params.h"
#include "models/dispatcher/dispatcher_params.h"
#include "models/host_port/host_port_params.h"
#include "models/interconnect/interconnect_params.h"
#include "models/interconnect/network_params.h"
#include "models/main_memory/main_memory_params.h"
#include "models/power/power_params.h"
#include "models/protocol/host_queues/cluster_set.h"
#include "models/protocol/transport/links.h"
#include "platform/machine/soc/plugins.h"
#include "platform/machine/soc/slots.h"

namespace spica::protocol {
class AddressMap;
}

namespace spica::soc {

enum class Mode : std::uint8_t { kCycle, kFast };
inline constexpr base::Choices kModes{base::Choice<Mode>{"cycle", Mode::kCycle},
                                      base::Choice<Mode>{"fast", Mode::kFast}};
inline constexpr const auto& kDivergences = simt_core::kDivergenceChoices;
inline constexpr base::Choices kLinks{base::Choice<protocol::Links>{"direct", protocol::Links::kDirect},
                                      base::Choice<protocol::Links>{"standard", protocol::Links::kStandard},
                                      base::Choice<protocol::Links>{"checked", protocol::Links::kChecked}};

/// The mode of a run, and the limits after which it is stopped.
struct RunParams {
  std::uint64_t max_cycles = 0;
  std::uint64_t hang_cycles = 1'000'000;
  Mode mode = Mode::kCycle;
  std::uint64_t quantum = 1000;
  std::uint64_t warp_order = 0;
  std::uint64_t spin_cycles = 200'000'000;
  protocol::Links links = protocol::Links::kDirect;

  /// Parameters of the programming model (see describe.h).
  static constexpr std::string_view kProgrammingModel[] = {"max_cycles", "mode", "hang_cycles",
                                                           "spin_cycles"};
  /// Neither larger nor smaller values are better hardware (see describe.h).
  static constexpr std::string_view kPolicies[] = {"max_cycles", "quantum", "hang_cycles", "spin_cycles"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("max_cycles", p.max_cycles, "cycles", base::Range{0, 1e15},
          "cycle at which the run stops; 0: no limit");
    field("mode", p.mode, kModes,
          "cycle: simulates every block cycle by cycle, with contention; fast: executes "
          "instructions only and estimates time");
    field("quantum", p.quantum, "instructions", base::Range{1, 1e9},
          "fast mode: instructions that a warp executes per turn; fewer if one turn of all warps "
          "of a core would exceed half of hang_cycles");
    field("warp_order", p.warp_order, "seed", base::Range{0, 4294967295.0},
          "fast mode: order of cores and warps; 0: ascending; otherwise a seed for a random order "
          "that changes each round");
    field("hang_cycles", p.hang_cycles, "cycles", base::Range{20'000, 1e12},
          "interval between checks for a hang; a hang is: all warps wait or spin, and no unit works");
    field("spin_cycles", p.spin_cycles, "cycles", base::Range{0, 1e15},
          "cycles after which a warp that polls at one instruction counts as hung even while "
          "others work; 0: no limit");
    field("links", p.links, kLinks,
          "how blocks communicate: direct: function calls; standard: nb_transport of TLM-2.0, same "
          "results, slower; checked: as standard, and each call is checked against the base "
          "protocol");
  }
};

/// Links between blocks whose clocks have different frequencies: an asynchronous FIFO in each direction
/// (models/protocol/transport/crossing.h).
struct CrossingParams {
  std::uint64_t cycles = 3;
  std::uint64_t depth = base::kCrossingDepth;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("cycles", p.cycles, "cycles", base::Range{0, 64},
          "synchroniser delay of a request or response: receiver cycles from the first one that "
          "begins after the sender's cycle",
          "chipsalliance/rocket-chip src/main/scala/util/AsyncQueue.scala (sync 3)");
    field("depth", p.depth, "requests", base::Range{1, 1024},
          "requests of a link inside the crossing at a time",
          "chipsalliance/rocket-chip src/main/scala/util/AsyncQueue.scala (depth 8)");
  }
};

/// The whole machine: what a configuration file describes.
struct SocParams {
  double clock_mhz = 400;
  std::uint64_t clusters = 1;
  cluster::ClusterParams cluster;
  interconnect::CrossbarParams bus;
  interconnect::NetworkParams network;
  cache::L2Params l2{cache::Params::l2()};
  main_memory::Params main_memory;
  dispatcher::DispatcherParams dispatcher;
  command_processor::CommandProcessorParams command_processor;
  host_port::HostPortParams host;
  CrossingParams crossing;
  RunParams run;
  power::PowerParams power;
  std::vector<std::string> plugins;
  std::vector<SlotParams> slots;

  /// Parameters of the programming model (see describe.h).
  static constexpr std::string_view kProgrammingModel[] = {"clock_mhz", "clusters"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("clock_mhz", p.clock_mhz, "MHz", base::Range{1, 10000},
          "clock of all blocks without a clock of their own; DRAM devices always have one",
          "paper table 2; chipyard RadianceConfigs.scala");
    field("clusters", p.clusters, "clusters", base::Range{1, protocol::ClusterSet::kMost},
          "clusters on the system bus or crossbar", "paper table 2");
    field.group("cluster", p.cluster, "one cluster");
    field.group("bus", p.bus, "system bus");
    field.group("network", p.network, "connection of clusters and level 2 cache");
    field.group("l2", p.l2, "level 2 cache");
    field.group("main_memory", p.main_memory, "DRAM");
    field.group("dispatcher", p.dispatcher, "kernels as grids of work groups");
    field.group("command_processor", p.command_processor, "queues of kernels");
    field.group("host", p.host, "port for a host in the same simulation");
    field.group("crossing", p.crossing, "links between clock domains of different frequency");
    field.group("run", p.run, "end of a run");
    field.group("power", p.power, "energy table and operating point");
    field.list("plugins", p.plugins,
               "plugins: libraries with user-supplied blocks (docs/howto/own-block.md)");
    field.list("slots", p.slots, "blocks added to the machine, or replacing blocks of it");
  }

  template <class Contradiction>
  static void check(const SocParams& p, Contradiction&& contradiction) {
    p.find_contradictions(contradiction);
  }
  /// Loads the plugins, so that slots can name their kinds.
  static void prepare(const config::Source& source, std::vector<config::Problem>& problems) {
    load_plugins(source, problems);
  }
  /// Hardware threads of the machine.
  std::uint64_t harts() const { return clusters * cluster.cores * cluster.core.warps * cluster.core.lanes; }
  /// Frequency of the cores. Cycles of the machine are cycles of this clock.
  double core_mhz() const { return cluster.clock_mhz != 0 ? cluster.clock_mhz : clock_mhz; }
  /// Of the bus or crossbar, and of the level 2 cache.
  double bus_mhz() const {
    const double own = network.is_crossbar() ? network.clock_mhz : bus.clock_mhz;
    return own != 0 ? own : clock_mhz;
  }
  /// The group of parameters without effect, because the machine has the other of bus and crossbar.
  const char* unused_group() const { return network.is_crossbar() ? "bus" : "network"; }
  /// The most data per cycle of that clock from the level 2 cache to the clusters.
  std::uint64_t l2_bytes_per_cycle() const;
  /// Ports of the clusters on a crossbar.
  std::uint64_t cluster_ports() const {
    return (clusters + network.clusters_per_port - 1) / network.clusters_per_port;
  }
  double memory_mhz() const { return main_memory.clock_mhz != 0 ? main_memory.clock_mhz : clock_mhz; }
  /// True if clusters, bus and memory have different frequencies.
  bool several_clocks() const { return bus_mhz() != core_mhz() || memory_mhz() != core_mhz(); }
  /// The part of the level 2 cache assigned to a cluster, and the number of possible parts (see
  /// cache::Params::partitions).
  std::uint64_t part_of(std::uint64_t number) const { return number * l2.partitions / clusters; }
  std::vector<std::uint64_t> possible_partitions() const;
  /// The dispatcher of work groups with the parameters of the clusters.
  dispatcher::DispatcherParams dispatcher_with_clusters() const;
  command_processor::CommandProcessorParams command_processor_with_clusters() const;
  /// Reasons why no cluster can ever run a work group of the launch, with values that would work; empty: it can.
  std::vector<std::string> launch_problems(const protocol::GridLaunch& launch) const {
    return why_not(dispatcher_with_clusters(), launch);
  }
  /// Number of its work groups that a cluster holds at once.
  std::uint64_t occupancy(const protocol::GridLaunch& launch) const {
    return dispatcher::occupancy(dispatcher_with_clusters(), launch);
  }
  /// Records where the slots are written, for errors found when they are built or run.
  void locate(const config::Source& source) { locate_slots(source, slots); }
  /// As of ClusterParams.
  void find_contradictions(const cluster::ClusterParams::Report& report) const;
};

/// The address windows of the blocks that the machine adds to each cluster.
std::vector<cluster::Window> windows_of(const SocParams& params);

/// The guest's address map of a machine with these parameters.
protocol::AddressMap address_map(const SocParams& params);

}  // namespace spica::soc

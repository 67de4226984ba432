// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/barrier/barrier_params.h"
#include "models/cache/cache_params.h"
#include "models/cache/shared_icache_params.h"
#include "models/cluster/memory_map.h"
#include "models/coalescer/coalescer_params.h"
#include "models/console/console_params.h"
#include "models/dma/dma_params.h"
#include "models/interconnect/interconnect_params.h"
#include "models/isa/instruction.h"
#include "models/load_reuse/load_reuse_params.h"
#include "models/matrix_unit/matrix_unit_params.h"
#include "models/mio/mio_params.h"
#include "models/mma_offload/mma_offload_params.h"
#include "models/multicast/multicast_params.h"
#include "models/shared_memory/shared_memory_params.h"
#include "models/simt_core/simt_core_params.h"
#include "models/tensor_core/tensor_core_params.h"

namespace spica::cluster {

/// The parameters of a core, and of the blocks placed next to its units. The core does not know these blocks.
struct ClusterCore : simt_core::Params {
  mma_offload::OffloadParams offload;
  load_reuse::LoadReuseParams reuse;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    simt_core::Params::describe(p, field);
    field.group("offload", p.offload, "multiply-adds of warp matrices on the floating-point lanes");
    load_reuse::LoadReuseParams::describe(p.reuse, field);
  }
  bool reuses_loads() const { return reuse.mode != load_reuse::Reuse::kOff; }
};

/// A wide port of shared memory: its client in the statistics, and the name of the block linked to it, within the
/// cluster.
struct WidePort {
  shared_memory::WideClient client;
  std::string from;
};
/// The name in WidePort::from of a host port, which is outside the clusters.
inline constexpr const char* kHostEnd = "host";

/// One cluster: cores with their private caches, shared memory, matrix units with their DMAs, barrier. Values that
/// follow from others (ports of a cache, lanes of a coalescer, sizes inside a matrix unit) have no keys and are set when
/// the blocks are added to a plan (completed_params.h).
struct ClusterParams {
  std::uint64_t cores = 4;
  double clock_mhz = 0;
  ClusterCore core;
  tensor_core::TensorCoreParams tensor_core;
  cache::Params icache = cache::Params::l1_instruction();
  cache::SharedIcacheParams shared_icache;
  cache::Params dcache = cache::Params::l1_data(8);
  coalescer::Params coalescer;
  shared_memory::SharedMemoryParams shared_memory;
  mio::MioParams mio;
  multicast::MulticastParams multicast;
  std::vector<matrix_unit::MatrixUnitParams> matrix_units = std::vector<matrix_unit::MatrixUnitParams>(1);
  dma::DmaParams dma;
  barrier::BarrierParams barrier;
  console::ConsoleParams console;
  interconnect::PeripheralBusParams peripheral_bus;
  MemoryMap memory_map;

  /// Parameters of the programming model (see describe.h).
  static constexpr std::string_view kProgrammingModel[] = {"cores"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("cores", p.cores, "cores", base::Range{1, 31}, "SIMT cores of the cluster", "paper table 2");
    field("clock_mhz", p.clock_mhz, "MHz", base::Range{0, 10000},
          "clock of the clusters; results are in its cycles; 0: clock_mhz of the machine");
    field.group("core", p.core, "one SIMT core");
    field.group("tensor_core", p.tensor_core, "tensor core, one inside each SIMT core");
    field.group("icache", p.icache, "level 1 instruction cache, one per core");
    field.group("shared_icache", p.shared_icache,
                "instruction cache of the cluster, behind those of its cores");
    field.group("dcache", p.dcache, "level 1 data cache, one per core, or one with mio.shared_data_path");
    field.group("coalescer", p.coalescer, "coalescer, one per level 1 data cache");
    field.group("shared_memory", p.shared_memory, "banked shared memory");
    field.group("mio", p.mio, "shared path from the cores to shared memory and level 1 data cache");
    field.group("multicast", p.multicast, "single reads of shared memory for equal loads of two warps");
    field.list("matrix_units", p.matrix_units, "one entry per matrix unit");
    field.group("dma", p.dma, "DMA, one per matrix unit");
    field.group("barrier", p.barrier, "barrier synchronizer");
    field.group("console", p.console, "print buffer and putchar");
    field.group("peripheral_bus", p.peripheral_bus, "bus from the cores to uncached registers");
    field.group("memory_map", p.memory_map, "address map of the cluster");
  }

  template <class Contradiction>
  static void check(const ClusterParams& p, Contradiction&& contradiction) {
    p.find_contradictions(contradiction);
  }
  /// Calls `report` for values that contradict each other, with their keys and an explanation that names a valid value.
  using Report = std::function<void(const std::vector<std::string>& keys, const std::string& what)>;
  void find_contradictions(const Report& report) const;

  /// How the cores decode the tensor-core opcode.
  isa::TensorStyle tensor_style() const {
    return tensor_core.present ? tensor_core.style : isa::TensorStyle::kUnknown;
  }
  /// The wide ports of shared memory, in the order of their numbers: A, B and DMA of each matrix unit, tensor cores
  /// that read operands, and with `host_port` the host. When several of them request the same bank, the number is their
  /// arbitration index.
  std::vector<WidePort> wide_ports(bool host_port) const;
  /// Ports of shared memory, including those of the cores, without that of a host.
  std::uint64_t shared_ports() const { return cores + wide_ports(false).size(); }
  /// Level 1 data caches, each with a coalescer.
  std::uint64_t data_caches() const { return mio.shared_data_path ? 1 : cores; }
  /// Coalescers per level 1 data cache.
  std::uint64_t coalescers() const { return mio.full(); }
  /// The sockets of the cluster that are bus masters, in the order of their master numbers.
  std::vector<std::string> bus_masters() const;
  /// The units with a port on the peripheral bus, in port order; `host_port`: with the host.
  std::vector<std::string> peripheral_masters(bool host_port) const;
  MapInputs map_inputs(std::vector<Window> windows = {}) const {
    return {
        shared_memory.size, static_cast<unsigned>(cores), static_cast<unsigned>(matrix_units.size()), 0, 0,
        std::move(windows)};
  }
};

}  // namespace spica::cluster

// SPDX-License-Identifier: Apache-2.0
// The kinds of memories and the ways to them.
#include "models/assembly/kinds.h"
#include "models/cache/cache.h"
#include "models/cluster/kinds_parts.h"
#include "models/coalescer/coalescer.h"
#include "models/console/console.h"
#include "models/interconnect/crossbar.h"
#include "models/interconnect/network.h"
#include "models/interconnect/peripheral_bus.h"
#include "models/main_memory/fast_main_memory.h"
#include "models/main_memory/main_memory.h"
#include "models/mio/mio.h"
#include "models/multicast/multicast_unit.h"
#include "models/shared_memory/fast_shared_memory.h"
#include "models/shared_memory/shared_memory_block.h"

namespace spica::cluster {

namespace {

using assembly::BuildSite;
using assembly::Factory;
using assembly::Kind;
using assembly::make_bare;
using assembly::make_with;

Factory make_shared_memory() {
  return [](const BuildSite& site) {
    return shared_memory::make_shared_memory(
        site.name, std::any_cast<const shared_memory::SharedMemoryParams&>(site.params), site.clock);
  };
}

Factory make_peripheral_bus() {
  return [](const BuildSite& site) {
    const auto& params = std::any_cast<const interconnect::PeripheralBusParams&>(site.params);
    return std::make_unique<interconnect::PeripheralBus>(site.name, params, site.clock, site.machine.map);
  };
}

}  // namespace

void add_memory_kinds(assembly::Kinds& kinds) {
  kinds.add(Kind{"cache", "a cache"}.with_cycle(make_with<cache::Cache, cache::Params>()).with_wire("out"));
  kinds.add(Kind{"coalescer", "makes line requests of the accesses of a warp"}
                .with_cycle(make_with<coalescer::Coalescer, coalescer::Params>())
                .with_wire("out_0"));
  kinds.add(Kind{"shared_memory", "the shared memory of a cluster"}
                .with_cycle(make_shared_memory())
                .with_fast(make_bare<shared_memory::FastSharedMemory, shared_memory::SharedMemoryParams>()));
  kinds.add(Kind{"mio", "the path to shared memory and level 1 data cache that the cores of a cluster share"}
                .with_cycle(make_with<mio::Mio, mio::MioParams>())
                .with_wires({{"smem_in", "smem_0"}, {"gmem_in", "gmem_0"}}));
  kinds.add(Kind{"multicast", "makes one read of shared memory of the same loads of two warps"}
                .with_cycle(make_with<multicast::MulticastUnit, multicast::MulticastParams>())
                .with_wires({{"in", "out_0"}}));
  kinds.add(Kind{"crossbar", "from many masters to one target or more"}
                .with_cycle(make_with<interconnect::Crossbar, interconnect::CrossbarParams>())
                .with_wire("out_0"));
  kinds.add(Kind{"network", "from ports of clusters to slices of the level 2 cache"}
                .with_cycle(make_with<interconnect::Network, interconnect::NetworkParams>())
                .with_wire("out_0"));
  kinds.add(Kind{"peripheral_bus", "from cores to registers"}.with_both(make_peripheral_bus()));
  kinds.add(Kind{"console", "a window whose stores are printed"}.with_both(
      make_with<console::Console, console::ConsoleParams>()));
  kinds.add(Kind{"main_memory", "DRAM"}
                .with_cycle(make_with<main_memory::MainMemory, main_memory::Params>())
                .with_fast(make_bare<main_memory::FastMainMemory, main_memory::Params>()));
}

}  // namespace spica::cluster

// SPDX-License-Identifier: Apache-2.0
// The kinds of blocks that a machine of clusters is made of, with the block of each mode.
#include "models/cluster/kinds.h"

#include "models/assembly/kinds.h"
#include "models/assembly/link_types.h"
#include "models/barrier/barrier_synchronizer.h"
#include "models/barrier/fast_barrier.h"
#include "models/cache/cache.h"
#include "models/coalescer/coalescer.h"
#include "models/command_processor/command_processor.h"
#include "models/command_processor/fast_command_processor.h"
#include "models/console/console.h"
#include "models/dispatcher/dispatcher.h"
#include "models/dma/dma.h"
#include "models/dma/fast_dma.h"
#include "models/host_port/host_port.h"
#include "models/interconnect/crossbar.h"
#include "models/interconnect/peripheral_bus.h"
#include "models/load_reuse/load_reuse.h"
#include "models/main_memory/fast_main_memory.h"
#include "models/main_memory/main_memory.h"
#include "models/matrix_unit/accelerator_node.h"
#include "models/matrix_unit/fast_matrix_unit.h"
#include "models/matrix_unit/matrix_unit.h"
#include "models/mio/mio.h"
#include "models/mma_offload/mma_offload.h"
#include "models/multicast/multicast_unit.h"
#include "models/shared_memory/fast_shared_memory.h"
#include "models/shared_memory/shared_memory_block.h"
#include "models/simt_core/fast/fast_core.h"
#include "models/simt_core/fast/hart.h"
#include "models/simt_core/simt_core.h"
#include "models/tensor_core/decoupled_tensor_core.h"
#include "models/tensor_core/fast_tensor_core.h"
#include "models/tensor_core/tensor_core.h"
#include "models/tensor_core/warp_mma/warp_tensor_core.h"

namespace spica::cluster {

namespace {

using assembly::Factory;
using assembly::make_with;
using assembly::Site;

/// The factory of a block of the fast mode that is made from parameters alone.
template <class Block, class Params>
Factory make_bare() {
  return [](const Site& site) {
    return std::make_unique<Block>(site.name, std::any_cast<const Params&>(site.params));
  };
}

Factory make_core() {
  return [](const Site& site) {
    const auto& core = std::any_cast<const CoreParams&>(site.params);
    return std::make_unique<simt_core::SimtCore>(site.name, core.params, core.identity, site.machine.map,
                                                 site.clock);
  };
}

Factory make_fast_core() {
  return [](const Site& site) {
    const auto& core = std::any_cast<const CoreParams&>(site.params);
    return std::make_unique<simt_core::fast::FastCore>(site.name, core.params, core.identity,
                                                       site.machine.map, *site.machine.time);
  };
}

Factory make_hart() {
  return [](const Site& site) {
    return std::make_unique<simt_core::fast::Hart>(
        site.name, std::any_cast<const simt_core::fast::HartParams&>(site.params), site.machine.map);
  };
}

Factory make_fast_matrix_unit() {
  return [](const Site& site) {
    const auto& params = std::any_cast<const matrix_unit::MatrixUnitParams&>(site.params);
    return std::make_unique<matrix_unit::FastMatrixUnit>(site.name, params, site.clock.period(),
                                                         *site.machine.time);
  };
}

Factory make_fast_dma() {
  return [](const Site& site) {
    const auto& params = std::any_cast<const dma::DmaParams&>(site.params);
    return std::make_unique<dma::FastDma>(site.name, params, site.clock.period());
  };
}

Factory make_fast_dispatcher() {
  return [](const Site& site) {
    return std::make_unique<dispatcher::FastDispatcher>(
        site.name, std::any_cast<const dispatcher::DispatcherParams&>(site.params), *site.machine.time);
  };
}

Factory make_fast_command_processor() {
  return [](const Site& site) {
    return std::make_unique<command_processor::FastCommandProcessor>(
        site.name, std::any_cast<const command_processor::CommandProcessorParams&>(site.params),
        *site.machine.time);
  };
}

Factory make_fast_accelerator() {
  return [](const Site& site) {
    return std::make_unique<matrix_unit::FastAcceleratorNode>(
        site.name, std::any_cast<std::size_t>(site.params), *site.machine.time);
  };
}

Factory make_shared_memory() {
  return [](const Site& site) {
    return shared_memory::make_shared_memory(
        site.name, std::any_cast<const shared_memory::SharedMemoryParams&>(site.params), site.clock);
  };
}

Factory make_host_port(host_port::HostPort::Behind behind) {
  return [behind](const Site& site) {
    const auto& params = std::any_cast<const host_port::HostPortParams&>(site.params);
    return std::make_unique<host_port::HostPort>(site.name, params, site.clock, site.machine.map, behind);
  };
}

Factory make_peripheral_bus() {
  return [](const Site& site) {
    const auto& params = std::any_cast<const interconnect::PeripheralBusParams&>(site.params);
    return std::make_unique<interconnect::PeripheralBus>(site.name, params, site.clock, site.machine.map);
  };
}

}  // namespace

void add_kinds() {
  assembly::Kinds& kinds = assembly::kinds();
  if (kinds.find("simt_core") != nullptr) return;
  assembly::add_link_type(assembly::port_link<matrix_unit::CommandIf>("CommandIf"));
  assembly::add_link_type(assembly::port_link<matrix_unit::LooseCommandIf>("LooseCommandIf"));
  kinds.add({"simt_core",
             "a SIMT core",
             make_core(),
             make_fast_core(),
             {},
             {"icache", "tensor_result", "tensor_registers", "lane_stream", "drain", "load_reuse"}});
  kinds.add({"tensor_core",
             "a tensor core on operands from registers",
             make_with<tensor_core::TensorCore, tensor_core::TensorCoreParams>(),
             make_bare<tensor_core::FastTensorCore, tensor_core::TensorCoreParams>(),
             {},
             {"result"}});
  kinds.add({"decoupled_tensor_core",
             "a tensor core on operands from shared memory",
             make_with<tensor_core::DecoupledTensorCore, tensor_core::TensorCoreParams>(),
             make_bare<tensor_core::FastTensorCore, tensor_core::TensorCoreParams>(),
             {},
             {"registers", "smem_a", "smem_b"}});
  kinds.add({"warp_tensor_core", "a tensor core on fragments in registers of 32 lanes",
             make_with<tensor_core::warp_mma::WarpTensorCore, tensor_core::TensorCoreParams>(),
             make_bare<tensor_core::warp_mma::FastWarpTensorCore, tensor_core::TensorCoreParams>()});
  kinds.add({"mma_offload",
             "turns some multiply-adds of warp matrices into instructions for the floating-point lanes",
             make_with<mma_offload::MmaOffload, mma_offload::OffloadParams>(),
             {},
             "out"});
  kinds.add({"load_reuse",
             "lets the warps of a core share loads of fragments",
             make_with<load_reuse::LoadReuse, load_reuse::LoadReuseParams>(),
             {}});
  kinds.add({"cache", "a cache", make_with<cache::Cache, cache::Params>(), {}, "out"});
  kinds.add({"coalescer",
             "makes line requests of the accesses of a warp",
             make_with<coalescer::Coalescer, coalescer::Params>(),
             {},
             "out_0"});
  kinds.add({"shared_memory", "the shared memory of a cluster", make_shared_memory(),
             make_bare<shared_memory::FastSharedMemory, shared_memory::SharedMemoryParams>()});
  kinds.add({"mio",
             "the path to shared memory and level 1 data cache that the cores of a cluster share",
             make_with<mio::Mio, mio::MioParams>(),
             {},
             {},
             {},
             {},
             {},
             false,
             false,
             {{"smem_in", "smem_0"}, {"gmem_in", "gmem_0"}}});
  kinds.add({"multicast",
             "makes one read of shared memory of the same loads of two warps",
             make_with<multicast::MulticastUnit, multicast::MulticastParams>(),
             {},
             {},
             {},
             {},
             {},
             false,
             false,
             {{"in", "out_0"}}});
  kinds.add({"matrix_unit", "a matrix unit",
             make_with<matrix_unit::MatrixUnit, matrix_unit::MatrixUnitParams>(), make_fast_matrix_unit()});
  kinds.add({"dma", "the DMA of a matrix unit", make_with<dma::Dma, dma::DmaParams>(), make_fast_dma()});
  kinds.add({"accelerator_node", "hands the words of CSR 0xACC to the matrix units",
             make_with<matrix_unit::AcceleratorNode, std::size_t>(), make_fast_accelerator()});
  const Factory console = make_with<console::Console, console::ConsoleParams>();
  kinds.add({"console", "a window whose stores are printed", console, console});
  kinds.add({"peripheral_bus", "from cores to registers", make_peripheral_bus(), make_peripheral_bus()});
  kinds.add({"barrier", "the barrier synchronizer of a cluster",
             make_with<barrier::BarrierSynchronizer, barrier::BarrierParams>(),
             make_bare<barrier::FastBarrier, barrier::BarrierParams>()});
  kinds.add({"crossbar",
             "from many masters to one target or more",
             make_with<interconnect::Crossbar, interconnect::CrossbarParams>(),
             {},
             "out_0"});
  kinds.add({"dispatcher", "gives work groups to clusters",
             make_with<dispatcher::Dispatcher, dispatcher::DispatcherParams>(), make_fast_dispatcher()});
  kinds.add({"command_processor", "launches kernels from queues in memory",
             make_with<command_processor::CommandProcessor, command_processor::CommandProcessorParams>(),
             make_fast_command_processor()});
  kinds.add({"hart", "runs the firmware of the command processor", make_hart(), make_hart()});
  kinds.add({"host_port", "the way in for a host in the same simulation",
             make_host_port(host_port::HostPort::Behind::kTimed),
             make_host_port(host_port::HostPort::Behind::kUntimed)});
  kinds.add({"main_memory", "DRAM", make_with<main_memory::MainMemory, main_memory::Params>(),
             make_bare<main_memory::FastMainMemory, main_memory::Params>()});
}

}  // namespace spica::cluster

// SPDX-License-Identifier: Apache-2.0
// The kinds of units outside the cores.
#include "models/assembly/kinds.h"
#include "models/barrier/barrier_synchronizer.h"
#include "models/barrier/fast_barrier.h"
#include "models/cluster/kinds_parts.h"
#include "models/command_processor/command_processor.h"
#include "models/command_processor/fast_command_processor.h"
#include "models/dispatcher/dispatcher.h"
#include "models/dma/dma.h"
#include "models/dma/fast_dma.h"
#include "models/host_port/host_port.h"
#include "models/matrix_unit/accelerator_node.h"
#include "models/matrix_unit/fast_matrix_unit.h"
#include "models/matrix_unit/matrix_unit.h"

namespace spica::cluster {

namespace {

using assembly::BuildSite;
using assembly::Factory;
using assembly::Kind;
using assembly::make_bare;
using assembly::make_with;

Factory make_fast_matrix_unit() {
  return [](const BuildSite& site) {
    const auto& params = std::any_cast<const matrix_unit::MatrixUnitParams&>(site.params);
    return std::make_unique<matrix_unit::FastMatrixUnit>(site.name, params, site.clock.period(),
                                                         *site.machine.time);
  };
}

Factory make_fast_dma() {
  return [](const BuildSite& site) {
    const auto& params = std::any_cast<const dma::DmaParams&>(site.params);
    return std::make_unique<dma::FastDma>(site.name, params, site.clock.period());
  };
}

/// The factory of a block of the fast mode that keeps its own time.
template <class Block, class Params>
Factory make_timed() {
  return [](const BuildSite& site) {
    return std::make_unique<Block>(site.name, std::any_cast<const Params&>(site.params), *site.machine.time);
  };
}

Factory make_host_port(host_port::HostPort::Behind behind) {
  return [behind](const BuildSite& site) {
    const auto& params = std::any_cast<const host_port::HostPortParams&>(site.params);
    return std::make_unique<host_port::HostPort>(site.name, params, site.clock, site.machine.map, behind);
  };
}

}  // namespace

void add_unit_kinds(assembly::Kinds& kinds) {
  kinds.add(Kind{"matrix_unit", "a matrix unit"}
                .with_cycle(make_with<matrix_unit::MatrixUnit, matrix_unit::MatrixUnitParams>())
                .with_fast(make_fast_matrix_unit()));
  kinds.add(Kind{"dma", "the DMA of a matrix unit"}
                .with_cycle(make_with<dma::Dma, dma::DmaParams>())
                .with_fast(make_fast_dma()));
  kinds.add(Kind{"accelerator_node", "hands the words of CSR 0xACC to the matrix units"}
                .with_cycle(make_with<matrix_unit::AcceleratorNode, std::size_t>())
                .with_fast(make_timed<matrix_unit::FastAcceleratorNode, std::size_t>()));
  kinds.add(Kind{"barrier", "the barrier synchronizer of a cluster"}
                .with_cycle(make_with<barrier::BarrierSynchronizer, barrier::BarrierParams>())
                .with_fast(make_bare<barrier::FastBarrier, barrier::BarrierParams>()));
  kinds.add(Kind{"dispatcher", "gives work groups to clusters"}
                .with_cycle(make_with<dispatcher::Dispatcher, dispatcher::DispatcherParams>())
                .with_fast(make_timed<dispatcher::FastDispatcher, dispatcher::DispatcherParams>()));
  using Queues = command_processor::CommandProcessorParams;
  kinds.add(Kind{"command_processor", "launches kernels from queues in memory"}
                .with_cycle(make_with<command_processor::CommandProcessor, Queues>())
                .with_fast(make_timed<command_processor::FastCommandProcessor, Queues>()));
  kinds.add(Kind{"host_port", "the interface for a host in the same simulation"}
                .with_cycle(make_host_port(host_port::HostPort::Behind::kTimed))
                .with_fast(make_host_port(host_port::HostPort::Behind::kUntimed)));
}

}  // namespace spica::cluster

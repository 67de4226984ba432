// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "models/barrier/barrier_synchronizer.h"
#include "models/cache/cache.h"
#include "models/cluster/cluster_params.h"
#include "models/coalescer/coalescer.h"
#include "models/console/console.h"
#include "models/dma/dma.h"
#include "models/interconnect/peripheral_bus.h"
#include "models/matrix_unit/accelerator_node.h"
#include "models/matrix_unit/matrix_unit.h"
#include "models/shared_memory/shared_memory.h"
#include "models/simt_core/simt_core.h"
#include "models/tensor_core/decoupled_tensor_core.h"
#include "models/tensor_core/tensor_core.h"

namespace spica::cluster {

/// Composition of one cluster: builds its blocks and binds them, nothing else.
///
///   core n ── tensor core n                          (where present; a decoupled one has two wide_in ports)
///          ── icache n ──────────────► master 2n     (to the system bus)
///          ── coalescer n ── dcache n ► master 2n+1
///          ── shared memory core_in n
///          ── peripheral bus ── print buffer, putchar, matrix-unit registers
///          ── barrier, accelerator node
///   unit u ── shared memory wide_in 3u (A), 3u+1 (B); its DMA ── wide_in 3u+2, master 2*cores+u
///   decoupled tensor core n ── wide_in 3*units+2n (A), 3*units+2n+1 (B)
///   host port (where present) ── the last wide_in, peripheral bus in[cores]; bound by the machine
///
/// Unbound: masters() to the system bus; `fault`, `console` and `marker` to the platform.
class Cluster final : public sc_core::sc_module {
  const ClusterParams params_;  // completed; first, because the blocks are built from it

 public:
  /// `first_core` is the number of core 0 over the whole machine, `all_cores` their number there.
  Cluster(const sc_core::sc_module_name& name, const ClusterParams& params, unsigned first_core,
          unsigned all_cores, const protocol::AddressMap& map, const base::ClockDomain& clock);

  sc_core::sc_port<protocol::FaultIf> fault{"fault"};
  sc_core::sc_port<protocol::ConsoleIf> console{"console"};
  sc_core::sc_port<protocol::MarkerIf> marker{"marker"};

  sc_core::sc_vector<simt_core::SimtCore> cores{"core"};
  sc_core::sc_vector<tensor_core::TensorCore> tensor_cores{"tensor_core"};  // one of the two
  sc_core::sc_vector<tensor_core::DecoupledTensorCore> decoupled_tensor_cores{
      "decoupled_tensor_core"};                                             // has one per core, or none
  sc_core::sc_vector<cache::Cache> icaches{"icache"};
  sc_core::sc_vector<cache::Cache> dcaches{"dcache"};
  sc_core::sc_vector<coalescer::Coalescer> coalescers{"coalescer"};
  shared_memory::SharedMemory shared_memory;
  sc_core::sc_vector<matrix_unit::MatrixUnit> matrix_units{"matrix_unit"};
  sc_core::sc_vector<dma::Dma> dmas{"dma"};
  matrix_unit::AcceleratorNode accelerator;
  interconnect::PeripheralBus peripheral_bus;
  console::Console print_buffer;
  std::unique_ptr<console::Console> putchar;  // only where it has its own window
  barrier::BarrierSynchronizer barrier;

  /// The sockets that need the system bus.
  std::vector<protocol::InitiatorSocket*> masters();
  /// All blocks in tick order, from memory towards the cores.
  std::vector<base::Component*> components();

 private:
  void bind();
};

}  // namespace spica::cluster

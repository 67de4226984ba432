// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "models/barrier/arrival_table.h"
#include "models/cluster/cluster_params.h"
#include "models/console/console.h"
#include "models/dma/fast_dma.h"
#include "models/interconnect/peripheral_bus.h"
#include "models/matrix_unit/fast_matrix_unit.h"
#include "models/protocol/loose_time.h"
#include "models/simt_core/fast/fast_core.h"
#include "models/tensor_core/fast_tensor_core.h"

namespace spica::cluster {

/// One cluster of the fast mode: blocks without time in the places of those of Cluster; caches, coalescers and
/// banks are left out, shared memory is bytes. Composition, and the barrier, which releases at once.
class FastCluster final : public sc_core::sc_module, private protocol::BarrierIf {
  const ClusterParams params_;  // completed; first, because the blocks are built from it

 public:
  FastCluster(const sc_core::sc_module_name& name, const ClusterParams& params, unsigned first_core,
              unsigned all_cores, const protocol::AddressMap& map, const base::ClockDomain& clock,
              protocol::LooseTime& time, const protocol::PointedMemory& global);

  sc_core::sc_port<protocol::FaultIf> fault{"fault"};
  sc_core::sc_port<protocol::ConsoleIf> console{"console"};
  sc_core::sc_port<protocol::MarkerIf> marker{"marker"};

  sc_core::sc_vector<simt_core::fast::FastCore> cores{"core"};
  sc_core::sc_vector<tensor_core::FastTensorCore> tensor_cores{"tensor_core"};
  sc_core::sc_vector<matrix_unit::FastMatrixUnit> matrix_units{"matrix_unit"};
  sc_core::sc_vector<dma::FastDma> dmas{"dma"};
  matrix_unit::FastAcceleratorNode accelerator;
  interconnect::PeripheralBus peripheral_bus;
  console::Console print_buffer;
  std::unique_ptr<console::Console> putchar;

  /// As built; counts and observers stay.
  void reset();

  simt_core::fast::CodeCache& code() { return code_; }
  const protocol::PointedMemory& shared() const { return shared_; }
  /// Who has arrived at which barrier.
  const barrier::ArrivalTable& barriers() const { return barriers_; }

 private:
  void arrive(unsigned core, unsigned id) override;
  void bind();

  std::vector<unsigned char> shared_bytes_;
  protocol::Reservations shared_reservations_;
  const protocol::PointedMemory shared_;
  simt_core::fast::CodeCache code_;
  barrier::ArrivalTable barriers_;
};

}  // namespace spica::cluster

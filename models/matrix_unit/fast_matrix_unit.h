// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "models/matrix_unit/accumulator.h"
#include "models/matrix_unit/block_multiplier.h"
#include "models/matrix_unit/controller.h"
#include "models/matrix_unit/moves.h"
#include "models/matrix_unit/word_slot.h"
#include "models/protocol/accelerator_if.h"
#include "models/protocol/fault_if.h"
#include "models/protocol/loose_time.h"
#include "models/protocol/pointed_memory.h"
#include "models/protocol/probe_if.h"
#include "models/protocol/sockets.h"

namespace spica::matrix_unit {

/// The matrix unit of the fast mode: the controller, arithmetic and accumulator of MatrixUnit. Each command is done when
/// it arrives, in program order.
///
/// Time     only the busy bit and the count of running loops know it: the array takes DIM cycles per block, the
///          DMA what it says, and both work in parallel
/// Omits    lost commands: there is always room
class FastMatrixUnit final : public sc_core::sc_module,
                             public protocol::Probed,
                             private protocol::RequestHandler,
                             private protocol::ResponseHandler {
 public:
  FastMatrixUnit(const sc_core::sc_module_name& name, const MatrixUnitParams& params,
                 const sc_core::sc_time& cycle, protocol::LooseTime& time);

  protocol::TargetSocket mmio{"mmio"};
  protocol::AccumulatorTargetSocket accumulator{"accumulator"};
  protocol::MoveInitiatorSocket dma{"dma"};
  sc_core::sc_port<protocol::FaultIf> fault{"fault"};

  void connect(const protocol::PointedMemory& shared) { shared_ = shared; }

  /// A word written to CSR 0xACC, unit number (bits 7:5) cleared.
  void command(std::uint32_t word, const Origin& origin);
  /// As built; counts and observers stay.
  void reset();
  bool busy() const { return time_.now < idle_from_; }
  /// The first cycle in which the unit has nothing to do.
  base::Cycle idle_from() const { return idle_from_; }
  std::uint64_t macs() const { return stats_.macs.value(); }

 private:
  enum Port : unsigned { kMmio, kAccumulator, kDma };
  bool on_request(unsigned, protocol::Payload&) override { return true; }
  unsigned on_debug(unsigned, protocol::Payload&) override { return 0; }
  void on_blocking(unsigned port, protocol::Payload& payload, sc_core::sc_time& delay) override;
  void on_response(unsigned, protocol::Payload&) override {}
  void on_ready(unsigned) override {}
  void end_of_elaboration() override { controller_.connect(*fault.operator->()); }

  std::uint32_t poll(std::uint32_t offset);
  void run();
  void run_loops();
  void perform(const UnitCommand& command);
  bool move(const UnitCommand& command);
  void preload(const BlockWork& work);
  void compute(const BlockWork& work);
  void read_operand(const BlockWork& work);

  const MatrixUnitParams params_;
  const sc_core::sc_time cycle_;
  protocol::LooseTime& time_;
  protocol::PointedMemory shared_;
  MatrixUnitStats stats_;
  Controller controller_;
  BlockMultiplier multiplier_;
  OperandBlock operand_;
  std::vector<float> partial_;
  Accumulator sums_;

  base::Cycle array_free_ = 0, dma_free_ = 0;  // estimates
  base::Cycle idle_from_ = 0;
  std::deque<base::Cycle> loop_ends_;  // of counted loops that are running, for software
  std::uint32_t next_id_ = 0;  // of pieces of work, for observers
  MovePool payloads_;
  MovePayload& payload_;
};

/// The node between CSR 0xACC of the cores and the matrix units of a cluster, in the fast mode. Cores do not meet in a
/// cycle: none loses its word to another one.
class FastAcceleratorNode final : public sc_core::sc_module, public protocol::AcceleratorIf {
 public:
  FastAcceleratorNode(const sc_core::sc_module_name& name, protocol::LooseTime& time)
      : sc_module(name), time_(time) {}

  sc_core::sc_port<protocol::FaultIf> fault{"fault"};

  void reset() {
    for (Unit& unit : units_) unit.slot.reset();
  }
  /// Adds the next unit: the first is number 0.
  void attach(FastMatrixUnit& unit) { units_.push_back({&unit}); }
  void command(unsigned core, std::uint32_t word, const Origin& origin) override;
  std::uint32_t busy() const override;

 private:
  struct Unit {
    FastMatrixUnit* unit;
    WordSlot slot{};
  };
  protocol::LooseTime& time_;
  std::vector<Unit> units_;
};

}  // namespace spica::matrix_unit

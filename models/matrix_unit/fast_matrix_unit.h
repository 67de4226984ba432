// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "models/base/block.h"
#include "models/matrix_unit/accumulator.h"
#include "models/matrix_unit/block_multiplier.h"
#include "models/matrix_unit/command_if.h"
#include "models/matrix_unit/controller.h"
#include "models/matrix_unit/moves.h"
#include "models/matrix_unit/word_slot.h"
#include "models/matrix_unit/work_log.h"
#include "models/protocol/ports/accelerator_if.h"
#include "models/protocol/ports/commanded_if.h"
#include "models/protocol/ports/fault_if.h"
#include "models/protocol/ports/probe_if.h"
#include "models/protocol/transport/loose_time.h"
#include "models/protocol/transport/pointer_ports.h"
#include "models/protocol/transport/sockets.h"

namespace spica::matrix_unit {

/// The matrix unit of the fast mode: controller, arithmetic and accumulator of MatrixUnit. Each command completes when
/// it arrives, in program order.
///
/// Time     used only for the busy bit and the count of running loops: DIM cycles per block in the array and the DMA's
///          own estimate, in parallel
/// Omits    lost commands: there is always room
class FastMatrixUnit final : public sc_core::sc_module,
                             public base::Block,
                             public protocol::Probed,
                             public protocol::CommandedIf,
                             public LooseCommandIf,
                             private protocol::RequestHandler,
                             private protocol::ResponseHandler {
 public:
  FastMatrixUnit(const sc_core::sc_module_name& name, const MatrixUnitParams& params,
                 const sc_core::sc_time& cycle, protocol::LooseTime& time);

  protocol::TargetSocket mmio{"mmio"};
  protocol::AccumulatorTargetSocket accumulator{"accumulator"};
  protocol::MoveInitiatorSocket dma{"dma"};
  protocol::MemoryPort smem_a{"smem_a"}, smem_b{"smem_b"};  // the same memory
  sc_core::sc_port<protocol::FaultIf> fault{"fault"};

  void command(unsigned core, std::uint32_t word, const Origin& origin) override;
  bool busy(base::Cycle cycle) const override { return cycle < idle_from_; }
  base::Cycle idle_from() const override { return idle_from_; }

  void reset() override;
  void architecture(base::Checkpoint& checkpoint) override;
  bool timing(base::Checkpoint& checkpoint) override;
  void dump_state(std::ostream& out) const override;
  std::uint64_t work_done() const override { return stats_.macs.value(); }
  bool works() const override { return busy(time_.now); }
  std::string command_name(std::uint32_t word, bool cisc) const override;

 private:
  enum Port : unsigned { kMmio, kAccumulator, kDma };
  bool on_request(unsigned, protocol::Payload&) override { return true; }
  unsigned on_debug(unsigned, protocol::Payload&) override { return 0; }
  void on_blocking(unsigned port, protocol::Payload& payload, sc_core::sc_time& delay) override;
  void on_response(unsigned, protocol::Payload&) override {}
  void on_ready(unsigned) override {}
  void end_of_elaboration() override {
    controller_.connect(*fault.operator->());
    log_.connect(*fault.operator->());
  }

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
  MatrixUnitStats stats_;
  Controller controller_;
  WorkLog log_;
  BlockMultiplier multiplier_;
  OperandBlock operand_;
  std::vector<float> partial_;
  Accumulator sums_;

  base::Cycle array_free_ = 0, dma_free_ = 0;  // estimates
  base::Cycle idle_from_ = 0;
  std::deque<base::Cycle> loop_ends_;  // end times of counted loops, for the register
  std::uint32_t next_id_ = 0;  // next number of a piece of work, for observers
  MovePool payloads_;
  MovePayload& payload_;
};

/// The node between CSR 0xACC of the cores and the matrix units of a cluster, in the fast mode. Words never collide, so
/// none is lost.
class FastAcceleratorNode final : public sc_core::sc_module,
                                  public base::Block,
                                  public protocol::AcceleratorIf {
 public:
  FastAcceleratorNode(const sc_core::sc_module_name& name, std::size_t units, protocol::LooseTime& time)
      : sc_module(name), out("out", units), time_(time), units_(units) {}

  sc_core::sc_port<protocol::FaultIf> fault{"fault"};

  sc_core::sc_vector<sc_core::sc_port<LooseCommandIf>> out;  // by unit

  void reset() override {
    for (Unit& unit : units_) unit.slot.reset();
  }
  bool timing(base::Checkpoint& checkpoint) override;
  void dump_state(std::ostream&) const override {}
  void command(unsigned core, std::uint32_t word, const Origin& origin) override;
  std::uint32_t busy() const override;

 private:
  void end_of_elaboration() override {
    for (std::size_t i = 0; i < units_.size(); ++i) units_[i].unit = out[i].operator->();
  }
  struct Unit {
    LooseCommandIf* unit = nullptr;
    WordSlot slot{};
  };
  protocol::LooseTime& time_;
  std::vector<Unit> units_;
};

}  // namespace spica::matrix_unit

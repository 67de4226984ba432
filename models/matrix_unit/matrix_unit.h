// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/base/component.h"
#include "models/matrix_unit/accumulator_port.h"
#include "models/matrix_unit/activity_account.h"
#include "models/matrix_unit/busy_bit.h"
#include "models/matrix_unit/command_if.h"
#include "models/matrix_unit/controller.h"
#include "models/matrix_unit/moves.h"
#include "models/matrix_unit/operand_reads.h"
#include "models/matrix_unit/reservation_station.h"
#include "models/matrix_unit/systolic_array.h"
#include "models/matrix_unit/work_log.h"
#include "models/protocol/ports/commanded_if.h"
#include "models/protocol/ports/fault_if.h"
#include "models/protocol/ports/probe_if.h"
#include "models/protocol/transport/sockets.h"

namespace spica::matrix_unit {

/// The cluster-level matrix unit: command front end, loop unroller, reservation station,
/// weight-stationary array and accumulator.
///
/// Shape     DIM x DIM array (default 8x8 FP32), one row of A and one row of B read per cycle
/// Timing    a block operation takes DIM cycles, back to back; results follow array_latency()
///           cycles after its last row; loads run ahead of execution, block by block, and overlap
///           older loops
/// Faults    an invalid command is dropped and reported with its issuer
/// Omits     activation, scaling, transposition, output-stationary dataflow, contention of DMA and
///           array for the accumulator.       Source: virgo tile/GemminiTile.scala, gemmini
class MatrixUnit final : public base::Component,
                         public protocol::Probed,
                         public protocol::CommandedIf,
                         public CommandIf,
                         private protocol::RequestHandler,
                         private protocol::ResponseHandler {
 public:
  MatrixUnit(const sc_core::sc_module_name& name, const MatrixUnitParams& params,
             const base::ClockDomain& clock);

  protocol::TargetSocket mmio{"mmio"};  // one block of registers, 4-byte accesses
  protocol::AccumulatorTargetSocket accumulator{
      "accumulator"};  // one row at row * accumulator_row_bytes, for the DMA
  protocol::InitiatorSocket smem_a{
      "smem_a"};  // reads of rows of A, B at a byte offset in shared memory, in bursts of one row per beat
  protocol::InitiatorSocket smem_b{"smem_b"};
  protocol::MoveInitiatorSocket dma{"dma"};  // loads and stores
  sc_core::sc_port<protocol::FaultIf> fault{"fault"};

  /// Takes effect in the next tick.
  void command(unsigned core, std::uint32_t word, const protocol::Origin& origin) override;
  /// `at` is this cycle or the one before.
  bool busy(base::Cycle at) const override { return busy_.at(at, now()); }
  const MatrixUnitParams& params() const { return params_; }

  void tick() override;
  void reset() override;
  bool idle() const override;
  MatrixUnitStats& stats() override { return stats_; }
  const base::BlockType& type() const override { return block_type(); }
  static const base::BlockType& block_type();
  base::AreaTerms area() const override;
  base::Properties properties() const override;
  void dump_state(std::ostream& out) const override;
  void architecture(base::Checkpoint& checkpoint) override;
  void objects(base::Checkpoint& checkpoint) override;
  bool timing(base::Checkpoint& checkpoint) override;
  std::string command_name(std::uint32_t word, bool cisc) const override;
  std::uint64_t work_done() const override { return stats_.macs.value(); }
  bool works() const override { return !idle(); }

 private:
  enum Port : unsigned { kMmio, kAccumulator, kSharedA, kSharedB, kDma };

  bool on_request(unsigned port, protocol::Payload& payload) override;
  unsigned on_debug(unsigned port, protocol::Payload& payload) override;
  void on_response(unsigned port, protocol::Payload& payload) override;
  void on_ready(unsigned) override { wake_now(); }

  void end_of_elaboration() override {
    controller_.connect(*fault.operator->());
    log_.connect(*fault.operator->());
  }
  SystolicArray::Finished tick_array();
  bool issue();
  /// True if issue() may find something in the next cycle without events from outside.
  bool may_issue() const {
    return (array_.can_push() && station_.head(CommandClass::kExecute) != nullptr) ||
           (dma.ready() && (station_.head(CommandClass::kLoad) != nullptr ||
                            station_.head(CommandClass::kStore) != nullptr));
  }

  bool has_work() const {
    return !station_.empty() || controller_.loops_configured() || controller_.waiting();
  }
  void issue(CommandClass c);
  void complete(CommandClass c, unsigned entry);
  bool serve_mmio();
  /// The value of the register at `offset`.
  std::uint32_t shown(std::uint32_t offset) const {
    return offset == MATRIX_UNIT_LOOPS ? controller_.running_loops() : std::uint32_t{busy(now())};
  }
  void start_work();
  void plan(bool more);
  Activity activity() const;
  void on_moved(const Moves::Done& done);
  void on_operands();
  static std::uint32_t work_id(CommandClass c, unsigned entry) {
    return static_cast<unsigned>(c) << 8 | entry;
  }

  const MatrixUnitParams params_;
  MatrixUnitStats stats_;
  Controller controller_;
  WorkLog log_;
  ReservationStation station_;
  SystolicArray array_;
  Accumulator sums_;
  OperandReads operands_;
  Moves moves_;
  AccumulatorPort rows_;
  protocol::Payload* register_access_ = nullptr;
  BusyBit busy_;
  ActivityAccount activities_;
  std::vector<unsigned> done_;  // entries completed in this tick
};

}  // namespace spica::matrix_unit

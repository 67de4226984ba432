// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/base/component.h"
#include "models/matrix_unit/command_front_end.h"
#include "models/matrix_unit/dma_payload.h"
#include "models/matrix_unit/loop_unroller.h"
#include "models/matrix_unit/matrix_unit_params.h"
#include "models/matrix_unit/matrix_unit_stats.h"
#include "models/matrix_unit/operand_payload.h"
#include "models/matrix_unit/reservation_station.h"
#include "models/matrix_unit/rocc_decoder.h"
#include "models/matrix_unit/systolic_array.h"
#include "models/matrix_unit/unit_registers.h"
#include "models/protocol/fault_if.h"
#include "models/protocol/probe_if.h"
#include "models/protocol/sockets.h"

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
                         private protocol::RequestHandler,
                         private protocol::ResponseHandler {
 public:
  MatrixUnit(const sc_core::sc_module_name& name, const MatrixUnitParams& params,
             const base::ClockDomain& clock);

  protocol::TargetSocket mmio{"mmio"};  // one block of registers, 4-byte accesses
  protocol::TargetSocket accumulator{"accumulator"};  // one row at row * accumulator_row_bytes, for the DMA
  protocol::InitiatorSocket smem_a{
      "smem_a"};  // reads of rows of A, B at a byte offset in shared memory, bursts of a row per beat
  protocol::InitiatorSocket smem_b{"smem_b"};
  protocol::InitiatorSocket dma{"dma"};  // loads and stores
  sc_core::sc_port<protocol::FaultIf> fault{"fault"};

  /// A word written to CSR 0xACC by core `core`, unit number (bits 7:5) cleared. Seen by the next
  /// tick.
  void command(unsigned core, std::uint32_t word, const protocol::Origin& origin);
  /// The busy bit as it was in cycle `at`, which is this cycle or the one before.
  bool busy(base::Cycle at) const;
  const MatrixUnitParams& params() const { return params_; }

  void tick() override;
  void reset() override;
  bool idle() const override;
  MatrixUnitStats& stats() override { return stats_; }
  void dump_state(std::ostream& out) const override;

 private:
  enum Port : unsigned { kMmio, kAccumulator, kSharedA, kSharedB, kDma };

  bool on_request(unsigned port, protocol::Payload& payload) override;
  unsigned on_debug(unsigned port, protocol::Payload& payload) override;
  void on_response(unsigned port, protocol::Payload& payload) override;
  void on_ready(unsigned) override { wake_now(); }

  void tick_array();
  void read_operands();
  bool issue();
  bool may_issue() const;
  bool has_work() const;
  bool send_to_dma(CommandClass c);
  void complete(CommandClass c, unsigned entry);
  void tell_begin(CommandClass c, unsigned entry);
  bool unroll();
  bool decode();
  bool serve_mmio();
  void serve_accumulator();
  void access_row(protocol::Payload& payload);
  std::uint32_t read_register(std::uint32_t offset) const;
  bool write_register(std::uint32_t offset, std::uint32_t value, const protocol::Origin& origin);
  void bad_command(const protocol::Origin& origin, const std::string& detail);
  protocol::Origin numbered(protocol::Origin by) const;
  void lost_command(const protocol::Origin& origin, std::uint32_t word);
  void start_work();
  void charge(bool was_feeding);
  Activity activity() const;

  const MatrixUnitParams params_;
  MatrixUnitStats stats_;
  CommandFrontEnd front_end_;
  TransferRegisters transfers_;
  RoccDecoder decoder_;
  LoopSlots slots_;
  LoopUnroller unroller_;
  bool unroll_due_ = false;  // unroll() may find something
  base::Cycle loop_start_ = base::kNever;  // of the next loop that waits for its start
  UnitCommand unrolled_;  // by unroll(), which writes all of it
  ReservationStation station_;
  SystolicArray array_;
  Accumulator sums_;

  OperandRegisters operand_registers_;
  std::uint32_t commands_ = 0;  // taken so far
  protocol::Payload* register_access_ = nullptr;
  struct RowAccess {
    protocol::Payload* payload;
    base::Cycle due;
  };
  base::BoundedQueue<RowAccess> row_accesses_;
  unsigned stores_at_dma_ = 0;
  bool active_ = false;  // work in flight, for the busy bit
  base::Cycle busy_from_ = 0, idle_from_ = 0;
  std::uint64_t epoch_ = 0;  // responses to requests from before a reset are ignored
  SystolicArray::Finished finished_;  // in this tick
  base::Cycle last_step_ = 0;  // of the last finished pass
  std::vector<unsigned> done_;  // entries completed in this tick
  OperandPool operands_;
  DmaPool dma_payloads_;
};

}  // namespace spica::matrix_unit

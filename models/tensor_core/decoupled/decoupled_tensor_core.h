// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "models/base/bounded_queue.h"
#include "models/base/component.h"
#include "models/protocol/payload/payload_pool.h"
#include "models/protocol/ports/decoupled_tensor_if.h"
#include "models/protocol/transport/sockets.h"
#include "models/tensor_core/arithmetic.h"
#include "models/tensor_core/decoupled/accumulator_rows.h"
#include "models/tensor_core/decoupled/decoupled_stats.h"
#include "models/tensor_core/decoupled/operand_stream.h"
#include "models/tensor_core/decoupled/tile_front_end.h"
#include "models/tensor_core/tensor_core_params.h"

namespace spica::tensor_core {

/// The decoupled tensor core of one SIMT core (virgo core/TensorCoreDecoupled.scala): reads operand tiles from shared
/// memory itself, keeps C in the warp's 32 floating-point registers, and works while the warp continues.
///
///   dispatch buffers (per warp) -> instruction queue -> front end -> A and B reads, a block per cycle each
///                                                                     |
///   register file, third read port -> accumulator rows ---------------+-> eight dot-product units
///                                  <- write-back, one row per cycle <----- pipeline of `latency` stages
///
/// Shape    C(16x16) += A(16xK) * B(Kx16), K = 32 (FP16) or 16 (FP32): 4 sets x 32 register rows
/// Accepts  instructions in order per warp, warps in turn; one at a time is in the front end, which starts the next one
///          front_end_turnaround cycles after its last request
/// Timing   alone, with operands that answer in L cycles and no conflict: the first row enters the units
///          L + 11 cycles after the instruction entered the front end, one more per cycle, and is written
///          back `latency` cycles later; 128 + accumulator_turnaround cycles per instruction at best when
///          instructions follow one another
/// Blocks   everything from the units on stalls while a result waits for the write-back port
/// Registers  A row of C is read up to accumulator_rows rows before it is used and written when its sum is
///          done. An instruction of the warp that touches f0-f31 meanwhile sees what was written until it
///          issues, and its own result is overwritten or used depending on the cycle: deterministic, but
///          nothing to rely on (hgmma_wait orders; deviation D87)
/// Errors   none of the guest's: the core has checked the addresses
class DecoupledTensorCore final : public base::Component,
                                  public protocol::DecoupledTensorIf,
                                  private protocol::ResponseHandler {
 public:
  DecoupledTensorCore(const sc_core::sc_module_name& name, const TensorCoreParams& params,
                      const base::ClockDomain& clock);

  sc_core::sc_export<protocol::DecoupledTensorIf> in{"in"};
  sc_core::sc_port<protocol::TensorRegistersIf> registers{"registers"};
  protocol::InitiatorSocket smem_a{"smem_a"};
  protocol::InitiatorSocket smem_b{"smem_b"};

  // protocol::DecoupledTensorIf
  unsigned most_in_flight() const override { return static_cast<unsigned>(params_.decoupled.in_flight); }
  bool room(unsigned warp) const override { return front_end_.room(warp); }
  void push(const protocol::TileProduct& product) override;

  void tick() override;
  void reset() override;
  bool idle() const override { return inside_ == 0; }
  DecoupledStats& stats() override { return stats_; }
  const base::BlockType& type() const override { return block_type(); }
  static const base::BlockType& block_type();
  base::AreaTerms area() const override;
  base::Properties properties() const override;
  void dump_state(std::ostream& out) const override;
  void objects(base::Checkpoint& checkpoint) override;
  bool timing(base::Checkpoint& checkpoint) override;
  std::uint64_t work_done() const override { return stats_.macs.value(); }
  bool works() const override { return !idle(); }

  const TensorCoreParams& params() const { return params_; }

 private:
  using Side = TileFrontEnd::Side;
  static constexpr Side kA = Side::kA, kB = Side::kB;
  /// A row in the dot-product units; it leaves when the pipeline has advanced to `done`.
  struct Result {
    protocol::TensorRow row;
    base::Cycle done;
  };

  /// The position of a stage within the instructions of started_.
  class Progress {
   public:
    /// Instructions that have passed the stage completely.
    unsigned done() const { return done_; }
    /// The row of the next instruction.
    unsigned row() const { return row_; }
    bool at_last_row() const { return row_ + 1 == tile::kPositions; }
    /// A row has passed. True: the last one of its instruction.
    bool step() {
      const bool last = at_last_row();
      row_ = last ? 0 : row_ + 1;
      done_ += last;
      return last;
    }
    /// The oldest instruction has left.
    void drop() { --done_; }
    template <class Archive>
    void serialize(Archive& archive) {
      archive(done_, row_);
    }

   private:
    unsigned done_ = 0, row_ = 0;
  };

  bool write_back();
  bool compute();
  bool read_accumulator();
  void send(Side side, protocol::InitiatorSocket& socket);
  void start_next();
  void fill_queue();
  TileReason reason_to_wait() const;

  // protocol::ResponseHandler of both sockets
  void on_response(unsigned port, protocol::Payload& payload) override;
  void on_ready(unsigned) override {}  // awake anyway

  const TensorCoreParams params_;
  const Arithmetic arithmetic_;
  const std::uint64_t row_macs_;

  TileFrontEnd front_end_;

  // operands
  protocol::LinePool pool_;
  // Requests without an answer, by operand.
  base::BoundedQueue<protocol::LinePayload*> asked_[2];  // NOLINT(modernize-use-default-member-init)
  OperandStream streams_[2];  // NOLINT(modernize-use-default-member-init)
  AccumulatorRows accumulators_;

  // Instructions that have left the front end, oldest first, and the position of each stage within them.
  base::BoundedQueue<protocol::Origin> started_;
  Progress reading_, computing_, writing_;
  bool reads_ = false;  // accumulator reads of the next instruction have begun
  bool port_taken_ = false;  // there was a read in the previous cycle
  base::Cycle reader_free_ = 0;
  base::BoundedQueue<Result> pipeline_;
  base::Cycle stood_still_ = 0;  // cycles lost by the pipeline so far
  std::uint64_t inside_ = 0;  // instructions from push to the last write-back

  DecoupledStats stats_;
};

}  // namespace spica::tensor_core

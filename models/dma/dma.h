// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/base/component.h"
#include "models/dma/dma_params.h"
#include "models/dma/dma_stats.h"
#include "models/dma/engines.h"
#include "models/dma/global_port.h"
#include "models/dma/requests.h"
#include "models/dma/shaper.h"
#include "models/protocol/transport/sockets.h"

namespace spica::dma {

/// Loads and stores of a matrix unit: two-dimensional moves between global memory, shared memory and the accumulator.
///
/// Bandwidth  one request per cycle to global memory, reads and writes in turn (a write of 64 bytes occupies the writer
///            for two cycles); one row per cycle to shared memory; one row per cycle of the accumulator
/// Capacity   16 reads, 16 writes to global and 2 x 16 writes to shared memory in flight; for a round trip of L cycles,
///            loads therefore run at read_ids * 64 / L bytes per cycle
/// Latency    translate_latency cycles before each read
/// Reshaping  load rows whose elements are converted or transposed pass through scale units and transposer (shaper.h)
///            before they are written
/// Order      reads may be answered in any order; commands complete in any order
/// Origin     requests carry the issuer of the command, with unit kDma.       Source: gemmini
/// DMA.scala, LoadController.scala, StoreController.scala
class Dma final : public base::Component,
                  private protocol::RequestHandler,
                  private protocol::ResponseHandler {
 public:
  Dma(const sc_core::sc_module_name& name, const DmaParams& params, const base::ClockDomain& clock);

  protocol::MoveTargetSocket in{"in"};  // DmaCommand; answered when everything is moved
  protocol::InitiatorSocket gmem{"gmem"};  // aligned requests of 32 or 64 bytes
  protocol::InitiatorSocket smem{"smem"};  // writes of one row of one block
  protocol::AccumulatorInitiatorSocket accumulator{
      "accumulator"};  // one row at row * accumulator_row_bytes, with the DmaCommand

  void tick() override;
  void reset() override;
  bool idle() const override;
  DmaStats& stats() override { return stats_; }
  const base::BlockType& type() const override { return block_type(); }
  static const base::BlockType& block_type();
  base::AreaTerms area() const override;
  void dump_state(std::ostream& out) const override;
  void objects(base::Checkpoint& checkpoint) override;
  bool timing(base::Checkpoint& checkpoint) override;
  std::uint64_t work_done() const override;
  bool works() const override { return !idle(); }

 private:
  enum Port : unsigned { kIn, kGlobal, kShared, kAccumulator };

  bool on_request(unsigned port, protocol::Payload& payload) override;
  unsigned on_debug(unsigned, protocol::Payload&) override { return 0; }
  void on_response(unsigned port, protocol::Payload& payload) override;
  void on_ready(unsigned) override { wake_now(); }

  bool push(protocol::Payload& payload);
  bool tick_shared();
  bool tick_accumulator();
  void send_shared_store();
  void send_shared_load();
  bool send_bias();
  bool fetch(Engine which);
  RowPayload& row(tlm::tlm_command command, std::uint32_t row, unsigned bytes, const protocol::Origin& origin,
                  const protocol::Move& move, const Requests::Name& name);
  void on_line(unsigned port, protocol::LinePayload& payload);
  void on_row(RowPayload& payload);
  void load_written(unsigned command, bool failed);
  void store_written(StoreEngine& engine, unsigned command, bool failed);
  void complete(void* handle, bool failed);
  ReaderActivity reader_activity(bool issued) const;
  WriterActivity writer_activity(bool issued) const;

  const DmaParams params_;
  DmaStats stats_;
  Engines engines_;
  LoadEngine& loads_;  // point into engines_
  StoreEngine &global_store_, &shared_store_;
  bool store_turn_ = false;  // if both have a row, a store is the next to write to smem
  unsigned accumulator_turn_ = 0;
  unsigned shared_loads_ = 0;  // load rows being written to shared memory
  Requests requests_;
  GlobalPort global_;
  Shaper shaper_;
};

}  // namespace spica::dma

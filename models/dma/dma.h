// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/base/bounded_queue.h"
#include "models/base/component.h"
#include "models/dma/dma_params.h"
#include "models/dma/dma_stats.h"
#include "models/dma/load_engine.h"
#include "models/dma/row_payload.h"
#include "models/dma/store_engine.h"
#include "models/protocol/dma_command.h"
#include "models/protocol/payload_pool.h"
#include "models/protocol/sockets.h"

namespace spica::dma {

/// The load and store path of a matrix unit: two-dimensional moves between global memory, shared
/// memory and the accumulator.
///
/// Bandwidth  one request per cycle to global memory, reads and writes in turn (a write of 64 bytes
///            takes two cycles of the writer); one row per cycle to shared memory; one row per
///            cycle of the accumulator
/// Capacity   16 reads, 16 writes to global and 2 x 16 writes to shared memory under way; so loads
///            run at read_ids * 64 / L bytes per cycle for a round trip of L cycles
/// Latency    translate_latency cycles in front of each read
/// Order      reads may be answered in any order; commands complete in any order
/// Origin     requests carry the issuer of the command, with unit kDma.       Source: gemmini
/// DMA.scala, LoadController.scala, StoreController.scala
class Dma final : public base::Component,
                  private protocol::RequestHandler,
                  private protocol::ResponseHandler {
 public:
  Dma(const sc_core::sc_module_name& name, const DmaParams& params, const base::ClockDomain& clock);

  protocol::TargetSocket in{"in"};         // DmaCommand; the response says that all is moved
  protocol::InitiatorSocket gmem{"gmem"};  // aligned requests of 32 or 64 bytes
  protocol::InitiatorSocket smem{"smem"};  // writes of one row of one block
  protocol::InitiatorSocket accumulator{
      "accumulator"};  // one row at row * accumulator_row_bytes, with the DmaCommand

  void tick() override;
  void reset() override;
  bool idle() const override;
  DmaStats& stats() override { return stats_; }
  void dump_state(std::ostream& out) const override;

 private:
  enum Port : unsigned { kIn, kGlobal, kShared, kAccumulator };
  enum class Engine : unsigned { kLoad, kGlobalStore, kSharedStore };

  bool on_request(unsigned port, protocol::Payload& payload) override;
  unsigned on_debug(unsigned, protocol::Payload&) override { return 0; }
  void on_response(unsigned port, protocol::Payload& payload) override;
  void on_ready(unsigned) override { wake_now(); }

  bool push(protocol::Payload& payload);
  bool tick_shared();
  bool tick_accumulator();
  bool tick_global();
  bool tick_reader();
  bool send_read();
  bool send_write();
  bool fetch(StoreEngine& engine, Engine which);
  void complete(protocol::Payload& payload, bool failed);
  std::uint64_t tag(Engine engine, unsigned number, std::uint32_t offset = 0) const {
    return epoch_ << 48 | std::uint64_t{offset} << 32 | std::uint64_t{static_cast<unsigned>(engine)} << 16 |
           number;
  }
  protocol::LinePayload& line(tlm::tlm_command command, std::uint64_t address, unsigned bytes, void* handle,
                              Engine engine, unsigned number);
  RowPayload& row(tlm::tlm_command command, std::uint32_t row, unsigned bytes, void* handle,
                  const protocol::DmaCommand& move, std::uint64_t tag);
  void on_row(RowPayload& payload);
  void load_written(unsigned command, bool failed);
  StoreEngine& store(Engine engine) { return engine == Engine::kGlobalStore ? global_store_ : shared_store_; }
  bool stores_idle() const { return global_store_.idle() && shared_store_.idle(); }
  ReaderActivity reader_activity(bool issued) const;
  WriterActivity writer_activity(bool issued) const;

  const DmaParams params_;
  DmaStats stats_;
  LoadEngine loads_;
  StoreEngine global_store_, shared_store_;
  struct Translating {
    LoadEngine::Read read;
    base::Cycle due;
  };
  base::BoundedQueue<Translating> translating_;
  base::Cycle writer_free_ = 0;  // a write of two beats keeps the writer for two cycles
  bool write_turn_ = false;      // whose turn it is at gmem
  bool store_turn_ = false;      // ... at smem
  unsigned accumulator_turn_ = 0;
  unsigned shared_loads_ = 0;  // load rows on their way to shared memory
  std::uint64_t epoch_ = 0;
  protocol::LinePool lines_;
  RowPool rows_;
};

}  // namespace spica::dma

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "models/base/block.h"
#include "models/dma/dma_params.h"
#include "models/dma/engines.h"
#include "models/dma/requests.h"
#include "models/protocol/transport/pointer_ports.h"
#include "models/protocol/transport/sockets.h"

namespace spica::dma {

/// The DMA of the fast mode: the engines of Dma, with all requests answered immediately. A command completes when it
/// arrives; its estimated time is added to the delay of the call: one cycle per `bus_bytes` of global memory or per row
/// of shared memory, or the scale units' time for its elements.
class FastDma final : public sc_core::sc_module,
                      public base::Block,
                      private protocol::RequestHandler,
                      private protocol::ResponseHandler {
 public:
  FastDma(const sc_core::sc_module_name& name, const DmaParams& params, const sc_core::sc_time& cycle);

  protocol::MoveTargetSocket in{"in"};  // DmaCommand
  protocol::AccumulatorInitiatorSocket accumulator{"accumulator"};  // one row at row * accumulator_row_bytes

  protocol::MemoryPort gmem{"gmem"}, smem{"smem"};  // addresses of shared memory are offsets

  void reset() override { engines_.reset(); }
  bool timing(base::Checkpoint& checkpoint) override;
  void dump_state(std::ostream& out) const override {
    out << name() << ": idle; a transfer is done when its command is given\n";
  }
  std::uint64_t work_done() const override { return bytes_moved_; }

 private:
  bool on_request(unsigned, protocol::Payload&) override { return true; }
  unsigned on_debug(unsigned, protocol::Payload&) override { return 0; }
  void on_blocking(unsigned port, protocol::Payload& payload, sc_core::sc_time& delay) override;
  void on_response(unsigned, protocol::Payload&) override {}
  void on_ready(unsigned) override {}

  std::uint64_t cycles(const protocol::Move& move) const;
  bool load();
  bool store(Engine which);
  bool write_local(bool to_accumulator);
  bool access_accumulator(tlm::tlm_command kind, std::uint32_t row, std::uint32_t bytes,
                          const protocol::Origin& origin, const protocol::Move& move);

  const DmaParams params_;
  const sc_core::sc_time cycle_;
  Engines engines_;
  RowPool rows_;
  RowPayload& row_;
  std::uint64_t bytes_moved_ = 0;
};

}  // namespace spica::dma

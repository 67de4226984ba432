// SPDX-License-Identifier: Apache-2.0
// A DMA between stub memories, with an agent that gives it commands.
#pragma once

#include <memory>
#include <vector>

#include "models/dma/dma.h"
#include "testbenches/support/bench.h"
#include "testbenches/support/catch.h"

namespace spica::testbench {

using protocol::DmaCommand;

/// A command as the matrix unit would send it; lives as long as the test.
class CommandPayload final : public Payload, private tlm::tlm_mm_interface {
 public:
  CommandPayload() {
    set_mm(this);
    acquire();
    set_extension(&info);
    set_extension(&move);
    set_command(tlm::TLM_IGNORE_COMMAND);
  }
  ~CommandPayload() override {
    clear_extension(&info);
    clear_extension(&move);
  }
  protocol::RequestInfo info;
  DmaCommand move;

 private:
  void free(Payload*) override {}
};

/// A memory that answers its requests newest first, in groups of `group`, and fails at `bad`
/// addresses.
class ReverseMemory final : public base::Component, private protocol::RequestHandler {
 public:
  ReverseMemory(const sc_core::sc_module_name& name, const base::ClockDomain& clock, std::size_t group)
      : Component(name, clock), group_(group) {
    socket.attach(*this);
  }
  protocol::TargetSocket socket{"socket"};
  std::uint64_t bad = ~std::uint64_t{0};
  std::vector<protocol::Origin> origins;  // of the requests, in order of arrival
  static std::uint8_t value(std::uint64_t address) {
    return static_cast<std::uint8_t>(address * 7 + (address >> 8));
  }

  void tick() override {
    if (waiting_.size() >= group_ || now() >= last_ + 20) {
      while (!waiting_.empty()) {
        Payload& p = *waiting_.back();
        waiting_.pop_back();
        for (unsigned i = 0; i < p.get_data_length(); ++i) p.get_data_ptr()[i] = value(p.get_address() + i);
        p.set_response_status(p.get_address() == bad ? tlm::TLM_ADDRESS_ERROR_RESPONSE
                                                     : tlm::TLM_OK_RESPONSE);
        socket.respond(p);
      }
      return;
    }
    wake_next();
  }
  void reset() override { waiting_.clear(); }
  bool idle() const override { return waiting_.empty(); }
  base::StatGroup& stats() override { return stats_; }
  void dump_state(std::ostream&) const override {}

 private:
  bool on_request(unsigned, Payload& payload) override {
    waiting_.push_back(&payload);
    origins.push_back(protocol::info_of(payload).origin);
    last_ = now();
    wake_next();
    return true;
  }
  unsigned on_debug(unsigned, Payload&) override { return 0; }
  const std::size_t group_;
  std::vector<Payload*> waiting_;
  Cycle last_ = 0;
  base::StatGroup stats_;
};

struct DmaBench {
  explicit DmaBench(Cycle gmem_latency = 20, std::size_t gmem_capacity = 64, Cycle smem_latency = 3,
                    std::size_t smem_capacity = 64, dma::DmaParams params = {})
      : gmem("gmem", bench.clock, gmem_latency, gmem_capacity),
        reverse("reverse", bench.clock, 8),
        smem("smem", bench.clock, smem_latency, smem_capacity),
        accumulator("accumulator", bench.clock, 3, 16),
        dma("dma", params, bench.clock),
        agent("agent", bench.clock) {}

  /// Binds, with the ordinary memory or the one that answers in reverse order.
  void build(bool reversed = false) {
    if (reversed) {
      dma.gmem.bind(reverse.socket);
      idle_socket = std::make_unique<TrafficAgent>("unused", bench.clock);
      idle_socket->socket.bind(gmem.socket);
    } else {
      dma.gmem.bind(gmem.socket);
      idle_socket = std::make_unique<TrafficAgent>("unused", bench.clock);
      idle_socket->socket.bind(reverse.socket);
    }
    dma.smem.bind(smem.socket);
    dma.accumulator.bind(accumulator.socket);
    agent.socket.bind(dma.in);
    for (base::Component* c :
         {static_cast<base::Component*>(&gmem), static_cast<base::Component*>(&reverse),
          static_cast<base::Component*>(&smem), static_cast<base::Component*>(&dma),
          static_cast<base::Component*>(&accumulator), static_cast<base::Component*>(&agent),
          static_cast<base::Component*>(idle_socket.get())})
      bench.add(*c);
  }

  /// A load of `rows` rows of `blocks` x 32 bytes from `address` to shared memory at `to`.
  CommandPayload& load(std::uint32_t address, std::uint32_t stride, std::uint32_t to, unsigned rows = 8,
                       unsigned blocks = 2) {
    CommandPayload& c = *commands.emplace_back(std::make_unique<CommandPayload>());
    c.move.kind = DmaCommand::Kind::kGlobalToShared;
    c.move.global_address = address;
    c.move.global_stride = stride;
    c.move.local_address = to;
    c.move.local_stride = 32;
    c.move.block_stride = 256;
    c.move.rows = static_cast<std::uint16_t>(rows);
    c.move.blocks = static_cast<std::uint16_t>(blocks);
    c.move.block_bytes = 32;
    c.info.origin = {protocol::Origin::Unit::kCore, 2, 1, 0x80000100, 1};
    return c;
  }
  CommandPayload& store(DmaCommand::Kind kind, std::uint32_t address, std::uint32_t stride, std::uint32_t row,
                        unsigned blocks) {
    CommandPayload& c = load(address, stride, row, 8, blocks);
    c.move.kind = kind;
    c.move.stream = DmaCommand::Stream::kC;
    c.move.local_stride = 1;
    c.move.block_stride = 8;
    return c;
  }

  Bench bench;
  MemoryStub gmem;
  ReverseMemory reverse;
  MemoryStub smem;
  AccumulatorStub accumulator;
  dma::Dma dma;
  TrafficAgentOf<protocol::MoveInitiatorSocket> agent;
  std::unique_ptr<TrafficAgent> idle_socket;
  std::vector<std::unique_ptr<CommandPayload>> commands;
};

}  // namespace spica::testbench

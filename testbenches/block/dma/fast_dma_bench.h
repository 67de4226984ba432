// SPDX-License-Identifier: Apache-2.0
// A DMA of the fast mode between a global and a shared memory and an accumulator of FP32 rows.
#pragma once

#include <cstring>
#include <vector>

#include "models/dma/fast_dma.h"
#include "testbenches/block/dma/dma_bench.h"

namespace spica::testbench {

using protocol::Move;

struct FastBench final : sc_core::sc_module, protocol::RequestHandler, protocol::ResponseHandler {
  static constexpr std::uint64_t kGlobal = 0x80000000, kShared = 0xFF000000;

  explicit FastBench(const dma::DmaParams& params = {}, const sc_core::sc_module_name& name = "bench")
      : sc_module(name), dut("dma", params, sc_core::sc_time(1, sc_core::SC_NS)) {
    for (std::size_t i = 0; i < global.size(); ++i) global[i] = static_cast<unsigned char>(i * 7 + 1);
    dut.gmem.bind(global_memory);
    dut.smem.bind(shared_memory);
    commands.attach(*this);
    sums.attach(*this);
    commands.bind(dut.in);
    dut.accumulator.bind(sums);
  }
  static Move move(Move::Kind kind, std::uint32_t address, unsigned rows, unsigned blocks) {
    Move m;
    m.kind = kind;
    m.global_address = address;
    m.global_stride = 128;
    m.local_stride = kind == Move::Kind::kGlobalToShared ? 32 : 1;
    m.block_stride = kind == Move::Kind::kGlobalToShared ? 256 : 8;
    m.rows = static_cast<std::uint16_t>(rows);
    m.blocks = static_cast<std::uint16_t>(blocks);
    m.block_bytes = 32;
    return m;
  }
  /// True when all of it was mapped; `cycles` is the estimate.
  bool perform(const Move& m) {
    static_cast<Move&>(payload.move) = m;
    sc_core::sc_time delay;
    commands->b_transport(payload, delay);
    cycles = delay / sc_core::sc_time(1, sc_core::SC_NS);
    return !payload.is_response_error();
  }

  bool on_request(unsigned, Payload&) override { return true; }
  unsigned on_debug(unsigned, Payload& p) override {
    float* const row = &accumulator[p.get_address() / 4];
    p.is_read() ? std::memcpy(p.get_data_ptr(), row, p.get_data_length())
                : std::memcpy(row, p.get_data_ptr(), p.get_data_length());
    return p.get_data_length();
  }
  void on_response(unsigned, Payload&) override {}
  void on_ready(unsigned) override {}

  std::vector<unsigned char> global = std::vector<unsigned char>(4096),
                             shared = std::vector<unsigned char>(4096, 9);
  std::vector<float> accumulator = std::vector<float>(1024);
  protocol::Reservations global_reservations, shared_reservations;
  protocol::MemoryExport global_memory{"global",
                                       {kGlobal, global.size(), global.data(), &global_reservations}},
      shared_memory{"shared", {kShared, shared.size(), shared.data(), &shared_reservations}};
  dma::FastDma dut;
  protocol::MoveInitiatorSocket commands{"commands"};
  protocol::AccumulatorTargetSocket sums{"sums"};
  CommandPayload payload;
  double cycles = 0;
};

}  // namespace spica::testbench

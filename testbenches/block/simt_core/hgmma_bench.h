// SPDX-License-Identifier: Apache-2.0
// A core with its decoupled tensor core and real shared memory for the operands, another client at a wide
// port, and a probe between core and tensor core that notes who calls when.
#pragma once

#include <cstring>
#include <vector>

#include "models/shared_memory/shared_memory.h"
#include "models/tensor_core/decoupled/decoupled_tensor_core.h"
#include "models/tensor_core/decoupled/hgmma_unit.h"
#include "testbenches/block/simt_core/wmma_bench.h"
#include "testbenches/support/hgmma_model.h"

namespace spica::testbench {

class RegistersProbe final : public sc_core::sc_module,
                             public protocol::DecoupledTensorIf,
                             public protocol::TensorRegistersIf {
 public:
  RegistersProbe(const sc_core::sc_module_name& name, const base::ClockDomain& clock,
                 protocol::DecoupledTensorIf& tensor, simt_core::SimtCore& core,
                 protocol::TensorRegistersIf& registers)
      : sc_module(name), clock_(clock), tensor_(tensor), core_(core), registers_(registers) {}

  struct Read {
    Cycle cycle;
    std::uint64_t issued;  // instructions that the core issued before this cycle
  };
  std::vector<Read> reads;
  std::vector<Cycle> pushes, begun, rows, done;
  unsigned in_flight = 0, most = 0;  // pushed and last row not written, of all warps

  unsigned most_in_flight() const override { return tensor_.most_in_flight(); }
  bool room(unsigned warp) const override { return tensor_.room(warp); }
  void push(const protocol::TileProduct& product) override {
    pushes.push_back(clock_.now());
    most = std::max(most, ++in_flight);
    tensor_.push(product);
  }
  void read_accumulator(unsigned warp, unsigned f, protocol::TensorRow& row) override {
    reads.push_back({clock_.now(), core_.stats().warp_instructions.value()});
    registers_.read_accumulator(warp, f, row);
  }
  void on_port_free() override { registers_.on_port_free(); }
  bool write_accumulator(unsigned warp, unsigned f, const protocol::TensorRow& row, bool last) override {
    if (!registers_.write_accumulator(warp, f, row, last)) return false;
    rows.push_back(clock_.now());
    if (last) done.push_back(clock_.now());
    if (last) --in_flight;
    return true;
  }
  void on_begun(const protocol::Origin& origin) override {
    begun.push_back(clock_.now());
    registers_.on_begun(origin);
  }
  void on_room(unsigned warp) override { registers_.on_room(warp); }

 private:
  const base::ClockDomain& clock_;
  protocol::DecoupledTensorIf& tensor_;
  simt_core::SimtCore& core_;
  protocol::TensorRegistersIf& registers_;
};

struct HgmmaBench : CoreBench {
  static constexpr std::uint32_t kWait = 0x0000107B;
  static constexpr std::uint32_t hgmma(std::uint32_t rs1, std::uint32_t rs2) {
    return rv::r_type(0x7B, 0, 0, 0, rs1, rs2);
  }
  static tensor_core::TensorCoreParams fp16() {
    tensor_core::TensorCoreParams params;
    params.style = tensor_core::Style::kDecoupled;
    params.operand = tensor_core::Operand::kFp16;
    params.latency = 5;
    return params;
  }
  static shared_memory::SharedMemoryParams memory_params() {
    shared_memory::SharedMemoryParams params;
    params.cores = 1;
    using shared_memory::WideClient;
    params.wide_ports = {WideClient::kDma, WideClient::kTensorCore, WideClient::kTensorCore};
    return params;
  }

  explicit HgmmaBench(const tensor_core::TensorCoreParams& t = fp16(), const simt_core::Params& p = {})
      : CoreBench(with_style(p, isa::TensorStyle::kDecoupled), false, isa::SimtStack::make, kGlobalLatency,
                  simt_core::make_tensor_unit<tensor_core::HgmmaUnit>()),
        tensor("tensor", t, clock) {
    unit.tensor.bind(probe);
    tensor.registers.bind(probe);
    tensor.smem_a.bind(memory.wide_in[1]);
    tensor.smem_b.bind(memory.wide_in[2]);
    dma.socket.bind(memory.wide_in[0]);
    lanes.socket.bind(memory.core_in[0]);
    for (base::Component* block :
         std::initializer_list<base::Component*>{&memory, &tensor, &core, &dma, &lanes})
      add(*block);
  }

  void set_tile(std::uint32_t offset, const TileBytes& tile) {
    std::memcpy(memory.data() + offset, tile.data(), tile.size());
  }
  isa::RegisterFile& registers(unsigned warp) {
    return const_cast<isa::RegisterFile&>(core.warp(warp).registers);
  }
  void set_fragments(unsigned warp, const FragmentRegisters& f) {
    for (unsigned reg = 0; reg < 32; ++reg)
      std::memcpy(registers(warp).row(static_cast<std::uint8_t>(32 + reg)), f[reg].data(), sizeof f[reg]);
  }
  FragmentRegisters fragments(unsigned warp) {
    FragmentRegisters f;
    for (unsigned reg = 0; reg < 32; ++reg)
      std::memcpy(f[reg].data(), registers(warp).row(static_cast<std::uint8_t>(32 + reg)), sizeof f[reg]);
    return f;
  }
  /// Conflict-free round trip of a wide read.
  Cycle operand_latency() const {
    const auto& m = memory.params();
    return std::max<Cycle>(1, m.wide_buffer_latency) + m.read_latency + m.wide_buffer_latency;
  }
  /// From the cycle in which the front end takes an instruction to the write-back of its first row, alone.
  Cycle to_first_row() const { return 1 + operand_latency() + 1 + 8 + 1 + tensor.params().latency; }

  shared_memory::SharedMemory memory{"memory", memory_params(), clock};
  tensor_core::DecoupledTensorCore tensor;
  tensor_core::HgmmaUnit& unit = dynamic_cast<tensor_core::HgmmaUnit&>(core.tensor_unit());
  RegistersProbe probe{"probe", clock, tensor, core, unit};
  TrafficAgent dma{"dma", clock};
  WarpTrafficAgent lanes{"lanes", clock};  // the lanes' port, not used
};

}  // namespace spica::testbench

// SPDX-License-Identifier: Apache-2.0
// The decoupled tensor core alone, between operand memories and a core that notes who calls when.
#include <deque>
#include <set>
#include <sstream>

#include "models/tensor_core/decoupled/decoupled_tensor_core.h"
#include "testbenches/support/bench.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/hgmma_model.h"

using namespace spica;
using namespace spica::testbench;
using tensor_core::TileReason;

namespace {

constexpr unsigned kRows = 128;  // of C, per instruction

tensor_core::TensorCoreParams fp16() {
  tensor_core::TensorCoreParams params;
  params.style = tensor_core::Style::kDecoupled;
  params.operand = tensor_core::Operand::kFp16;
  params.latency = 5;
  return params;
}

/// Plays the core: register rows, planned instructions, results that are refused in given cycles.
class RegistersStub final : public base::Component, public protocol::TensorRegistersIf {
 public:
  RegistersStub(const sc_core::sc_module_name& name, const base::ClockDomain& clock,
                protocol::DecoupledTensorIf& tensor)
      : Component(name, clock), tensor_(tensor) {}

  struct Row {
    Cycle cycle;
    unsigned warp, f;
    bool operator==(const Row& o) const { return cycle == o.cycle && warp == o.warp && f == o.f; }
  };
  FragmentRegisters registers[8] = {};
  std::vector<Row> reads, writes;
  std::vector<Cycle> pushes, begun, done, frees;
  std::set<Cycle> refuse;

  /// An instruction of `warp`, pushed from cycle `from` on as soon as there is room.
  void plan(unsigned warp, std::uint32_t a, std::uint32_t b, Cycle from = 1) {
    protocol::TileProduct product;
    product.origin.warp = static_cast<std::uint8_t>(warp);
    product.origin.pc = 0x8000'0000;
    product.a = a;
    product.b = b;
    plans_[warp].push_back({product, from});
    wake_at(from);
  }

  void tick() override {
    bool more = false;
    for (auto& plan : plans_) {
      if (plan.empty()) continue;
      more = true;
      if (plan.front().from > now() || !tensor_.room(plan.front().product.origin.warp)) continue;
      plan.front().product.ready = now();
      tensor_.push(plan.front().product);
      pushes.push_back(now());
      plan.pop_front();
    }
    if (more) wake_next();
  }
  void read_accumulator(unsigned warp, unsigned f, protocol::TensorRow& row) override {
    reads.push_back({now(), warp, f});
    row = registers[warp][f];
  }
  void on_port_free() override { frees.push_back(now()); }
  bool write_accumulator(unsigned warp, unsigned f, const protocol::TensorRow& row, bool last) override {
    if (refuse.count(now()) != 0) return false;
    writes.push_back({now(), warp, f});
    registers[warp][f] = row;
    if (last) done.push_back(now());
    return true;
  }
  void on_begun(const protocol::Origin&) override { begun.push_back(now()); }
  void on_room(unsigned) override { ++rooms; }
  unsigned rooms = 0;

  void reset() override {}
  bool idle() const override { return true; }
  base::StatGroup& stats() override { return stats_; }
  void dump_state(std::ostream&) const override {}

 private:
  struct Planned {
    protocol::TileProduct product;
    Cycle from;
  };
  protocol::DecoupledTensorIf& tensor_;
  std::deque<Planned> plans_[8];
  base::StatGroup stats_;
};

struct DecoupledBench : Bench {
  explicit DecoupledBench(const tensor_core::TensorCoreParams& t = fp16(), Cycle latency_a = 4,
                          Cycle latency_b = 4)
      : memory_a("memory_a", clock, latency_a, 64),
        memory_b("memory_b", clock, latency_b, 64),
        tensor("tensor", t, clock),
        core("core", clock, tensor) {
    tensor.registers.bind(core);
    tensor.smem_a.bind(memory_a.socket);
    tensor.smem_b.bind(memory_b.socket);
    for (base::Component* block :
         std::initializer_list<base::Component*>{&memory_a, &memory_b, &tensor, &core})
      add(*block);
  }
  Cycle reason(TileReason r) {
    tensor.settle_stats();
    return tensor.stats().dot_product.cycles(static_cast<std::size_t>(r));
  }
  void set_tile(MemoryStub& memory, std::uint32_t at, const TileBytes& tile) {
    for (std::uint32_t i = 0; i < tile.size(); ++i) memory.byte(at + i) = tile[i];
  }

  MemoryStub memory_a, memory_b;
  tensor_core::DecoupledTensorCore tensor;
  RegistersStub core;
};

/// From the cycle in which the front end takes an instruction to the entry of its first row into the units,
/// with nothing before it and operands that answer after `latency` cycles: request, answer, response queue,
/// eight blocks into the fill buffer, operand buffer.
constexpr Cycle to_first_row(Cycle latency) { return 1 + latency + 1 + 8 + 1; }

}  // namespace

TEST_CASE("one hgmma alone: its stages follow each other by the parameters") {
  DecoupledBench bench;
  constexpr Cycle kLatency = 4;
  bench.core.plan(3, 0x1000, 0x2000);
  bench.run();
  const auto& p = bench.tensor.params();
  REQUIRE(bench.core.pushes == std::vector<Cycle>{1});
  const Cycle begun = 1 + 1 + 1;  // instruction queue, front end
  CHECK(bench.core.begun == std::vector<Cycle>{begun});
  REQUIRE(bench.memory_a.seen().size() == 32);
  REQUIRE(bench.memory_b.seen().size() == 32);
  for (unsigned i = 0; i < 8; ++i) {  // as many as there are before anything is held up
    CHECK(bench.memory_a.seen()[i].cycle == begun + 1 + i);
    CHECK(bench.memory_b.seen()[i].cycle == begun + 1 + i);
  }
  for (unsigned i = 0; i < 32; ++i) {
    CHECK(bench.memory_a.seen()[i].address == 0x1000 + 32 * i);
    CHECK(bench.memory_a.seen()[i].bytes == 32);
    CHECK(bench.memory_b.seen()[i].address == 0x2000 + 32 * i);
  }
  // The first answer is in the queue in the cycle in which it comes, seen in the next, read in the one behind.
  REQUIRE(bench.core.reads.size() == kRows);
  CHECK(bench.core.reads[0] == RegistersStub::Row{begun + 1 + kLatency + 2, 3, 0});
  CHECK(bench.core.frees.back() == bench.core.reads.back().cycle + 1);
  REQUIRE(bench.core.writes.size() == kRows);
  const Cycle first = begun + to_first_row(kLatency) + p.latency;
  for (unsigned i = 0; i < kRows; ++i) {
    CAPTURE(i);
    CHECK(bench.core.writes[i] == RegistersStub::Row{first + i, 3, i % 32});
  }
  CHECK(bench.core.done == std::vector<Cycle>{first + kRows - 1});
  CHECK(bench.reason(TileReason::kComputing) == kRows);
  CHECK(bench.reason(TileReason::kDraining) == p.latency);
  CHECK(bench.tensor.stats().dot_product.total() == bench.clock.now());
  CHECK(bench.tensor.idle());
  CHECK(bench.clock.asleep());
}

TEST_CASE("slower operands and units move the results by as much") {
  tensor_core::TensorCoreParams params = fp16();
  params.latency = 11;
  DecoupledBench bench(params, 9, 4);
  bench.core.plan(0, 0, 0);
  bench.run();
  CHECK(bench.core.writes.front().cycle == bench.core.begun[0] + to_first_row(9) + 11);
}

TEST_CASE(
    "instructions that follow one another take 128 cycles and the turnaround of the accumulator reads") {
  tensor_core::TensorCoreParams params = fp16();
  const Cycle turnaround = params.decoupled.accumulator_turnaround;
  DecoupledBench bench(params);
  constexpr unsigned kInstructions = 12;
  for (unsigned i = 0; i < kInstructions; ++i) bench.core.plan(i % 8, 1024 * i, 1024 * i);
  bench.run();
  REQUIRE(bench.core.done.size() == kInstructions);
  for (unsigned i = 2; i < kInstructions; ++i) {
    CAPTURE(i);
    CHECK(bench.core.done[i] - bench.core.done[i - 1] == kRows + turnaround);
  }
  CHECK(bench.reason(TileReason::kComputing) == kInstructions * kRows);
  CHECK(bench.tensor.stats().macs.value() == kInstructions * 16u * 16 * 32);
  CHECK(bench.tensor.stats().blocks_a.value() == kInstructions * 32u);
}

TEST_CASE("a shorter turnaround brings the unit to 129 cycles per instruction") {
  tensor_core::TensorCoreParams params = fp16();
  params.decoupled.accumulator_turnaround = 1;
  DecoupledBench bench(params);
  for (unsigned i = 0; i < 6; ++i) bench.core.plan(i, 0, 0);
  bench.run();
  CHECK(bench.core.done[5] - bench.core.done[4] == kRows + 1);
}

TEST_CASE("with one source id the unit waits for a round trip per block") {
  tensor_core::TensorCoreParams params = fp16();
  params.decoupled.source_ids = 1;
  constexpr Cycle kLatency = 7;
  DecoupledBench bench(params, kLatency, 4);
  for (unsigned i = 0; i < 6; ++i) bench.core.plan(i, 0, 0);
  bench.run();
  // The id is free again in the cycle of the answer and used in the next one; the front end turns around
  // while it waits for the last block.
  const Cycle period = 32 * (kLatency + 1);
  REQUIRE(params.decoupled.front_end_turnaround < kLatency);
  CHECK(bench.core.begun[5] - bench.core.begun[4] == period);
  CHECK(bench.core.done[5] - bench.core.done[4] == period);
  CHECK(bench.reason(TileReason::kWaitingA) > bench.reason(TileReason::kComputing));
}

TEST_CASE("slow B holds the units up and is charged to B") {
  tensor_core::TensorCoreParams params = fp16();
  params.decoupled.source_ids = 1;
  DecoupledBench bench(params, 1, 12);
  bench.core.plan(0, 0, 0);
  bench.run();
  CHECK(bench.reason(TileReason::kWaitingB) > 32 * 13 - 128 - 32);
}

TEST_CASE("the front end begins the next instruction while the units work on the one before") {
  DecoupledBench bench;
  for (unsigned i = 0; i < 3; ++i) bench.core.plan(0, 0, 0);
  bench.run();
  REQUIRE(bench.core.begun.size() == 3);
  CHECK(bench.core.begun[1] < bench.core.done[0]);
  // It had to send all requests of the first one, one per cycle, and to turn around.
  CHECK(bench.core.begun[1] >=
        bench.core.begun[0] + 32 + bench.tensor.params().decoupled.front_end_turnaround);
  // Operands for more than one instruction do not fit: the third begins when the first is nearly through.
  CHECK(bench.core.begun[2] > bench.core.begun[0] + 64);
}

TEST_CASE("a refused result stops the units for as long, and nothing is lost") {
  std::mt19937 random(3);
  const TileBytes a = random_tile(random, true, false), b = random_tile(random, true, false);
  DecoupledBench bench;
  bench.set_tile(bench.memory_a, 0, a);
  bench.set_tile(bench.memory_b, 0, b);
  bench.core.registers[2] = random_fragments(random, false, false);
  FragmentRegisters expected = bench.core.registers[2];
  hgmma_reference(expected, true, a, b);
  const Cycle first = 3 + to_first_row(4) + bench.tensor.params().latency;
  for (Cycle c = first + 20; c < first + 27; ++c) bench.core.refuse.insert(c);
  bench.core.plan(2, 0, 0);
  bench.run();
  CHECK(bench.core.writes[19].cycle == first + 19);
  CHECK(bench.core.writes[20].cycle == first + 20 + 7);
  CHECK(bench.core.done == std::vector<Cycle>{first + kRows - 1 + 7});
  CHECK(bench.tensor.stats().write_back_conflicts.value() == 7);
  CHECK(bench.reason(TileReason::kResultBlocked) == 7);
  CHECK((bench.core.registers[2] == expected));
  // It reads on for a few rows only.
  const unsigned most = static_cast<unsigned>(bench.tensor.params().decoupled.accumulator_rows);
  unsigned before = 0;
  for (const auto& read : bench.core.reads) before += read.cycle < first + 27;
  CHECK(before <= 20 + bench.tensor.params().latency + most);
}

TEST_CASE("warps take turns, a warp's instructions stay in order, and a full buffer is announced") {
  tensor_core::TensorCoreParams params = fp16();
  params.dispatch_depth = 2;
  DecoupledBench bench(params);
  for (unsigned i = 0; i < 5; ++i) bench.core.plan(1, 0, 0);
  for (unsigned i = 0; i < 2; ++i) bench.core.plan(6, 0, 0);
  bench.run();
  std::vector<unsigned> order;
  for (const auto& row : bench.core.writes)
    if (row.f == 31) order.push_back(row.warp);
  std::vector<unsigned> by_instruction;
  for (std::size_t i = 3; i < order.size(); i += 4) by_instruction.push_back(order[i]);
  CHECK(by_instruction == std::vector<unsigned>{1, 6, 1, 6, 1, 1, 1});
  CHECK(bench.core.rooms > 0);
  CHECK(bench.tensor.stats().instructions.value() == 7);
}

TEST_CASE("reset in the middle of work leaves a unit that is as good as new") {
  DecoupledBench bench;
  bench.core.plan(0, 0, 0);
  bench.core.plan(1, 0, 0);
  bench.run_for(90);
  REQUIRE_FALSE(bench.tensor.idle());
  bench.memory_a.reset();
  bench.memory_b.reset();
  bench.tensor.reset();
  CHECK(bench.tensor.idle());
  bench.run_for(100);
  bench.core.reads.clear();
  bench.core.writes.clear();
  bench.core.begun.clear();
  const Cycle start = 200;
  bench.core.plan(4, 0, 0, start);
  bench.run();
  REQUIRE(bench.core.writes.size() == kRows);
  CHECK(bench.core.begun[0] == start + 2);
  CHECK(bench.core.writes[0] ==
        RegistersStub::Row{start + 2 + to_first_row(4) + bench.tensor.params().latency, 4, 0});
  CHECK(bench.tensor.stats().dot_product.total() == bench.clock.now());
}

TEST_CASE("its state can be read at any time") {
  DecoupledBench bench;
  bench.core.plan(5, 0, 0);
  bench.run_for(40);
  std::ostringstream text;
  bench.tensor.dump_state(text);
  CHECK(text.str().find("1 instructions, 1 begun") != std::string::npos);
  CHECK(text.str().find("warp 5: pc 0x80000000") != std::string::npos);
}

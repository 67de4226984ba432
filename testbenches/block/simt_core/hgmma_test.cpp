// SPDX-License-Identifier: Apache-2.0
// A core with a decoupled tensor core: results, what waits for what, faults.
#include <set>

#include "testbenches/block/simt_core/hgmma_bench.h"
#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::testbench;
using namespace spica::testbench::rv;
using protocol::FaultKind;
using simt_core::IssueReason;
using tensor_core::TileReason;

namespace {

constexpr std::uint32_t kShared = HgmmaBench::kShared, kWait = HgmmaBench::kWait;
constexpr unsigned kBank = 16 * 1024;  // bytes

/// x10 = address of tile A, x11 = address of tile B, given as offsets in shared memory.
std::vector<std::uint32_t> addresses(unsigned a, unsigned b) {
  const auto upper = [](unsigned offset) { return (kShared + offset + 0x800) >> 12; };
  const auto lower = [](unsigned offset) { return static_cast<int>((offset + 0x800) & 0xFFF) - 0x800; };
  return {lui(10, upper(a)), addi(10, 10, lower(a)), lui(11, upper(b)), addi(11, 11, lower(b))};
}
std::vector<std::uint32_t> operator+(std::vector<std::uint32_t> left,
                                     const std::vector<std::uint32_t>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}
std::vector<std::uint32_t> times(unsigned count, std::uint32_t word) {
  return std::vector<std::uint32_t>(count, word);
}

void check_result(HgmmaBench& bench, const FragmentRegisters& expected) {
  const FragmentRegisters actual = bench.fragments(0);
  for (unsigned reg = 0; reg < 32; ++reg)
    for (unsigned lane = 0; lane < 8; ++lane) {
      CAPTURE(reg, lane);
      REQUIRE(actual[reg][lane] == expected[reg][lane]);
    }
}

protocol::GuestFault fault_of(HgmmaBench& bench, const std::vector<std::uint32_t>& body) {
  bench.run_program(on_one_warp(body));
  REQUIRE(bench.faults.faults.size() == 1);
  CHECK(bench.probe.pushes.empty());
  CHECK(bench.probe.reads.empty());
  return bench.faults.faults.front();
}

void check_three_in_a_row(bool fp16) {
  tensor_core::TensorCoreParams params = HgmmaBench::fp16();
  if (!fp16) params.operand = tensor_core::Operand::kFp32;
  HgmmaBench bench(params);
  std::mt19937 random(5);
  const TileBytes a = random_tile(random, fp16, false), b = random_tile(random, fp16, false);
  bench.set_tile(0, a);
  bench.set_tile(kBank, b);
  FragmentRegisters c = random_fragments(random, false, false);
  bench.set_fragments(0, c);
  bench.run_program(on_one_warp(
      addresses(0, kBank) + std::vector<std::uint32_t>{HgmmaBench::hgmma(10, 11), HgmmaBench::hgmma(11, 10),
                                                       HgmmaBench::hgmma(10, 11), kWait}));
  hgmma_reference(c, fp16, a, b);
  hgmma_reference(c, fp16, b, a);
  hgmma_reference(c, fp16, a, b);
  check_result(bench, c);
  CHECK(bench.core.stats().tensor.value() == 4);
  CHECK(bench.faults.faults.empty());
}

void check_limit(std::uint64_t limit) {
  tensor_core::TensorCoreParams params = HgmmaBench::fp16();
  params.decoupled.in_flight = limit;
  params.dispatch_depth = 16;
  HgmmaBench bench(params);
  constexpr unsigned kCount = 90;
  bench.run_program(on_one_warp(addresses(0, kBank) + times(kCount, HgmmaBench::hgmma(10, 11)) +
                                std::vector<std::uint32_t>{kWait, csrrs(21, 0xB00, 0)}));
  CHECK(bench.probe.pushes.size() == kCount);
  CHECK(bench.probe.most == limit);
  REQUIRE(bench.probe.done.size() == kCount);
  CHECK(bench.x(21) > bench.probe.done.back());
  // Once the counter is what holds the warp, an instruction issues in the first cycle in which the counter has
  // room and the register file's port is free.
  std::set<Cycle> taken;
  for (const auto& read : bench.probe.reads) taken.insert(read.cycle);
  for (unsigned i = kCount / 2; i < kCount; ++i) {
    CAPTURE(i);
    Cycle expected = bench.probe.done[i - limit] + bench.params.commit_latency;
    while (taken.count(expected) != 0) ++expected;
    CHECK(bench.probe.pushes[i] == expected);
  }
}

/// Another wide port accesses the bank of A for 20 cycles, in which the core's first request comes. It has the
/// lower index and goes first. Returns how much later the first row comes, and how many cycles were left.
std::pair<Cycle, Cycle> disturb(HgmmaBench& bench, tlm::tlm_command command) {
  constexpr unsigned kRequests = 20;
  constexpr Cycle kFirst = 65;
  for (unsigned i = 0; i < kRequests; ++i) bench.dma.at(kFirst + i, bench.dma.line(command, 4096, 32));
  bench.run_program(
      on_one_warp(addresses(0, kBank) + std::vector<std::uint32_t>{HgmmaBench::hgmma(10, 11), kWait}));
  const Cycle first_request = bench.probe.begun[0] + 1;
  REQUIRE(first_request > kFirst);
  REQUIRE(first_request < kFirst + kRequests);
  return {bench.probe.rows[0] - bench.probe.begun[0] - bench.to_first_row(),
          kFirst + kRequests - first_request};
}

/// A word of the decoupled tensor core on a synchronous one: as wmma with the same bank, which looks at rd only.
void check_runs_as_wmma(std::uint32_t word) {
  WmmaBench bench;
  std::mt19937 random(11);
  const FragmentRegisters before = random_fragments(random, false, false);
  FragmentRegisters expected = before;
  bench.set_fragments(0, before);
  bench.run_program(on_one_warp({word, word}));
  wmma_reference(expected, WmmaMode::kFp32V1, 0);
  wmma_reference(expected, WmmaMode::kFp32V1, 0);
  CHECK(bench.fragments(0) == expected);
  REQUIRE(bench.faults.faults.size() == 1);  // said once
  CHECK(bench.faults.faults[0].kind == FaultKind::kOtherTensorCore);
  CHECK(bench.faults.faults[0].severity == protocol::Severity::kWarning);
  CHECK(bench.faults.faults[0].detail.find("synchronous") != std::string::npos);
}

}  // namespace

TEST_CASE("three FP16 hgmma in a row add up, bit by bit") { check_three_in_a_row(true); }
TEST_CASE("three FP32 hgmma in a row add up, bit by bit") { check_three_in_a_row(false); }

TEST_CASE("an hgmma takes its addresses from lane 0 and writes all lanes, active or not") {
  HgmmaBench bench;
  std::mt19937 random(6);
  const TileBytes a = random_tile(random, true, false), b = random_tile(random, true, false);
  bench.set_tile(0, a);
  bench.set_tile(kBank, b);
  FragmentRegisters c = random_fragments(random, false, false);
  bench.set_fragments(0, c);
  // Lanes 0x60 only; they then destroy their copies of the addresses.
  bench.run_program(on_one_warp(
      addresses(0, kBank) + std::vector<std::uint32_t>{addi(1, 0, 0x60), tmc(1), addi(10, 0, 1),
                                                       addi(11, 0, 1), HgmmaBench::hgmma(10, 11), kWait}));
  CHECK(bench.faults.faults.empty());
  hgmma_reference(c, true, a, b);
  check_result(bench, c);
}

TEST_CASE("an hgmma passes operand stage, queue, front end and units") {
  HgmmaBench bench;
  bench.run_program(
      on_one_warp(addresses(0, kBank) + std::vector<std::uint32_t>{HgmmaBench::hgmma(10, 11), kWait}));
  REQUIRE(bench.probe.pushes.size() == 1);
  const Cycle begun = bench.probe.pushes[0] + bench.params.operand_latency + 1;
  CHECK(bench.probe.begun == std::vector<Cycle>{begun});
  REQUIRE(bench.probe.rows.size() == 128);
  for (unsigned i = 0; i < 128; ++i) CHECK(bench.probe.rows[i] == begun + bench.to_first_row() + i);
}

TEST_CASE("hgmma_wait holds its warp until the last row is committed, and no other instruction does") {
  HgmmaBench bench;
  // x20: cycle after the hgmma; x21: after the wait
  bench.run_program(on_one_warp(addresses(0, kBank) + std::vector<std::uint32_t>{HgmmaBench::hgmma(10, 11),
                                                                                 csrrs(20, 0xB00, 0), kWait,
                                                                                 csrrs(21, 0xB00, 0)}));
  REQUIRE(bench.probe.done.size() == 1);
  const Cycle done = bench.probe.done[0];
  CHECK(bench.x(20) < bench.probe.rows[0]);
  // The wait issues when the row is committed; the CSR access goes on when the wait is, at the turn of its warp.
  const Cycle wait = done + bench.params.commit_latency;
  const Cycle committed = wait + bench.params.operand_latency + 1 + bench.params.commit_latency;
  CHECK(bench.x(21) >= committed);
  CHECK(bench.x(21) < committed + bench.params.warps);
}

TEST_CASE("hgmma_wait continues after the last row, whatever commits in the cycle of that row") {
  tensor_core::TensorCoreParams tensor = HgmmaBench::fp16();
  tensor.latency = 7;
  HgmmaBench bench(tensor);
  // What waits in front of hgmma_wait issues when the accumulator reads are over, and one of the mixtures commits last
  // in the cycle of the last row. A CSR access after it stops the fetch: nothing else lets the core tick then.
  std::vector<std::uint32_t> body = addresses(0, kBank);
  unsigned count = 0;
  for (unsigned between = 0; between < 24; ++between)
    for (const std::uint32_t last : {addi(13, 0, 1), mul(13, 14, 14)}) {
      body = body + std::vector<std::uint32_t>{HgmmaBench::hgmma(10, 11)} + times(between, addi(12, 0, 1)) +
             std::vector<std::uint32_t>{last, kWait, csrrs(20, 0xB00, 0)};
      ++count;
    }
  bench.run_program(on_one_warp(body));
  CHECK(bench.core.running_warps() == 0);
  CHECK(bench.probe.done.size() == count);
}

TEST_CASE("hgmma_wait with nothing under way costs nothing") {
  HgmmaBench bench;
  bench.run_program(on_one_warp({kWait, addi(7, 0, 9)}));
  CHECK(bench.x(7) == 9);
  CHECK(bench.core.stats().issue.cycles(static_cast<std::size_t>(IssueReason::kTensor)) == 0);
}

TEST_CASE("nothing issues in a cycle in which an accumulator row is read") {
  HgmmaBench bench;
  std::vector<std::uint32_t> body = addresses(0, kBank);
  for (unsigned i = 0; i < 4; ++i) body.push_back(HgmmaBench::hgmma(10, 11));
  for (unsigned i = 0; i < 60; ++i) body.push_back(addi(12, 12, 1));
  bench.run_program(on_all_warps(body + std::vector<std::uint32_t>{kWait}));
  const auto& reads = bench.probe.reads;
  REQUIRE(reads.size() == 8 * 4 * 128);
  unsigned in_a_row = 0;
  std::uint64_t between = 0;
  for (std::size_t i = 1; i < reads.size(); ++i) {
    if (reads[i].cycle == reads[i - 1].cycle + 1) {
      ++in_a_row;
      CHECK(reads[i].issued == reads[i - 1].issued);
    } else {
      between += reads[i].issued - reads[i - 1].issued;
    }
  }
  CHECK(in_a_row > 8 * 4 * 120);
  CHECK(between > 0);
  CHECK(bench.core.stats().issue.cycles(static_cast<std::size_t>(IssueReason::kRegisterPort)) > 1000);
  CHECK(bench.x(12, 3, 7) == 60);
  CHECK(bench.core.stats().issue.total() == bench.clock.now());
}

TEST_CASE("eight warps keep the units busy: 128 cycles per hgmma and the turnaround") {
  HgmmaBench bench;
  constexpr unsigned kPerWarp = 6;
  bench.run_program(on_all_warps(addresses(0, kBank) + times(kPerWarp, HgmmaBench::hgmma(10, 11)) +
                                 std::vector<std::uint32_t>{kWait}));
  const auto& p = bench.tensor.params();
  const Cycle period = 128 + p.decoupled.accumulator_turnaround;
  const auto& done = bench.probe.done;
  REQUIRE(done.size() == 8 * kPerWarp);
  const Cycle conflicts = bench.tensor.stats().write_back_conflicts.value();
  CHECK(done.back() - done[1] >= (done.size() - 2) * period);
  CHECK(done.back() - done[1] <= (done.size() - 2) * period + conflicts);
}

TEST_CASE("a warp has at most 15 hgmma under way") { check_limit(15); }
TEST_CASE("with a smaller counter a warp has fewer hgmma under way") { check_limit(3); }

TEST_CASE("without the depth to hold them an hgmma waits for its dispatch buffer") {
  HgmmaBench bench;
  bench.run_program(on_one_warp(addresses(0, kBank) + times(60, HgmmaBench::hgmma(10, 11)) +
                                std::vector<std::uint32_t>{kWait}));
  const auto& p = bench.tensor.params();
  CHECK(bench.probe.most > p.dispatch_depth + p.decoupled.instruction_queue);
  CHECK(bench.probe.most < p.decoupled.in_flight);
  CHECK(bench.probe.done.size() == 60);
}

TEST_CASE("a wide port that reads the bank of A holds the first row up cycle by cycle") {
  HgmmaBench bench;
  const auto [late, left] = disturb(bench, tlm::TLM_READ_COMMAND);
  CHECK(late == left);
}

TEST_CASE("a DMA that writes into the bank of A does not hold its reads up") {
  HgmmaBench bench;
  const auto [late, left] = disturb(bench, tlm::TLM_WRITE_COMMAND);
  CHECK(left > 0);
  CHECK(late == 0);
}

TEST_CASE("operands in one bank share its port: all of A goes first, then B, and the rate stays") {
  HgmmaBench bench;
  bench.run_program(on_one_warp(addresses(0, 2048) + times(5, HgmmaBench::hgmma(10, 11)) +
                                std::vector<std::uint32_t>{kWait}));
  // The buffers hold a whole tile of A, whose port has the lower index. Behind its 32 reads come the two blocks
  // of B that the first row needs: answer, fill buffer, operand buffer.
  const Cycle second_of_b = bench.probe.begun[0] + 1 + 32 + 1 + bench.operand_latency();
  CHECK(bench.probe.rows[0] == second_of_b + 3 + bench.tensor.params().latency);
  CHECK(bench.memory.stats().wide_wait_cycles.value() >= 32);
  // 64 reads of one bank are fewer than 128 rows.
  const auto& reads = bench.probe.reads;
  REQUIRE(reads.size() == 5 * 128);
  CHECK(reads[4 * 128].cycle - reads[3 * 128].cycle ==
        128 + bench.tensor.params().decoupled.accumulator_turnaround);
}

TEST_CASE("an operand tile that is not all in shared memory is a fault at the hgmma") {
  HgmmaBench bench;
  const std::uint32_t size = 0x10000;
  const auto fault = fault_of(
      bench, addresses(size - 992, 0) + std::vector<std::uint32_t>{HgmmaBench::hgmma(11, 10), addi(7, 0, 1)});
  CHECK(fault.kind == FaultKind::kTilePlace);
  CHECK(fault.address == kShared + size - 992);
  CHECK(fault.origin.pc == CoreBench::kCode + 4 * 6);
  CHECK(fault.origin.warp == 0);
  CHECK(fault.detail.find("tile B") != std::string::npos);
  CHECK(bench.x(7) == 0);
}

TEST_CASE("the last tile of shared memory is none") {
  HgmmaBench bench;
  bench.run_program(on_one_warp(addresses(0x10000 - 1024, 0) +
                                std::vector<std::uint32_t>{HgmmaBench::hgmma(10, 11), kWait}));
  CHECK(bench.faults.faults.empty());
  CHECK(bench.probe.done.size() == 1);
}

TEST_CASE("an operand address in global memory is a fault") {
  HgmmaBench bench;
  const auto fault = fault_of(bench, {lui(10, 0x90000), HgmmaBench::hgmma(10, 10)});
  CHECK(fault.kind == FaultKind::kTilePlace);
  CHECK(fault.address == 0x9000'0000);
  CHECK(fault.detail.find("tile A") != std::string::npos);
}

TEST_CASE("an operand address that is no multiple of a block is a fault") {
  HgmmaBench bench;
  const auto fault =
      fault_of(bench, addresses(16, 0) + std::vector<std::uint32_t>{HgmmaBench::hgmma(10, 11)});
  CHECK(fault.kind == FaultKind::kMisalignedAccess);
  CHECK(fault.address == kShared + 16);
  CHECK(fault.detail.find("multiple of 32") != std::string::npos);
}

TEST_CASE("wmma on a machine with decoupled tensor cores has its operands at address 0 and says why") {
  HgmmaBench bench;
  const auto fault = fault_of(bench, {kWmma1});
  CHECK(fault.kind == FaultKind::kTilePlace);
  CHECK(fault.address == 0);
  CHECK(fault.detail.find("wmma only on synchronous") != std::string::npos);
}

TEST_CASE("hgmma on a machine with synchronous tensor cores runs as wmma and a warning says so") {
  check_runs_as_wmma(HgmmaBench::hgmma(10, 11));
}
TEST_CASE("hgmma_wait on a machine with synchronous tensor cores runs as wmma and a warning says so") {
  check_runs_as_wmma(kWait);
}

TEST_CASE("reset in the middle of an hgmma leaves core, tensor core and memory as good as new") {
  HgmmaBench bench;
  const auto program =
      on_one_warp(addresses(0, kBank) +
                  std::vector<std::uint32_t>{HgmmaBench::hgmma(10, 11), HgmmaBench::hgmma(10, 11), kWait});
  for (std::size_t i = 0; i < program.size(); ++i)
    bench.instructions.set_word(CoreBench::kCode + 4 * static_cast<std::uint32_t>(i), program[i]);
  bench.core.launch(CoreBench::kCode);
  bench.run_for(150);
  REQUIRE_FALSE(bench.probe.rows.empty());
  REQUIRE(bench.probe.done.empty());
  for (base::Component* block : std::initializer_list<base::Component*>{&bench.instructions, &bench.memory,
                                                                        &bench.tensor, &bench.core})
    block->reset();
  CHECK(bench.core.idle());
  CHECK(bench.tensor.idle());
  bench.run_for(150);
  CHECK(bench.probe.done.empty());
  bench.probe.pushes.clear();
  bench.probe.begun.clear();
  bench.probe.rows.clear();
  bench.run_program(program);
  REQUIRE(bench.probe.done.size() == 2);
  CHECK(bench.probe.begun[0] == bench.probe.pushes[0] + bench.params.operand_latency + 1);
  CHECK(bench.probe.rows[0] == bench.probe.begun[0] + bench.to_first_row());
  bench.tensor.settle_stats();
  CHECK(bench.tensor.stats().dot_product.total() == bench.clock.now());
}

TEST_CASE("a warp that ends with an hgmma under way leaves a machine that comes to rest") {
  HgmmaBench bench;
  bench.run_program(on_one_warp(addresses(0, kBank) + std::vector<std::uint32_t>{HgmmaBench::hgmma(10, 11)}));
  CHECK(bench.probe.done.size() == 1);
  CHECK(bench.core.idle());
  CHECK(bench.tensor.idle());
  CHECK(bench.clock.asleep());
  bench.tensor.settle_stats();
  CHECK(bench.tensor.stats().dot_product.total() == bench.clock.now());
}

// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/watchdog/spin_recorder.h"

#include <functional>

#include "models/isa/execute.h"
#include "models/isa/registers.h"
#include "testbenches/support/assembler.h"
#include "testbenches/support/catch.h"

namespace rv = spica::testbench::rv;
using namespace spica;
using watchdog::Poll;
using watchdog::SpinRecorder;
using watchdog::WarpActivity;

namespace {

constexpr std::uint32_t kCode = 0x80000000;

/// One warp of one lane that runs a program without end and tells the recorder.
class Runner {
 public:
  Runner(std::vector<std::uint32_t> program, SpinRecorder& recorder)
      : program_(std::move(program)), recorder_(recorder) {}

  /// What a load from an address or a read of a CSR gives.
  std::function<std::uint32_t(std::uint32_t)> read = [](std::uint32_t) { return 0u; };

  void run(unsigned instructions) {
    for (unsigned i = 0; i < instructions; ++i) step();
  }

 private:
  void step() {
    const isa::Instruction in = isa::decode(program_.at((pc_ - kCode) / 4));
    const protocol::Origin origin{protocol::Origin::Unit::kCore, 0, 0, pc_, 1};
    std::uint32_t next = pc_ + 4;
    const bool late = in.unit == isa::Unit::kLoad;
    std::uint32_t answer = 0;
    if (late) answer = read(registers_.row(in.rs1)[0] + static_cast<std::uint32_t>(in.imm));
    if (in.unit == isa::Unit::kCsr) {
      registers_.row(in.rd)[0] = read(static_cast<std::uint32_t>(in.imm));
    } else if (!late && in.unit != isa::Unit::kStore) {
      if (isa::branch_taken(in, registers_, 1) != 0) next = isa::jump_target(in, pc_, registers_, 0);
      isa::execute(in, pc_, registers_, 1, state_);
    }
    recorder_.on_issue({cycle_, origin, in, registers_});
    if (late) registers_.row(in.rd)[0] = answer;
    recorder_.on_commit(cycle_, origin, registers_);
    ++cycle_;
    pc_ = next;
  }

  std::vector<std::uint32_t> program_;
  SpinRecorder& recorder_;
  isa::RegisterFile registers_{8};
  isa::FloatState state_;
  std::uint32_t pc_ = kCode;
  base::Cycle cycle_ = 0;
};

WarpActivity watch(
    std::vector<std::uint32_t> program,
    std::function<std::uint32_t(std::uint32_t)> read = [](std::uint32_t) { return 0u; },
    unsigned before = 0) {
  SpinRecorder warm_up(1, 1), recorder(1, 1);
  Runner runner(std::move(program), recorder);
  runner.read = std::move(read);
  runner.run(before);
  runner.run(1000);
  recorder.half();
  runner.run(1000);
  return recorder.result().at(0);
}

constexpr unsigned a0 = 10, a1 = 11, a2 = 12, a3 = 13;  // NOLINT(readability-identifier-naming): registers
using State = WarpActivity::State;

}  // namespace

TEST_CASE("a warp that issues nothing is silent") {
  SpinRecorder recorder(1, 2);
  recorder.half();
  CHECK(recorder.result().at(1).state == State::kSilent);
}

TEST_CASE("a loop that polls a word spins, and the recorder says which word") {
  const WarpActivity activity = watch({rv::lui(a1, 0x90000), rv::lw(a0, a1, 8), rv::beq(a0, 0, -4)});
  REQUIRE(activity.state == State::kSpinning);
  CHECK(activity.branch_pc == kCode + 8);
  CHECK(activity.first_pc == kCode + 4);
  REQUIRE(activity.polls.size() == 1);
  CHECK(activity.polls[0].what == Poll::What::kLoad);
  CHECK(activity.polls[0].address == 0x90000008);
  CHECK(activity.polls[0].row == a0);
  CHECK(activity.polls[0].value == 0);
}

TEST_CASE("a poll loop that counts its turns spins all the same") {
  CHECK(watch({rv::lw(a0, 0, 8), rv::addi(a2, a2, 1), rv::beq(a0, 0, -8)}).state == State::kSpinning);
}

TEST_CASE("a loop that ends when a counter has arrived works") {
  CHECK(watch({rv::addi(a2, a2, 1), rv::lw(a0, 0, 8), rv::bne(a2, a3, -8)}).state == State::kWorking);
}

TEST_CASE("of a loop that may never end the recorder has the values that decide") {
  const WarpActivity activity = watch({rv::addi(a3, 0, 101), rv::addi(a2, a2, 2), rv::bne(a2, a3, -4)});
  REQUIRE(activity.state == State::kWorking);
  REQUIRE(activity.loop);
  CHECK(activity.loop->branch_pc == kCode + 8);
  CHECK(activity.loop->iterations > 900);
  REQUIRE(activity.loop->values.size() == 2);
  using Kind = watchdog::LoopValue::Kind;
  for (const watchdog::LoopValue& value : activity.loop->values) {
    CHECK(value.kind == (value.row == a2 ? Kind::kCounter : Kind::kConstant));
    if (value.row == a2) CHECK(value.step == 2);
    else CHECK(value.value == 101);
  }
  CHECK(activity.loop->never_ends());
}

TEST_CASE("a loop that ends when a test of equality says so may never end") {
  // xor, snez, bnez: what a compiler makes of != where lanes may part.
  const WarpActivity activity =
      watch({rv::addi(a3, 0, 101), rv::addi(a2, a2, 2), rv::r_type(0x33, 4, 0, a1, a2, a3),
             rv::r_type(0x33, 3, 0, a1, 0, a1), rv::bne(a1, 0, -12)});
  REQUIRE(activity.loop);
  CHECK(activity.loop->values.size() == 2);
  CHECK(activity.loop->never_ends());
}

TEST_CASE("a loop whose counter arrives later says how many iterations are left") {
  const WarpActivity activity = watch({rv::lui(a3, 1), rv::addi(a2, a2, 2), rv::bne(a2, a3, -4)});
  REQUIRE(activity.loop);
  REQUIRE(activity.loop->left());
  const std::uint64_t all = *activity.loop->left() + activity.loop->iterations;
  CHECK((all == 2047 || all == 2048));  // the window may end in front of the branch
}

TEST_CASE("a counter behind a comparison is a counter") {
  // slti is 0 throughout the window; what it looks at moves on.
  CHECK(watch({rv::addi(a2, a2, 1), rv::i_type(0x13, 2, a0, a2, -5), rv::beq(a0, 0, -8)}).state ==
        State::kWorking);
}

TEST_CASE("a delay loop inside a poll loop only repeats itself") {
  const WarpActivity activity = watch(
      {rv::addi(a2, 0, 20), rv::addi(a2, a2, -1), rv::bne(a2, 0, -4), rv::lw(a0, 0, 8), rv::beq(a0, 0, -16)});
  REQUIRE(activity.state == State::kSpinning);
  REQUIRE(activity.polls.size() == 1);
  CHECK(activity.polls[0].address == 8);
  CHECK(activity.branch_pc == kCode + 16);
}

TEST_CASE("a poll of something that changes works") {
  std::uint32_t time = 0;
  CHECK(watch({rv::csrrs(a0, 0xC00, 0), rv::bne(a0, a3, -4)}, [&](std::uint32_t) { return ++time; }).state ==
        State::kWorking);
}

TEST_CASE("a clock that is read but not waited for does not hide a spin") {
  std::uint32_t time = 0;
  const WarpActivity activity = watch({rv::csrrs(a2, 0xC00, 0), rv::csrrs(a0, 0xACC, 0), rv::bne(a0, 0, -8)},
                                      [&](std::uint32_t from) { return from == 0xC00 ? ++time : 1u; });
  REQUIRE(activity.state == State::kSpinning);
  REQUIRE(activity.polls.size() == 1);
  CHECK(activity.polls[0].what == Poll::What::kCsr);
  CHECK(activity.polls[0].address == 0xACC);
  CHECK(activity.polls[0].value == 1);
}

TEST_CASE("a loop without a way out spins on nothing") {
  const WarpActivity activity = watch({rv::addi(a2, a2, 1), rv::beq(0, 0, -4)});
  CHECK(activity.state == State::kSpinning);
  CHECK(activity.polls.empty());
}

TEST_CASE("a warp that comes to new code in the second half works") {
  unsigned reads = 0;
  CHECK(watch({rv::lw(a0, 0, 8), rv::beq(a0, 0, -4), rv::lw(a0, 0, 12), rv::beq(a0, 0, -4)},
              [&](std::uint32_t from) { return from == 8 ? ++reads > 600 : 0u; })
            .state == State::kWorking);
}

TEST_CASE("work of a unit is noticed") {
  SpinRecorder recorder(1, 1);
  CHECK_FALSE(recorder.units_moved());
  recorder.on_work_end(0, 0, 0);
  CHECK(recorder.units_moved());
}

TEST_CASE("a handler that traps at once spins, although no instruction issues") {
  SpinRecorder recorder(1, 1);
  const protocol::Origin origin{protocol::Origin::Unit::kCore, 0, 0, kCode, 1};
  recorder.on_trap(1, origin);
  recorder.half();
  recorder.on_trap(2, origin);
  const WarpActivity activity = recorder.result().at(0);
  CHECK(activity.state == State::kSpinning);
  CHECK(activity.trap_pc == kCode);
  CHECK(activity.branch_pc == kCode);
}

TEST_CASE("a trap at a place that had none before is work") {
  SpinRecorder recorder(1, 1);
  protocol::Origin origin{protocol::Origin::Unit::kCore, 0, 0, kCode, 1};
  recorder.on_trap(1, origin);
  recorder.half();
  origin.pc += 4;
  recorder.on_trap(2, origin);
  CHECK(recorder.result().at(0).state == State::kWorking);
}

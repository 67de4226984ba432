// SPDX-License-Identifier: Apache-2.0
// A simulator of somebody else as back end: it is asked whether it takes a request, is clocked, and calls back.
#include <algorithm>
#include <deque>
#include <functional>
#include <ostream>

#include "testbenches/block/main_memory/memory_fixture.h"
#include "testbenches/support/catch.h"

using namespace spica;
using testbench::Cycle;
using testbench::kBase;
using Fixture = testbench::MemoryFixture;

namespace {

/// As such simulators are: knows addresses, not requests; one transaction per clock comes out, 20 clocks after it went
/// in.
class CallbackSimulator {
 public:
  static constexpr std::uint64_t kClockPs = 700, kLatency = 20, kQueue = 4;
  using Callback = std::function<void(std::uint64_t address)>;

  CallbackSimulator(Callback read_done, Callback write_done)
      : read_(std::move(read_done)), write_(std::move(write_done)) {}
  bool will_accept() const { return queue_.size() < kQueue; }
  void add(std::uint64_t address, bool write) { queue_.push_back({address, write, clock_ + kLatency}); }
  void clock_tick() {
    ++clock_;
    ++ticks;
    if (queue_.empty() || queue_.front().due > clock_) return;
    const Transaction done = queue_.front();
    queue_.pop_front();
    (done.write ? write_ : read_)(done.address);
  }
  /// Clocks in which nothing would have happened.
  void skip_to(std::uint64_t clock) { clock_ = std::max(clock_, clock); }
  std::uint64_t clock() const { return clock_; }
  void clear() { queue_.clear(); }
  std::uint64_t ticks = 0;

 private:
  struct Transaction {
    std::uint64_t address;
    bool write;
    std::uint64_t due;
  };
  const Callback read_, write_;
  std::deque<Transaction> queue_;
  std::uint64_t clock_ = 0;
};

/// The whole adapter.
class SimulatorBackEnd final : public main_memory::BackEnd {
 public:
  explicit SimulatorBackEnd(const main_memory::BackEndContext& context)
      : cycle_ps_(context.cycle_ps), user_(context.user) {}

  bool offer(const main_memory::Access& access, Cycle now) override {
    if (!simulator.will_accept()) return false;
    if (waiting_.empty()) simulator.skip_to(clock_at(now));
    waiting_.push_back(access);
    simulator.add(access.offset, access.write);
    return true;
  }
  void tick(Cycle now) override {
    while (!waiting_.empty() && simulator.clock() < clock_at(now)) simulator.clock_tick();
  }
  Cycle next(Cycle now) const override { return waiting_.empty() ? base::kNever : now + 1; }
  void reset(Cycle) override {
    waiting_.clear();
    simulator.clear();
  }
  bool idle() const override { return waiting_.empty(); }
  void dump(std::ostream& out, const char* name) const override {
    if (!idle()) out << name << ": " << waiting_.size() << " requests in the simulator\n";
  }

  CallbackSimulator simulator{[this](std::uint64_t address) { done(address, false); },
                              [this](std::uint64_t address) { done(address, true); }};

 private:
  std::uint64_t clock_at(Cycle cycle) const { return cycle * cycle_ps_ / CallbackSimulator::kClockPs; }
  void done(std::uint64_t address, bool write) {
    const auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& access) {
      return access.offset == address && access.write == write;
    });
    protocol::Payload& payload = *found->payload;
    waiting_.erase(found);
    user_.done(payload, 0);  // in this cycle
  }

  const main_memory::Picoseconds cycle_ps_;
  main_memory::BackEndUser& user_;
  std::deque<main_memory::Access> waiting_;
};

}  // namespace

TEST_CASE(
    "a simulator with callbacks answers after its own clocks, and the memory sleeps when it has nothing") {
  SimulatorBackEnd* back_end = nullptr;
  Fixture f({}, [&](const main_memory::BackEndContext& context) {
    auto made = std::make_unique<SimulatorBackEnd>(context);
    back_end = made.get();
    return made;
  });
  auto& write = f.agent.line(tlm::TLM_WRITE_COMMAND, kBase + 64, 64);
  write.data.fill(5);
  auto& read = f.read(kBase + 64);
  f.agent.at(10, write);
  f.agent.at(900, read);
  f.bench.run();
  const auto answer = [](Cycle sent) {
    const std::uint64_t clock = sent * 2500 / CallbackSimulator::kClockPs + CallbackSimulator::kLatency;
    return (clock * CallbackSimulator::kClockPs + 2499) / 2500;
  };
  CHECK(f.agent.done(write) == answer(10));
  CHECK(f.agent.done(read) == answer(900));
  CHECK(read.data[3] == 5);
  CHECK(back_end->simulator.ticks == 2 * CallbackSimulator::kLatency);
  CHECK(f.bench.clock.asleep());
  CHECK(f.dut.stats().bytes_written.value() == 64);
  CHECK(f.dut.stats().reads.value() == 1);
  CHECK(f.dut.stats().row_misses.value() == 0);
}

TEST_CASE("a simulator that takes no more holds the request and loses none") {
  Fixture f({}, [](const auto& context) { return std::make_unique<SimulatorBackEnd>(context); });
  std::vector<protocol::LinePayload*> reads;
  for (unsigned i = 0; i < 50; ++i) {
    reads.push_back(&f.read(kBase + 64 * i));
    f.agent.at(0, *reads.back());
  }
  f.bench.run();
  for (unsigned i = 0; i < 50; ++i) CHECK(reads[i]->is_response_ok());
  CHECK(f.agent.accepted(*reads[3]) == 0);
  // The first four come out one per clock from clock 20 on, which is in cycle 6.
  for (unsigned i = 4; i < 8; ++i) CHECK(f.agent.accepted(*reads[i]) >= 6);
  CHECK(f.agent.accepted(*reads[4]) == 6);
  CHECK(f.dut.idle());
}

TEST_CASE("a reset drops what is in a simulator, and hang reports show it") {
  Fixture f({}, [](const auto& context) { return std::make_unique<SimulatorBackEnd>(context); });
  f.agent.at(0, f.read(kBase));
  f.bench.run_for(3);
  CHECK(f.reset_in_flight() == "dut: 1 requests in the simulator\n");
  auto& read = f.read(kBase);
  f.agent.at(40, read);
  f.bench.run();
  CHECK(read.is_response_ok());
}

// SPDX-License-Identifier: Apache-2.0
#include "models/mio/mio.h"

#include <algorithm>
#include <memory>

#include "testbenches/support/bench.h"
#include "testbenches/support/catch.h"

using namespace spica::testbench;
using spica::base::kNever;
using spica::mio::Mio;
using spica::mio::MioParams;

namespace {

/// Answers warp accesses `latency` cycles after it has taken them; those to addresses below 0x1000 take as many passes
/// as the hundreds of the address.
class PathMemory final : public spica::base::Component, private spica::protocol::RequestHandler {
 public:
  PathMemory(const sc_core::sc_module_name& name, const spica::base::ClockDomain& clock, Cycle latency,
             std::size_t capacity)
      : Component(name, clock), latency_(latency), queue_(capacity) {
    socket.attach(*this);
  }
  spica::protocol::WarpTargetSocket socket{"socket"};
  std::vector<Cycle> taken;

  void tick() override {
    while (!queue_.empty() && queue_.front().due <= now()) {
      Payload& payload = *queue_.pop().payload;
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
      socket.respond(payload);
      if (Payload* const held = socket.held(); held != nullptr) {
        take(*held);
        socket.take_held();
      }
    }
    if (!queue_.empty()) wake_at(queue_.front().due);
  }
  void reset() override { queue_.clear(); }
  bool idle() const override { return queue_.empty(); }
  spica::base::StatGroup& stats() override { return stats_; }
  void dump_state(std::ostream&) const override {}

 private:
  struct Item {
    Payload* payload;
    Cycle due;
  };
  bool on_request(unsigned, Payload& payload) override {
    if (queue_.full()) return false;
    take(payload);
    return true;
  }
  void take(Payload& payload) {
    const std::uint64_t passes = payload.get_address() >> 8 & 15;
    if (passes != 0 && payload.get_address() < 0x1000)
      spica::protocol::access_of(payload)->passes = static_cast<std::uint8_t>(passes);
    taken.push_back(now());
    queue_.push({&payload, now() + latency_});
    wake_at(queue_.front().due);
  }
  unsigned on_debug(unsigned, Payload&) override { return 0; }

  const Cycle latency_;
  spica::base::BoundedQueue<Item> queue_;
  spica::base::StatGroup stats_;
};

MioParams params_of(std::uint64_t cores) {
  MioParams params;
  params.present = params.shared_data_path = true;
  params.cores = cores;
  return params;
}

/// Cores that play requests, the path, and the two memories behind it.
struct Path {
  explicit Path(Bench& bench, const MioParams& params, std::size_t shared_capacity = 64,
                std::size_t global_capacity = 64)
      : shared("shared", bench.clock, 10, shared_capacity),
        global("global", bench.clock, 10, global_capacity),
        dut("dut", params, bench.clock) {
    bench.add(shared);
    bench.add(global);
    bench.add(dut);
    dut.smem[0].bind(shared.socket);
    dut.gmem[0].bind(global.socket);
    if (dut.smem.size() == 2) {
      more.push_back(std::make_unique<PathMemory>("shared_1", bench.clock, 10, shared_capacity));
      dut.smem[1].bind(more.back()->socket);
    }
    if (dut.gmem.size() == 2) {
      more.push_back(std::make_unique<PathMemory>("global_1", bench.clock, 10, global_capacity));
      dut.gmem[1].bind(more.back()->socket);
    }
    for (const auto& memory : more) bench.add(*memory);
    for (unsigned core = 0; core < params.cores; ++core)
      for (const bool global_side : {false, true}) {
        agents.push_back(std::make_unique<WarpTrafficAgent>(
            ("agent_" + std::to_string(agents.size())).c_str(), bench.clock));
        agents.back()->socket.bind(global_side ? dut.gmem_in[core] : dut.smem_in[core]);
        bench.add(*agents.back());
      }
  }
  WarpTrafficAgent& core(unsigned number, bool global_side = false) {
    return *agents[2 * number + (global_side ? 1 : 0)];
  }
  /// Of 32 lanes on consecutive words from `address` on; to shared memory (address >> 8) & 15 passes, at least one.
  WarpPayload& load(unsigned number, Cycle cycle, std::uint32_t address, bool global_side = false,
                    std::uint32_t stride = 4) {
    std::vector<std::uint32_t> addresses;
    for (unsigned lane = 0; lane < 32; ++lane) addresses.push_back(address + lane * stride);
    WarpPayload& payload = core(number, global_side).warp(tlm::TLM_READ_COMMAND, ~0u, addresses);
    core(number, global_side).at(cycle, payload);
    return payload;
  }
  WarpPayload& store(unsigned number, Cycle cycle, std::uint32_t address) {
    WarpPayload& payload =
        core(number).warp(tlm::TLM_WRITE_COMMAND, ~0u, std::vector<std::uint32_t>(32, address));
    core(number).at(cycle, payload);
    return payload;
  }
  std::uint64_t cycles(const char* reason) {
    dut.settle_stats();
    const auto& path = dut.stats().accounts().front();
    for (std::size_t i = 0; i < path.size(); ++i)
      if (path.reason(i) == reason) return path.cycles(i);
    throw std::logic_error("no such reason");
  }

  PathMemory shared, global;
  std::vector<std::unique_ptr<PathMemory>> more;  // at the ports of the second unit
  Mio dut;
  std::vector<std::unique_ptr<WarpTrafficAgent>> agents;
};

}  // namespace

TEST_CASE(
    "an access goes on in the cycle after it came, and its answer comes back in the cycle of the memory's") {
  Bench bench;
  Path path(bench, params_of(2));
  WarpPayload& load = path.load(1, 5, 0x0);
  bench.run();
  CHECK(path.shared.taken == std::vector<Cycle>{6});
  CHECK(path.core(1).done(load) == 16);
  CHECK(path.dut.idle());
  CHECK(path.dut.stats().shared_accesses.value() == 1);
  CHECK(path.dut.stats().shared_bytes_read.value() == 128);
}

TEST_CASE("one access leaves per cycle, the cores in turn") {
  Bench bench;
  Path path(bench, params_of(4));
  std::vector<WarpPayload*> sent;
  for (unsigned core = 0; core < 4; ++core)
    for (int i = 0; i < 2; ++i) sent.push_back(&path.load(core, 5, 0x0));
  bench.run();
  CHECK(path.shared.taken == std::vector<Cycle>{6, 7, 8, 9, 10, 11, 12, 13});
  for (unsigned core = 0; core < 4; ++core) CHECK(path.core(core).done(*sent[2 * core]) == 16 + core);
  CHECK(path.cycles("shared") == 8);
}

TEST_CASE("an access has the path for as many cycles as the memory says, whoever comes behind it") {
  Bench bench;
  Path path(bench, params_of(2));
  path.load(0, 5, 0x300);  // three passes
  path.load(1, 5, 0x2000, true);  // a whole line of global memory
  path.load(1, 6, 0x2000, true, 32);  // 32 sectors: eight cycles
  path.load(0, 6, 0x0);
  bench.run();
  CHECK(path.shared.taken == std::vector<Cycle>{6, 10});
  CHECK(path.global.taken == std::vector<Cycle>{9, 11});
  CHECK(path.cycles("shared") == 2);
  CHECK(path.cycles("global") == 2);
  CHECK(path.cycles("conflict") == 2 + 7);
  CHECK(path.dut.stats().shared_passes.value() == 4);
  CHECK(path.dut.stats().global_passes.value() == 9);
}

TEST_CASE("a path of 64 bytes per cycle takes two cycles for a whole warp") {
  Bench bench;
  MioParams params = params_of(2);
  params.bytes_per_cycle = 64;
  Path path(bench, params);
  path.load(0, 5, 0x0);
  path.load(1, 5, 0x0);
  bench.run();
  CHECK(path.shared.taken == std::vector<Cycle>{6, 8});
}

TEST_CASE("while a memory holds an access nothing else has the path, and accesses of a core stay in order") {
  Bench bench;
  Path path(bench, params_of(2), 1);
  WarpPayload& first = path.load(0, 5, 0x0);
  WarpPayload& second = path.load(0, 6, 0x0);
  WarpPayload& third = path.load(1, 9, 0x2000, true);
  bench.run();
  CHECK(path.shared.taken == std::vector<Cycle>{6, 16});
  CHECK(path.global.taken == std::vector<Cycle>{17});
  CHECK(path.core(0).done(first) == 16);
  CHECK(path.core(0).done(second) == 26);
  CHECK(path.core(1, true).done(third) == 27);
  CHECK(path.cycles("memory_blocked") == 9);
}

TEST_CASE("a full queue holds the core's next access at its socket, the first to come first") {
  Bench bench;
  Path path(bench, params_of(1));
  std::vector<WarpPayload*> sent;
  for (int i = 0; i < 5; ++i) sent.push_back(&path.load(0, 5, 0x400));  // four passes each
  WarpPayload& global = path.load(0, 8, 0x2000, true);
  bench.run();
  // The fourth is held from cycle 6 on, the one to global memory from 8, the fifth from 10.
  CHECK(path.core(0).accepted(*sent[1]) == 5);
  CHECK(path.core(0).accepted(*sent[2]) == 6);
  CHECK(path.core(0).accepted(*sent[3]) == 10);
  CHECK(path.core(0, true).accepted(global) == 14);
  CHECK(path.shared.taken == std::vector<Cycle>{6, 10, 14, 18, 23});
  CHECK(path.global.taken == std::vector<Cycle>{22});
  CHECK(path.core(0, true).done(global) == 32);
}

TEST_CASE("a reset forgets what waits") {
  Bench bench;
  Path path(bench, params_of(2), 1);
  for (int i = 0; i < 4; ++i) path.load(0, 5, 0x0);
  bench.run_for(8);
  CHECK_FALSE(path.dut.idle());
  for (auto& agent : path.agents) agent->reset();
  path.dut.reset();
  path.shared.reset();
  CHECK(path.dut.idle());
}

namespace {

MioParams with_units(spica::mio::Units units, std::uint64_t cores = 4) {
  MioParams params = params_of(cores);
  params.units = units;
  return params;
}

}  // namespace

TEST_CASE("of two full units each serves half of the cores, at memory ports of its own") {
  Bench bench;
  Path path(bench, with_units(spica::mio::Units::kFullAndFull));
  for (unsigned core = 0; core < 4; ++core) path.load(core, 5, 0x400);  // four passes
  path.load(3, 6, 0x2000, true);
  bench.run();
  CHECK(path.shared.taken == std::vector<Cycle>{6, 10});  // cores 0 and 1
  CHECK(path.more[0]->taken == std::vector<Cycle>{6, 10});
  CHECK(path.global.taken.empty());
  CHECK(path.more[1]->taken == std::vector<Cycle>{14});
}

TEST_CASE("a unit for shared memory alone takes what the full one leaves over") {
  Bench bench;
  Path path(bench, with_units(spica::mio::Units::kFullAndShared));
  path.load(0, 5, 0x2000, true, 32);  // 32 sectors: eight cycles of the full unit
  path.load(1, 5, 0x200);
  path.load(2, 5, 0x200);
  path.load(3, 5, 0x2000, true);  // waits for the full one
  bench.run();
  CHECK(path.global.taken == std::vector<Cycle>{6, 14});
  CHECK(path.shared.taken.empty());
  CHECK(path.more[0]->taken == std::vector<Cycle>{6, 8});
}

TEST_CASE("beside a store of a core nothing of it goes through another unit") {
  Bench bench;
  Path path(bench, with_units(spica::mio::Units::kFullAndShared, 2));
  path.store(0, 5, 0x800);  // eight passes of the full unit, answered in cycle 16
  path.load(0, 6, 0x0);
  path.load(1, 6, 0x0);  // another core: the second unit
  bench.run();
  CHECK(path.shared.taken == std::vector<Cycle>{6, 14});
  CHECK(path.more[0]->taken == std::vector<Cycle>{7});
}

TEST_CASE("loads of a core go through both units, and a store waits for those of the other one") {
  Bench bench;
  Path path(bench, with_units(spica::mio::Units::kFullAndShared, 1));
  path.load(0, 5, 0x800);  // eight passes of the full unit, answered in cycle 16
  path.load(0, 6, 0x0);  // the second unit
  path.store(0, 7, 0x0);  // after both: the first to be free
  bench.run();
  CHECK(path.shared.taken.front() == 6);
  CHECK(path.more[0]->taken.front() == 7);
  const Cycle stored = path.shared.taken.size() == 2 ? path.shared.taken[1] : path.more[0]->taken[1];
  CHECK(stored >= 16);
}

TEST_CASE("an access to global memory behind one that the second unit has taken goes on") {
  Bench bench;
  Path path(bench, with_units(spica::mio::Units::kFullAndShared, 2));
  path.load(0, 5, 0x400);  // four passes of the full unit
  path.load(1, 5, 0x0);  // the second unit
  WarpPayload& behind = path.load(1, 6, 0x2000, true);
  bench.run();
  CHECK(path.more[0]->taken == std::vector<Cycle>{6});
  CHECK(path.global.taken == std::vector<Cycle>{10});
  CHECK(path.core(1, true).done(behind) == 20);
}

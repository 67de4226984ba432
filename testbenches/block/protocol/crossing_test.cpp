// SPDX-License-Identifier: Apache-2.0
// Two of our sockets in different clock domains: when what arrives, and how much.
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "testbenches/support/bench.h"
#include "testbenches/support/catch.h"

using namespace spica;
using base::Cycle;
using base::kNever;
using sc_core::sc_time;

namespace {

using Picoseconds = std::uint64_t;
constexpr Picoseconds k400 = 2500, k333 = 3003, k100 = 10000;  // MHz
constexpr Cycle kLatency = 3;  // of the memory

sc_time ps(Picoseconds time) { return {static_cast<double>(time), sc_core::SC_PS}; }

/// Keeps a domain busy in every cycle.
struct Busy final : base::Component {
  Busy(const sc_core::sc_module_name& name, base::ClockDomain& clock) : Component(name, clock) {
    clock.add(*this);
    wake_at(0);
  }
  void tick() override {
    if (now() < 2000) wake_next();
  }
  void reset() override {}
  bool idle() const override { return true; }
  base::StatGroup& stats() override { return stats_; }
  void dump_state(std::ostream&) const override {}
  base::StatGroup stats_;
};

/// An agent in one domain that reads from a memory in another one, which it leads.
struct Pair {
  struct Options {
    Cycle near_crossing = 0, far_crossing = 0;
    unsigned depth = base::kCrossingDepth;
    std::size_t capacity = 64;
    Cycle latency = kLatency;
    protocol::Links links = protocol::Links::kChecked;
    bool far_first = false;
  };
  Pair(const std::string& name, Picoseconds near_period, Picoseconds far_period)
      : Pair(name, near_period, far_period, Options()) {}
  Pair(const std::string& name, Picoseconds near_period, Picoseconds far_period, Options o) {
    const auto make_near = [&] { near = clock(name + "_near", near_period, o); };
    if (!o.far_first) make_near();
    far = clock(name + "_far", far_period, o);
    memory = std::make_unique<testbench::MemoryStub>((name + "_memory").c_str(), *far, o.latency, o.capacity);
    if (o.far_first) make_near();
    agent = std::make_unique<testbench::TrafficAgent>((name + "_agent").c_str(), *near);
    near->lead(*far);
    near->set_crossing(o.near_crossing, o.depth);
    far->set_crossing(o.far_crossing, o.depth);
    far->add(*memory);
    near->add(*agent);
    agent->socket.bind(memory->socket);
  }
  static std::unique_ptr<base::ClockDomain> clock(const std::string& name, Picoseconds period,
                                                  const Options& o) {
    auto made = std::make_unique<base::ClockDomain>(name.c_str(), ps(period));
    made->set_links(o.links);
    return made;
  }
  /// Plans the read of the next word.
  void read_at(Cycle cycle) {
    const auto number = static_cast<std::uint32_t>(reads.size());
    memory->set_word(4 * number, 1000 + number);
    reads.push_back(&agent->line(tlm::TLM_READ_COMMAND, 4 * number, 4));
    agent->at(cycle, *reads.back());
  }
  void read_at(Cycle cycle, unsigned count) {
    while (count-- != 0) read_at(cycle);
  }
  /// In order, with the data of the words.
  std::vector<Cycle> done() const {
    std::vector<Cycle> cycles;
    for (std::uint32_t i = 0; i < reads.size(); ++i) {
      std::uint32_t word = 0;
      std::memcpy(&word, reads[i]->data.data(), 4);
      CHECK(word == 1000 + i);
      CHECK(memory->seen()[i].address == 4 * i);
      cycles.push_back(agent->done(*reads[i]));
    }
    return cycles;
  }
  /// The cycles in which the memory has seen the requests.
  std::vector<Cycle> seen() const {
    std::vector<Cycle> cycles;
    for (const auto& request : memory->seen()) cycles.push_back(request.cycle);
    return cycles;
  }
  std::vector<Cycle> accepted() const {
    std::vector<Cycle> cycles;
    for (const auto* read : reads) cycles.push_back(agent->accepted(*read));
    return cycles;
  }
  std::unique_ptr<base::ClockDomain> near, far;
  std::unique_ptr<testbench::MemoryStub> memory;
  std::unique_ptr<testbench::TrafficAgent> agent;
  std::vector<protocol::LinePayload*> reads;
};

/// Reads that do not meet each other, begun at all distances from the next cycle of the memory.
void check_latency(Picoseconds near, Picoseconds far, Cycle near_crossing, Cycle far_crossing) {
  Pair::Options options;
  options.near_crossing = near_crossing;
  options.far_crossing = far_crossing;
  Pair pair("pair", near, far, options);
  std::vector<Cycle> seen, done;
  for (Cycle i = 0; i < 20; ++i) {
    const Cycle sent = 10 + 101 * i;
    pair.read_at(sent);
    seen.push_back(sent * near / far + 1 + far_crossing);
    done.push_back((seen.back() + kLatency) * far / near + 1 + near_crossing);
  }
  pair.near->run_until(10000);
  CHECK(pair.near->asleep());
  CHECK(pair.seen() == seen);
  CHECK(pair.done() == done);
}

/// One after the other without a gap, from the first on.
std::vector<Cycle> from(Cycle first, std::size_t count) {
  std::vector<Cycle> cycles;
  for (std::size_t i = 0; i < count; ++i) cycles.push_back(first + i);
  return cycles;
}

/// In cycle `when` of the agent, with more under way than the crossing holds.
void check_reset(Cycle when) {
  Pair::Options options;
  options.capacity = 2;
  options.latency = 20;
  options.near_crossing = options.far_crossing = 4;
  options.depth = 4;
  Pair pair("pair", k400, k333, options);
  pair.read_at(10, 12);
  pair.near->run_until(when);
  pair.agent->reset();
  pair.memory->reset();
  pair.reads.clear();
  const std::size_t before = pair.memory->seen().size();
  CHECK(before < 12);
  pair.read_at(1000);
  pair.read_at(1100);
  pair.near->run_until(2000);
  CHECK(pair.near->asleep());
  CHECK(pair.agent->outstanding() == 0);
  REQUIRE(pair.memory->seen().size() == before + 2);
  for (unsigned i = 0; i < 2; ++i) {
    const Cycle seen = (1000 + 100 * i) * k400 / k333 + 1 + 4;
    CHECK(pair.memory->seen()[before + i].cycle == seen);
    CHECK(pair.agent->done(*pair.reads[i]) == (seen + 20) * k333 / k400 + 1 + 4);
  }
}

/// The same traffic four times: the domains made in both orders, with nothing else in them and busy in every cycle.
struct Four {
  explicit Four(Picoseconds far) {
    for (unsigned i = 0; i < 4; ++i) {
      const std::string name = "far" + std::to_string(far) + "_" + std::to_string(i);
      Pair::Options options;
      options.capacity = 3;
      options.far_first = i % 2 != 0;
      pairs.push_back(std::make_unique<Pair>(name, k400, far, options));
      for (const Cycle cycle : {8, 8, 8, 9, 13, 16, 17, 24, 24, 25, 200, 202, 204}) pairs[i]->read_at(cycle);
      if (i < 2) continue;
      busy.push_back(std::make_unique<Busy>((name + "_a").c_str(), *pairs[i]->near));
      busy.push_back(std::make_unique<Busy>((name + "_b").c_str(), *pairs[i]->far));
    }
  }
  std::vector<std::unique_ptr<Pair>> pairs;
  std::vector<std::unique_ptr<Busy>> busy;
};

}  // namespace

TEST_CASE("a request crosses from 400 to 100 MHz in the next cycle of the reader") {
  check_latency(k400, k100, 0, 0);
}
TEST_CASE("a request crosses from 100 to 400 MHz in the next cycle of the reader") {
  check_latency(k100, k400, 0, 0);
}
TEST_CASE("a request crosses from 400 to 333 MHz in the next cycle of the reader") {
  check_latency(k400, k333, 0, 0);
}
TEST_CASE("a request crosses between domains of the same frequency in one cycle") {
  check_latency(k400, k400, 0, 0);
}
TEST_CASE("a crossing takes as many cycles more as the domain of the reader says, from 400 to 100 MHz") {
  check_latency(k400, k100, 3, 2);
}
TEST_CASE("a crossing takes as many cycles more as the domain of the reader says, from 100 to 400 MHz") {
  check_latency(k100, k400, 1, 4);
}
TEST_CASE("a crossing takes as many cycles more as the domain of the reader says, from 400 to 333 MHz") {
  check_latency(k400, k333, 2, 2);
}

TEST_CASE("requests cross from 400 to 100 MHz at one per cycle of the reader") {
  Pair pair("pair", k400, k100);
  pair.read_at(10, 50);
  pair.near->run_until(10000);
  CHECK(pair.seen() == from(3, 50));
  const std::vector<Cycle> done = pair.done();
  for (std::size_t i = 0; i < done.size(); ++i) CHECK(done[i] == 4 * (3 + kLatency + i) + 1);
}

TEST_CASE("requests cross from 100 to 400 MHz at one per cycle of the writer") {
  Pair pair("pair", k100, k400);
  pair.read_at(10, 50);
  pair.near->run_until(10000);
  CHECK(pair.accepted() == from(10, 50));
  CHECK(pair.done() == from(12, 50));
}

TEST_CASE("requests cross from 400 to 333 MHz at one per cycle of the slower side") {
  Pair pair("pair", k400, k333);
  pair.read_at(10, 200);
  pair.near->run_until(10000);
  CHECK(pair.seen() == from(9, 200));
  pair.done();
}

TEST_CASE("requests cross at one per cycle when the depth covers the way there and back, and else not") {
  Pair::Options options;
  options.near_crossing = options.far_crossing = 3;  // 4 cycles there, 4 back
  options.depth = 8;
  Pair enough("enough", k400, k400, options);
  options.depth = 7;
  Pair short_of_one("short", k400, k400, options);
  options.depth = 1;
  Pair single("single", k400, k400, options);
  for (Pair* pair : {&enough, &short_of_one, &single}) pair->read_at(10, 29);
  for (Pair* pair : {&enough, &short_of_one, &single}) pair->near->run_until(1000);
  CHECK(enough.accepted() == from(10, 29));
  for (unsigned i = 0; i < 29; ++i) {
    CHECK(short_of_one.accepted()[i] == 10 + i + i / 7);
    CHECK(single.accepted()[i] == 10 + 8 * i);
  }
}

TEST_CASE("a crossing that is full holds the initiator until the target accepts a request") {
  Pair::Options options;
  options.capacity = 1;
  options.latency = 100;
  options.depth = 4;
  Pair pair("pair", k400, k400, options);
  pair.read_at(10, 8);
  pair.near->run_until(100);
  const std::vector<Cycle> early = pair.accepted();
  for (unsigned i = 0; i < 5; ++i) CHECK(early[i] == 10 + i);  // one at the memory, four in the crossing
  for (unsigned i = 5; i < 8; ++i) CHECK(early[i] == kNever);
  pair.near->run_until(10000);
  const std::vector<Cycle> done = pair.done(), accepted = pair.accepted();
  for (unsigned i = 0; i < 8; ++i) CHECK(done[i] == 11 + 100 * (i + 1) + 1);
  for (unsigned i = 5; i < 8; ++i) CHECK(accepted[i] == done[i - 5]);
}

TEST_CASE("a reset of both sides forgets requests that the target has not seen") { check_reset(15); }
TEST_CASE("a reset of both sides forgets requests of which the target holds one") { check_reset(25); }
TEST_CASE("a reset of both sides forgets responses under way") { check_reset(42); }

TEST_CASE("how links inside a domain talk does not change what crosses to another one") {
  std::vector<std::unique_ptr<Pair>> pairs;
  for (const auto links : {protocol::Links::kDirect, protocol::Links::kStandard, protocol::Links::kChecked}) {
    Pair::Options options;
    options.links = links;
    options.capacity = 2;
    pairs.push_back(std::make_unique<Pair>("pair" + std::to_string(pairs.size()), k400, k333, options));
    pairs.back()->read_at(10, 40);
  }
  for (auto& pair : pairs) pair->near->run_until(1000);
  CHECK(pairs[0]->done() == pairs[1]->done());
  CHECK(pairs[0]->done() == pairs[2]->done());
}

TEST_CASE("neither the order of construction nor what else the domains do changes what crosses") {
  Four slow(k100), equal(k400), odd(k333);
  for (Four* four : {&slow, &equal, &odd})
    for (auto& pair : four->pairs) pair->near->run_until(3000);
  for (Four* four : {&slow, &equal, &odd})
    for (unsigned i = 1; i < 4; ++i) CHECK(four->pairs[i]->done() == four->pairs[0]->done());
}

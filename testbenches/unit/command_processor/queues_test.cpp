// SPDX-License-Identifier: Apache-2.0
#include <random>
#include <set>

#include "models/command_processor/command_processor_regs.h"
#include "testbenches/support/catch.h"
#include "testbenches/unit/command_processor/queues_bench.h"

using namespace spica::command_processor;

TEST_CASE("kernels of one queue run one after the other, those of several beside each other",
          "[command_processor]") {
  Bench bench;
  bench.queue(0, {bench.kernel(1), bench.kernel(2)});
  bench.queue(3, {bench.kernel(3)});
  const auto first = bench.work();
  REQUIRE(first.size() == 2);
  CHECK(bench.queue_of(first[0]) == 0);
  CHECK(bench.queue_of(first[1]) == 3);
  CHECK(bench.work().empty());
  bench.queues.dispatched(first[0]);  // its successor comes to the head, and waits for its end
  CHECK(bench.work().empty());
  CHECK(bench.queues.state(0).read == 1);
  bench.queues.ended(first[0], 5);
  const auto second = bench.work();
  REQUIRE(second.size() == 1);
  CHECK(bench.queue_of(second[0]) == 0);
  bench.end(first[1]);
  bench.end(second[0]);
  bench.work();
  CHECK(bench.queues.empty());
  CHECK(bench.queues.run(first[0]).ended == 5);
}

TEST_CASE("sequential runs one kernel at a time, the queues take turns", "[command_processor]") {
  CommandProcessorParams params;
  params.policy = Policy::kSequential;
  Bench bench(params);
  for (unsigned q = 0; q < 3; ++q) bench.queue(q, {bench.kernel(1), bench.kernel(1)});
  std::vector<unsigned> order;
  for (int i = 0; i < 6; ++i) {
    const auto launched = bench.work();
    REQUIRE(launched.size() == 1);
    order.push_back(bench.queue_of(launched[0]));
    bench.end(launched[0]);
  }
  CHECK(order == std::vector<unsigned>{0, 1, 2, 0, 1, 2});
  bench.work();
  CHECK(bench.queues.empty());
}

TEST_CASE("an event holds back the stream that waits for it, and only that one", "[command_processor]") {
  Bench bench;
  bench.set(kSignals, 1);
  bench.queue(0, {bench.kernel(1), bench.record(kSignals)});
  bench.queue(1, {bench.wait(kSignals), bench.kernel(1)});
  bench.queue(2, {bench.kernel(1)});
  const auto first = bench.work();
  REQUIRE(first.size() == 2);
  CHECK(bench.queue_of(first[1]) == 2);
  CHECK(bench.queues.state(1).waits == std::vector<std::uint32_t>{kSignals});
  bench.end(first[1]);
  CHECK(bench.work().empty());
  bench.end(first[0]);
  const auto then = bench.work();
  REQUIRE(then.size() == 1);
  CHECK(bench.queue_of(then[0]) == 1);
  CHECK(bench.memory[kSignals] == 0);
}

TEST_CASE("a kernel's own signal is decremented when it has ended", "[command_processor]") {
  Bench bench;
  bench.set(kSignals, 3);
  bench.queue(0, {bench.kernel(1, kSignals)});
  const auto launched = bench.work();
  bench.queues.dispatched(launched.at(0));
  bench.work();
  CHECK(bench.memory[kSignals] == 3);
  bench.queues.ended(launched.at(0), 1);
  CHECK_FALSE(bench.queues.empty());  // its signal is not written
  bench.work();
  CHECK(bench.memory[kSignals] == 2);
  CHECK(bench.queues.empty());
}

TEST_CASE("heads of all queues are read some at a time, signals one by one", "[command_processor]") {
  Bench bench;
  bench.set(kSignals, 1);
  for (unsigned q = 0; q < 5; ++q) bench.queue(q, {bench.kernel(1, q == 0 ? kSignals : 0)});
  REQUIRE(bench.queues.next() == Step::kHeads);
  CHECK(bench.queues.accesses(Step::kHeads) == 3);
  const auto launched = bench.work();
  for (const auto kernel : launched) bench.end(kernel);
  REQUIRE(bench.queues.next() == Step::kSignal);
  CHECK(bench.queues.accesses(Step::kSignal) == 1);
}

TEST_CASE("a ring is used again from its beginning", "[command_processor]") {
  Bench bench;
  bench.queue(0, {bench.kernel(1), bench.kernel(1)});
  for (std::uint32_t written = 3; written < 9; ++written) {
    const auto launched = bench.work();
    REQUIRE(launched.size() == 1);
    CHECK_FALSE(bench.queues.write(COMMAND_PROCESSOR_DOORBELL, written));  // no place yet
    bench.end(launched[0]);
    CHECK(bench.queues.write(COMMAND_PROCESSOR_DOORBELL, written));
    CHECK(bench.queues.read(COMMAND_PROCESSOR_READ) == written - 2);
  }
}

TEST_CASE("registers refuse what means nothing", "[command_processor]") {
  CommandProcessorParams params;
  params.queues = 2;
  Bench bench(params);
  CHECK_FALSE(bench.queues.write(COMMAND_PROCESSOR_BASE, 0x1020));  // no multiple of 64
  CHECK(bench.queues.write(COMMAND_PROCESSOR_BASE, 0x1040));
  CHECK_FALSE(bench.queues.write(COMMAND_PROCESSOR_DOORBELL, 1));  // no room in a ring of 0 packets
  CHECK_FALSE(bench.queues.write(COMMAND_PROCESSOR_READ, 1));
  CHECK_FALSE(bench.queues.write(2 * COMMAND_PROCESSOR_QUEUE_BYTES, 0));
  CHECK_FALSE(bench.queues.read(2 * COMMAND_PROCESSOR_QUEUE_BYTES));
  CHECK(bench.queues.read(COMMAND_PROCESSOR_QUEUE_BYTES) == 0u);
  bench.queue(0, {bench.kernel(1), bench.kernel(1)});
  CHECK_FALSE(bench.queues.write(COMMAND_PROCESSOR_BASE, 0x2000));  // it has packets
  CHECK_FALSE(bench.queues.write(COMMAND_PROCESSOR_DOORBELL, 1));  // two were written already
}

TEST_CASE("the clusters of a queue are words of 32 bits, and a setup writes all of them",
          "[command_processor]") {
  Bench bench;
  constexpr std::uint64_t kSecond = COMMAND_PROCESSOR_QUEUE_BYTES;
  CHECK(bench.queues.write(kSecond + COMMAND_PROCESSOR_CLUSTERS, 5));
  CHECK(bench.queues.write(kSecond + COMMAND_PROCESSOR_CLUSTER_WORD, 7));
  CHECK(bench.queues.read(kSecond + COMMAND_PROCESSOR_CLUSTERS) == 0u);
  CHECK(bench.queues.write(kSecond + COMMAND_PROCESSOR_CLUSTERS, 0x80000000));
  CHECK_FALSE(bench.queues.write(kSecond + COMMAND_PROCESSOR_CLUSTER_WORD, 8));
  CHECK(bench.queues.read(kSecond + COMMAND_PROCESSOR_CLUSTERS) == 0x80000000u);
  CHECK(bench.queues.write(kSecond + COMMAND_PROCESSOR_CLUSTER_WORD, 0));
  CHECK(bench.queues.read(kSecond + COMMAND_PROCESSOR_CLUSTERS) == 5u);

  bench.queues.start({1, 0, 0, 0, {40, 79}});
  CHECK(bench.queues.read(kSecond + COMMAND_PROCESSOR_CLUSTERS) == 0u);
  CHECK(bench.queues.write(kSecond + COMMAND_PROCESSOR_CLUSTER_WORD, 1));
  CHECK(bench.queues.read(kSecond + COMMAND_PROCESSOR_CLUSTERS) == 1u << 8);
  CHECK(bench.queues.write(kSecond + COMMAND_PROCESSOR_CLUSTER_WORD, 2));
  CHECK(bench.queues.read(kSecond + COMMAND_PROCESSOR_CLUSTERS) == 1u << 15);
}

TEST_CASE("what is wrong with a packet is said with its queue and number, and the other queues go on",
          "[command_processor]") {
  Bench bench;
  Packet uneven = bench.kernel(1);
  uneven.grid[0] = 9;
  Packet large = bench.kernel(1);
  large.block[0] = large.grid[0] = 512;
  Packet nowhere = bench.kernel(1);
  nowhere.object = 0xFFFFFF00;
  const std::pair<Packet, const char*> wrong[] = {
      {uneven, "queue 1, packet 1: a grid of 9 threads is not a multiple of the work-group size 8"},
      {large, "queue 1, packet 1: too large"},
      {nowhere, "queue 1, packet 1: its kernel object, 0xffffff00, is outside of memory"}};
  for (const auto& [packet, message] : wrong) {
    bench.queues.reset();
    bench.queue(1, {bench.kernel(1), packet});
    bench.queue(2, {bench.kernel(1)});
    const auto launched = bench.work();
    REQUIRE(launched.size() == 2);
    CHECK_FALSE(bench.queues.problem());
    bench.end(launched[0]);
    CHECK(bench.work().empty());
    CHECK(bench.queues.problem() == message);
    CHECK_FALSE(bench.queues.problem());
  }
}

TEST_CASE(
    "random streams with events: each kernel once, in order in its queue, never before what it waits for",
    "[command_processor]") {
  std::mt19937 random(3);
  const auto below = [&random](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
  for (int round = 0; round < 200; ++round) {
    CommandProcessorParams params;
    params.policy = below(2) != 0 ? Policy::kGreedy : Policy::kSequential;
    Bench bench(params);
    const unsigned streams = 1 + below(5);
    // Events by number; a stream waits only for events of streams before it, so that nothing hangs.
    std::vector<std::vector<Packet>> packets(streams);
    std::vector<std::pair<unsigned, std::size_t>> recorded;  // by event: the stream, and its place there
    std::vector<std::vector<int>> waits(streams);  // by stream and place: the event that is waited for, or -1
    for (unsigned s = 0; s < streams; ++s) {
      const std::size_t events_before = recorded.size();
      for (std::uint32_t i = 0, count = below(8); i < count; ++i) {
        const std::uint32_t what = below(4);
        int event = -1;
        if (what == 0 && recorded.size() < 32) {
          const auto signal = static_cast<std::uint32_t>(kSignals + 8 * recorded.size());
          bench.set(signal, 1);
          recorded.emplace_back(s, packets[s].size());
          packets[s].push_back(bench.record(signal));
        } else if (what == 1 && events_before != 0) {
          event = static_cast<int>(below(static_cast<std::uint32_t>(events_before)));
          packets[s].push_back(bench.wait(kSignals + 8 * static_cast<std::uint32_t>(event)));
        } else {
          packets[s].push_back(bench.kernel(1 + below(3)));
        }
        waits[s].push_back(event);
      }
    }
    for (unsigned s = 0; s < streams; ++s)
      if (!packets[s].empty()) bench.queue(s, packets[s]);
    std::vector<std::set<std::uint32_t>> ended(streams);
    std::size_t kernels = 0;
    while (!bench.queues.empty()) {
      for (const std::uint32_t kernel : bench.work()) {
        const auto& run = bench.queues.run(kernel);
        for (std::uint32_t before = 0; before < run.packet; ++before) {
          if (packets[run.queue][before].type == Packet::Type::kKernel)
            CHECK(ended[run.queue].count(before) == 1);
          if (waits[run.queue][before] < 0) continue;
          const auto& [other, place] = recorded[static_cast<std::size_t>(waits[run.queue][before])];
          for (std::uint32_t i = 0; i < place; ++i)
            if (packets[other][i].type == Packet::Type::kKernel) CHECK(ended[other].count(i) == 1);
        }
        ++kernels;
      }
      if (params.policy == Policy::kSequential) CHECK(bench.running.size() <= 1);
      if (bench.running.empty()) {
        bench.work();
        break;
      }
      auto which = bench.running.begin();
      std::advance(which, below(static_cast<std::uint32_t>(bench.running.size())));
      const auto& run = bench.queues.run(*which);
      ended[run.queue].insert(run.packet);
      bench.end(*which);
    }
    CHECK(bench.queues.empty());
    std::size_t all = 0;
    for (const auto& stream : packets)
      for (const Packet& packet : stream) all += packet.type == Packet::Type::kKernel;
    CHECK(kernels == all);
  }
}

TEST_CASE("each packet begins once, a barrier when it is passed") {
  Bench bench;
  bench.set(kSignals, 1);
  bench.queue(0, {bench.wait(kSignals), bench.kernel(1)});
  bench.queue(1, {bench.kernel(1), bench.record(kSignals)});
  using Begun = std::vector<std::pair<unsigned, std::uint32_t>>;
  const auto first = bench.work();
  REQUIRE(first.size() == 1);
  CHECK(bench.begun == Begun{{1, 0}});
  bench.end(first.front());
  bench.work();
  CHECK(bench.begun == Begun{{1, 0}, {1, 1}, {0, 0}, {0, 1}});
}

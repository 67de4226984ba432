// SPDX-License-Identifier: Apache-2.0
// The queue of a load/store unit between its instructions and three memories, without a core around it.
#include "models/simt_core/pipeline/units/memory_queue.h"

#include <map>
#include <vector>

#include "models/simt_core/pipeline/units/pending_accesses.h"
#include "testbenches/block/simt_core/core_bench.h"
#include "testbenches/support/catch.h"

using namespace spica::testbench;
using namespace spica;
using namespace spica::simt_core;

namespace {

class QueueHost final : public base::Component, private MemoryClient {
 public:
  QueueHost(const sc_core::sc_module_name& name, const LoadStoreParams& p, const base::ClockDomain& clock)
      : Component(name, clock), params(p) {}

  const LoadStoreParams params;
  protocol::WarpInitiatorSocket gmem{"gmem"}, smem{"smem"};
  protocol::InitiatorSocket mmio{"mmio"};
  MemoryHints hints{0};
  MemoryPorts ports{*this, hints, gmem, smem, mmio};
  PendingAccesses accesses{[](unsigned) {}, [](unsigned) {}};
  OperationSlots slots{16, MemoryPorts::first_tag(0),
                       params.lanes == Lanes::kIndependent ? &ports.wires() : nullptr, *this, accesses};
  MemoryQueue queue{params, 8, 0, slots, *this, ports};
  Cycle issue_room_at = base::kNever;  // in this cycle it looks whether there is room
  bool had_room = true;

  std::map<unsigned, Cycle> done;  // by slot: loads, stores and fences
  std::vector<std::uint32_t> parts;  // of loads whose lanes have come apart: which
  std::vector<unsigned> landed;  // warps

  /// A load or store of all eight lanes on neighbouring words, from cycle `cycle` on in the queue. Returns its slot.
  unsigned access(Cycle cycle, protocol::Route route, std::uint32_t address, bool store = false,
                  std::uint8_t special = 0) {
    const unsigned slot = slots.allocate({nullptr, 0, 0xFF, 0, 8, 0, special, {}});
    protocol::WarpPayload& request = slots.add_part(slot, route);
    request.set_command(store ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    request.info.atomic = protocol::Atomic::kNone;
    request.info.origin = {};
    request.access.mask = 0xFF;
    request.access.bytes = 4;
    for (unsigned lane = 0; lane < 8; ++lane) {
      request.access.address[lane] = address + 4 * lane;
      request.access.data[lane] = 100 + lane;
    }
    request.set_address(address);
    plan.emplace_back(cycle, slot);
    return slot;
  }
  unsigned fence(Cycle cycle) {
    const unsigned slot = slots.allocate({nullptr, 0, 0xFF, 0, 8, 0, 0, {}});
    plan.emplace_back(cycle, slot);
    return slot;
  }
  std::vector<std::pair<Cycle, unsigned>> plan;  // what enters when

  void tick() override {
    for (const auto& [cycle, slot] : plan)
      if (cycle == now()) queue.enqueue(slot, now());
    if (now() == issue_room_at) had_room = queue.has_room();
    if (queue.due() <= now()) queue.tick(now());
    wake_next();
  }
  void reset() override {}
  bool idle() const override { return queue.empty(); }
  base::StatGroup& stats() override { return stats_; }
  void dump_state(std::ostream& out) const override { queue.dump_state(out); }

 private:
  void on_load_data(unsigned slot, const MemoryOperation&, const protocol::WarpAccess& access,
                    bool last) override {
    if (last) done[slot] = now();
    parts.push_back(access.mask);
  }
  void on_lanes(const MemoryOperation&) override {}
  void on_memory_done(unsigned slot, const MemoryOperation&) override { done[slot] = now(); }
  void on_copies_landed(unsigned warp) override { landed.push_back(warp); }
  void on_access_error(const protocol::Payload&) override {}
  void on_memory_event() override { wake_now(); }
  base::StatGroup stats_;
};

/// Global memory answers in 20 cycles, shared memory in 4, a peripheral in 3.
struct QueueBench : Bench {
  explicit QueueBench(const LoadStoreParams& params = {}) : host("host", params, clock) {
    host.gmem.bind(global.socket);
    host.smem.bind(shared.socket);
    host.mmio.bind(peripheral.socket);
    for (base::Component* block :
         std::initializer_list<base::Component*>{&global, &shared, &peripheral, &host})
      add(*block);
  }
  void run() {
    host.wake_at(0);
    run_for(200);
  }
  WarpMemoryStub global{"global", clock, 20};
  WarpMemoryStub shared{"shared", clock, 4};
  MemoryStub peripheral{"peripheral", clock, 3, 4};
  QueueHost host;
};

constexpr auto kToGlobal = protocol::Route::kGlobal;
constexpr auto kToShared = protocol::Route::kShared;
constexpr auto kToPeripheral = protocol::Route::kPeripheral;

}  // namespace

TEST_CASE("requests leave in order, one in a cycle, and a store is done when it is accepted") {
  QueueBench b;
  const unsigned load = b.host.access(10, kToGlobal, 0x80000000);
  const unsigned other = b.host.access(10, kToShared, 0x1000);
  const unsigned store = b.host.access(10, kToGlobal, 0x80000040, true);
  b.run();
  const Cycle first = 10 + b.host.params.request_latency;
  CHECK(b.global.arrivals == std::vector<Cycle>{first, first + 2});
  CHECK(b.shared.arrivals == std::vector<Cycle>{first + 1});
  CHECK(b.host.done[load] == first + 20);
  CHECK(b.host.done[other] == first + 1 + 4);
  CHECK(b.host.done[store] == first + 2);
  CHECK(b.global.words[0x80000044] == 101);
  CHECK(b.host.slots.all_free());
}

TEST_CASE("no more requests are in flight than there are ids") {
  LoadStoreParams params;
  params.source_ids = 1;
  QueueBench b(params);
  b.host.access(10, kToGlobal, 0x80000000);
  b.host.access(10, kToGlobal, 0x80000040);
  b.host.access(10, kToShared, 0x1000);  // behind the one that waits
  b.run();
  const Cycle first = 10 + params.request_latency;
  CHECK(b.global.arrivals == std::vector<Cycle>{first, first + 20});
  CHECK(b.shared.arrivals == std::vector<Cycle>{first + 21});
}

TEST_CASE("a fence waits for what is before it, and takes nothing behind it in") {
  LoadStoreParams params;
  params.fence_latency = 2;
  QueueBench b(params);
  const unsigned load = b.host.access(10, kToGlobal, 0x80000000);
  const unsigned fence = b.host.fence(11);
  b.host.issue_room_at = 12;
  b.run();
  const Cycle answered = 10 + params.request_latency + 20;
  CHECK(b.host.done[load] == answered);
  CHECK(b.host.done[fence] == answered + 2);
  CHECK_FALSE(b.host.had_room);
  CHECK(b.host.queue.has_room());
}

TEST_CASE("a fence that comes to an idle queue leaves at once") {
  QueueBench b;
  const unsigned fence = b.host.fence(10);
  b.run();
  CHECK(b.host.done[fence] == 10);
}

TEST_CASE("a peripheral takes one access after the other, lane by lane") {
  QueueBench b;
  const unsigned load = b.host.access(10, kToPeripheral, 0x100);
  const unsigned other = b.host.access(10, kToPeripheral, 0x200);
  b.run();
  REQUIRE(b.peripheral.seen().size() == 16);
  for (unsigned lane = 0; lane < 8; ++lane) CHECK(b.peripheral.seen()[lane].address == 0x100 + 4 * lane);
  CHECK(b.peripheral.seen()[8].cycle > b.host.done[load]);
  CHECK(b.host.done[other] > b.host.done[load]);
}

TEST_CASE(
    "with independent lanes those that shared memory has taken leave first, in a request of their own") {
  LoadStoreParams params;
  params.lanes = Lanes::kIndependent;
  QueueBench b(params);
  // Shared memory has not taken lanes 4 to 7 of an older access until cycle 20.
  struct Waiting final : protocol::LaneMemory {
    explicit Waiting(const base::ClockDomain& c) : clock(c) {}
    std::uint32_t waiting_lanes(unsigned) const override { return clock.now() < 20 ? 0xF0 : 0; }
    const base::ClockDomain& clock;
  } memory{b.clock};
  b.host.ports.wires().memory = &memory;
  b.host.ports.wires().accesses = 1;
  const unsigned load = b.host.access(10, kToGlobal, 0x80000000);
  const unsigned atomic_like = b.host.access(10, kToGlobal, 0x80000100, false, MemoryOperation::kBytewise);
  b.run();
  const Cycle first = 10 + params.request_latency;
  REQUIRE(b.global.arrivals.size() == 3);
  CHECK(b.global.arrivals[0] == first);
  CHECK(b.global.arrivals[1] == 20);
  CHECK(b.global.arrivals[2] > 20);  // what the unit has cut itself leaves as a whole
  CHECK(b.host.parts == std::vector<std::uint32_t>{0x0F, 0xF0, 0xFF});
  CHECK(b.host.done[load] == 40);
  CHECK(b.host.done[atomic_like] == b.global.arrivals[2] + 20);
  CHECK(b.host.slots.all_free());
}

TEST_CASE("what an asynchronous copy has read goes to shared memory before the head of the queue") {
  QueueBench b;
  const unsigned slot = b.host.slots.allocate({nullptr, 0, 0xFF, 3, 8, 0, MemoryOperation::kAsync, {}});
  std::uint32_t from[protocol::kMaxLanes], to[protocol::kMaxLanes];
  for (unsigned lane = 0; lane < 8; ++lane) {
    from[lane] = 0x80000000 + 4 * lane;
    to[lane] = 0x1000 + 8 * lane;
    b.global.words[from[lane]] = 7 * lane;
  }
  AsyncCopies& copies = b.host.queue.copies();
  copies.begin(slot, 3, to, 4);
  REQUIRE(copies.fill(slot, 0, from, 0xFF, b.host.slots.draft().access));
  protocol::WarpPayload& request = b.host.slots.add_copy(slot);
  request.set_command(tlm::TLM_READ_COMMAND);
  request.info.atomic = protocol::Atomic::kNone;
  request.access.bytes = 4;
  request.set_address(from[0]);
  copies.add(slot, 0);
  copies.commit_group(3);
  CHECK(copies.waits(3, 0));
  b.host.plan.emplace_back(10, slot);
  const Cycle read = 10 + b.host.params.request_latency;
  const unsigned load = b.host.access(read + 20 - b.host.params.request_latency, kToShared, 0x2000);
  b.run();
  CHECK(b.shared.arrivals == std::vector<Cycle>{read + 20, read + 21});
  CHECK(b.host.landed == std::vector<unsigned>{3});
  CHECK(b.host.done[load] == read + 25);
  for (unsigned lane = 0; lane < 8; ++lane) CHECK(b.shared.words[to[lane]] == 7 * lane);
  CHECK(b.host.slots.all_free());
}

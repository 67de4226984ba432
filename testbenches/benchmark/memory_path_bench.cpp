// SPDX-License-Identifier: Apache-2.0
// Host time per request of the memory path:
//   fetch    one instruction fetch per cycle, hits in the L1 instruction cache
//   load     one coalesced warp load every second cycle, hits in the L1 data cache (coalescer
//   included) stream   64-byte reads, 16 in flight, bus and L2; first from DRAM, then L2 hits
#include <algorithm>
#include <cstdio>
#include <ctime>

#include "testbenches/block/cache/memory_system.h"

using namespace spica;

namespace {

/// One request every `period` cycles until `total` have been sent.
template <class Item>
class Driver final : public base::Component, private protocol::ResponseHandler {
 public:
  Driver(const sc_core::sc_module_name& name, const base::ClockDomain& clock, base::Cycle period)
      : Component(name, clock), period_(period) {
    socket.attach(*this);
  }
  protocol::InitiatorSocket socket{"socket"};
  unsigned total = 0, sent = 0, answered = 0;
  protocol::PayloadPool<Item> pool;
  void start(unsigned count) {
    total = count;
    sent = answered = 0;
    wake_now();
  }
  void tick() override {
    if (sent == total || !socket.ready()) return;
    Item& item = pool.take();
    prepare(item);
    ++sent;
    socket.send(item);
    if (sent != total) wake_at(now() + period_);
  }
  void prepare(protocol::LinePayload& item) {
    item.setup(tlm::TLM_READ_COMMAND, testbench::kBase + 4 * (sent % 1024), 4, {});
  }
  void prepare(protocol::WarpPayload& item) {
    item.set_command(tlm::TLM_READ_COMMAND);
    item.access.mask = 0xFF;
    for (unsigned lane = 0; lane < 8; ++lane)
      item.access.address[lane] = testbench::kBase + 32 * (sent % 256) + 4 * lane;
  }
  void on_response(unsigned, protocol::Payload& payload) override {
    ++answered;
    pool.drop(static_cast<Item&>(payload));
  }
  void on_ready(unsigned) override { wake_now(); }
  void reset() override {}
  bool idle() const override { return answered == total; }
  base::StatGroup& stats() override { return stats_; }
  void dump_state(std::ostream&) const override {}

 private:
  const base::Cycle period_;
  base::StatGroup stats_;
};

template <class Run>
double nanoseconds(Run&& run) {
  double best = 1e30;
  for (int i = 0; i < 5; ++i) {
    const std::clock_t start = std::clock();  // CPU time: others may use the machine
    run();
    best = std::min(best, 1e9 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

}  // namespace

TEST_CASE("host time per request") {
  testbench::MemorySystem system(1);
  Driver<protocol::LinePayload> fetch("fetch", system.bench.clock, 1);
  Driver<protocol::WarpPayload> load("load", system.bench.clock, 2);
  testbench::StreamReader stream("stream", system.bench.clock, 16);
  fetch.socket.bind(system.l1i[0]->in[0]);
  load.socket.bind(system.coalescers[0]->in);
  stream.socket.bind(system.dma());
  system.bench.add(fetch);
  system.bench.add(load);
  system.bench.add(stream);

  constexpr unsigned kCount = 1'000'000, kLines = 4096;
  fetch.start(kCount);
  load.start(kCount);
  system.bench.run(10'000'000);
  const double fetches = nanoseconds([&] { fetch.start(kCount), system.bench.run(10'000'000); });
  const double loads = nanoseconds([&] { load.start(kCount), system.bench.run(10'000'000); });
  const double warm = nanoseconds([&] {
    stream.start(testbench::kBase + 0x10000, kLines);
    system.bench.run(10'000'000);
  });
  unsigned slice = 0;
  const double misses = nanoseconds([&] {
    stream.start(testbench::kBase + 0x1000000 + 0x40000 * std::uint64_t{++slice}, kLines);
    system.bench.run(10'000'000);
  });
  CHECK(fetch.answered == kCount);
  CHECK(load.answered == kCount);
  std::printf("fetch hit %.1f ns, load hit %.1f ns, L2 hit line %.1f ns, DRAM line %.1f ns\n",
              fetches / kCount, loads / kCount, warm / kLines, misses / kLines);
}

// SPDX-License-Identifier: Apache-2.0
// The parts of the queues: rings, heads, signals, kernels that run.
#include "models/command_processor/command_processor_regs.h"
#include "testbenches/support/catch.h"
#include "testbenches/unit/command_processor/queues_bench.h"

using namespace spica;
using namespace spica::command_processor;

namespace {

/// A memory of 4 KB from address 0 on.
struct Memory {
  Outside outside{[this](std::uint64_t address, unsigned char* to, unsigned bytes) {
                    if (address + bytes > data.size()) return false;
                    std::memcpy(to, &data[address], bytes);
                    return true;
                  },
                  [this](std::uint64_t address, const unsigned char* from, unsigned bytes) {
                    if (address + bytes > data.size()) return false;
                    std::memcpy(&data[address], from, bytes);
                    return true;
                  },
                  [](const GridLaunch&) { return std::vector<std::string>{}; },
                  [](const GridLaunch&) { return std::uint64_t{1}; },
                  [](unsigned, std::uint32_t, const Packet&) {}};
  std::vector<unsigned char> data = std::vector<unsigned char>(4096);
};

}  // namespace

TEST_CASE("a ring is not moved while it has packets, not overfilled, and its doorbell does not go back") {
  Queue queue;
  CHECK(queue.write_register(COMMAND_PROCESSOR_BASE, 0x1000));
  CHECK_FALSE(queue.write_register(COMMAND_PROCESSOR_BASE, 0x1004));  // no multiple of a packet
  CHECK(queue.write_register(COMMAND_PROCESSOR_PACKETS, 4));
  CHECK_FALSE(queue.write_register(COMMAND_PROCESSOR_DOORBELL, 5));
  CHECK(queue.write_register(COMMAND_PROCESSOR_DOORBELL, 2));
  CHECK_FALSE(queue.write_register(COMMAND_PROCESSOR_DOORBELL, 1));
  CHECK_FALSE(queue.write_register(COMMAND_PROCESSOR_BASE, 0x2000));
  CHECK_FALSE(queue.write_register(COMMAND_PROCESSOR_PACKETS, 8));
  CHECK(queue.read_register(COMMAND_PROCESSOR_DOORBELL) == 2u);
  CHECK_FALSE(queue.read_register(0x3C).has_value());
  CHECK(queue.unread());
}

TEST_CASE("signals are counted down in the order of completion, and zeros are no longer waited for") {
  Memory memory;
  Signals signals(memory.outside);
  memory.data[0x100] = 2;
  memory.data[0x108] = 1;
  Packet barrier;
  barrier.type = Packet::Type::kBarrierAnd;
  barrier.waits[0] = 0x100;
  barrier.waits[1] = 0x108;
  CHECK(signals.open(barrier) == std::vector<std::uint32_t>{0x100, 0x108});
  signals.complete(0x108);
  signals.complete(0);  // a packet without one
  signals.complete(0x100);
  CHECK(signals.completed() == 3);
  CHECK_FALSE(signals.write_next().has_value());
  CHECK(signals.open(barrier) == std::vector<std::uint32_t>{0x100});
  CHECK_FALSE(signals.write_next().has_value());
  CHECK_FALSE(signals.pending());
  CHECK(memory.data[0x100] == 1);
  signals.complete(0x2000);
  CHECK(signals.write_next() == 0x2000u);  // there is no memory
}

TEST_CASE("kernels are known by their id until they end, and their times stay") {
  KernelRuns runs;
  CHECK(runs.launch({1, 0x100, std::nullopt}, 7, 10) == 1);
  CHECK(runs.launch({0, 0, 2u}, 8, 11) == 2);
  CHECK(runs.running() == 2);
  runs.begin(1, 12);
  CHECK(runs.under_way(2).queue == 0);
  const KernelRuns::UnderWay ended = runs.end(1, 20);
  CHECK(ended.queue == 1);
  CHECK(ended.signal == 0x100);
  CHECK(runs.running() == 1);
  CHECK(runs.all()[0].begun == 12);
  CHECK(runs.all()[0].ended == 20);
  CHECK(runs.all()[1].ended == base::kNever);
}

TEST_CASE("a head that is no packet, or whose kernel is nowhere, is refused with the reason") {
  Memory memory;
  CommandProcessorParams params;
  Concurrency concurrency(params);
  HeadReader reader(params, memory.outside, concurrency);
  Queue queue;
  queue.packets = 4;
  CHECK(reader.read(queue).find("neither a kernel") != std::string::npos);
  queue.base = 0x10000;
  CHECK(reader.read(queue).find("outside of memory") != std::string::npos);
  queue.base = 0;
  Packet packet;
  packet.block = {8, 1, 1};
  packet.grid = {12, 1, 1};
  packet.object = 0x5000;
  const auto store = [&] {
    const auto bytes = packet.encode();
    std::memcpy(memory.data.data(), bytes.data(), bytes.size());
  };
  store();
  CHECK(reader.read(queue).find("its kernel object, 0x5000, is outside of memory") != std::string::npos);
  packet.object = 0x800;
  store();
  CHECK(reader.read(queue).find("not a multiple of the work-group size") != std::string::npos);
  packet.grid = {16, 1, 1};
  store();
  CHECK(reader.read(queue).empty());
  CHECK(queue.launch.grid[0] == 2);
  CHECK(queue.has_kernel());
}

// SPDX-License-Identifier: Apache-2.0
// Queues alone: doorbells, signals and what a firmware looks at.
#include "platform/observe/check/queue_hazards.h"

#include "models/command_processor/command_processor_regs.h"
#include "testbenches/support/catch.h"
#include "testbenches/unit/check/check_bench.h"

using namespace spica;
using test::kGlobalWord;

namespace {

/// Warp 0 has stored to kGlobalWord; warp 1 works for a kernel.
struct Queues : test::CheckParts {
  Queues() : CheckParts(test::with_queues()) {
    memory.begin(warp(0, 0, 0x100), 0);
    memory.access(kGlobalWord, 4, true);
    order.fence(0);
  }
  std::uint32_t register_of(unsigned queue, std::uint32_t offset) const {
    return static_cast<std::uint32_t>(params.command_processor.registers_base) +
           queue * COMMAND_PROCESSOR_QUEUE_BYTES + offset;
  }
  /// A kernel of queue 1 begins and reads the word.
  std::size_t found_by_kernel() {
    protocol::Packet packet;
    packet.type = protocol::Packet::Type::kKernel;
    queues.packet(1, 0, packet);
    protocol::KernelRun run;
    run.queue = 1;
    run.packet = 0;
    queues.launch(0, run);
    const unsigned reader = order.agents().warp(0, 1);
    queues.give(reader, 0);
    order.acquire(reader, *kernels.behind(reader));
    memory.begin(warp(0, 1, 0x200), 0);
    memory.access(kGlobalWord, 4, false);
    return found().size();
  }
  const protocol::Origin ringer{protocol::Origin::Unit::kCore, 0, 0, 0x104, 1};
};

}  // namespace

TEST_CASE("a kernel comes behind what its doorbell's ringer had done") {
  Queues q;
  q.queues.store(0, q.register_of(1, COMMAND_PROCESSOR_DOORBELL));
  q.queues.doorbell(q.ringer, 1, 1);
  CHECK(q.found_by_kernel() == 0);
  CHECK(q.queues.note().empty());
}

TEST_CASE("a store to another register is no doorbell") {
  Queues q;
  q.queues.store(0, q.register_of(1, COMMAND_PROCESSOR_BASE));
  q.queues.doorbell(q.ringer, 1, 1);
  CHECK(q.found_by_kernel() == 1);
}

TEST_CASE("the registers that a firmware reads say what has ended") {
  using What = protocol::QueueRules::Sight::What;
  const protocol::QueueRules& rules = command_processor::queue_rules();
  CHECK(rules.firmware_reads(FIRMWARE_REGISTERS + FIRMWARE_RUNNING, 0).what == What::kAllEnded);
  CHECK(rules.firmware_reads(FIRMWARE_REGISTERS + FIRMWARE_RUNNING, 1).what == What::kNothing);
  CHECK(rules.firmware_reads(FIRMWARE_REGISTERS + FIRMWARE_ENDED, 5).queues == 5);
  const std::uint64_t head = FIRMWARE_REGISTERS + FIRMWARE_HEADS + 31 * FIRMWARE_HEAD_BYTES;
  CHECK(rules.firmware_reads(head + FIRMWARE_IN_QUEUE, 0).queues == 1u << 31);
  CHECK(rules.firmware_reads(head + FIRMWARE_IN_QUEUE, 1).what == What::kNothing);
  CHECK(rules.firmware_reads(head + FIRMWARE_M, 0).what == What::kNothing);
  CHECK(rules.firmware_reads(kGlobalWord, 0).what == What::kMemory);
  CHECK_FALSE(rules.doorbell(COMMAND_PROCESSOR_MODEL + COMMAND_PROCESSOR_DOORBELL).has_value());
}

TEST_CASE("a word that a firmware stores is seen by those that wait for it") {
  Queues q;
  CHECK_FALSE(q.memory.has_value(kGlobalWord + 64));
  q.queues.firmware(kGlobalWord + 64, 1, true);
  CHECK(q.memory.has_value(kGlobalWord + 64));
}

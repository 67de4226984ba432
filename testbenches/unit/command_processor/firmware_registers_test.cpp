// SPDX-License-Identifier: Apache-2.0
// What a firmware sees of queues, and commands.

#include "models/command_processor/command_processor_regs.h"
#include "models/protocol/host_queues/kernel_choice.h"
#include "testbenches/support/catch.h"
#include "testbenches/unit/command_processor/queues_bench.h"

using namespace spica::command_processor;
using spica::protocol::degree_of;
using spica::protocol::kDegrees;
using spica::protocol::KernelChoice;

namespace {

constexpr std::uint32_t kChoice = 0x400;

CommandProcessorParams with_firmware() {
  CommandProcessorParams params;
  params.firmware = "any";
  params.clusters = 4;
  return params;
}

/// A queue with a product whose kernel of a degree has so many work groups.
struct FirmwareBench : Bench {
  FirmwareBench() : Bench(with_firmware()) {}

  void read_heads() {
    while (queues.next() != Step::kNone) queues.perform(queues.next());
  }
  std::uint32_t read(std::uint64_t offset) { return queues.firmware().read(offset).value(); }
  std::uint32_t head(unsigned queue, std::uint64_t offset) {
    return read(FIRMWARE_HEADS + FIRMWARE_HEAD_BYTES * queue + offset);
  }
  Packet product() {
    KernelChoice choice{64, 32, 128, {}};
    for (unsigned i = 0; i < kDegrees; ++i)
      choice.variants[i] = {kObject, {8, 1, 1}, {8 * degree_of(i), 1, 1}, 0, 1000 + i};
    const auto bytes = choice.encode();
    std::memcpy(&memory[kChoice], bytes.data(), bytes.size());
    Packet packet = kernel(3);
    packet.choice = kChoice;
    return packet;
  }
};

}  // namespace

TEST_CASE("a firmware sees the heads, and nothing is launched without it", "[command_processor]") {
  FirmwareBench bench;
  CHECK(!bench.queues.firmware().changed());
  bench.queue(2, {bench.kernel(5), bench.kernel(6)});
  bench.queue(4, {bench.product()});
  CHECK(bench.read(FIRMWARE_UNREAD) == 0b10100);
  bench.read_heads();
  CHECK(bench.read(FIRMWARE_UNREAD) == 0);
  CHECK(!bench.queues.choose(0));
  CHECK(bench.queues.firmware().changed());
  CHECK(bench.read(FIRMWARE_NEW) == 0b10100);
  CHECK(bench.read(FIRMWARE_NEW) == 0);
  CHECK(!bench.queues.firmware().changed());

  CHECK(bench.read(FIRMWARE_QUEUES) == 32);
  CHECK(bench.read(FIRMWARE_CLUSTERS) == 4);
  CHECK(bench.read(FIRMWARE_POLICY) == 1);
  CHECK(bench.head(0, FIRMWARE_STATE) == 0);
  CHECK(bench.head(2, FIRMWARE_STATE) == (FIRMWARE_KERNEL | FIRMWARE_FREE));
  CHECK(bench.head(2, FIRMWARE_GROUPS) == 5);
  CHECK(bench.head(2, FIRMWARE_OCCUPANCY) == 32);
  CHECK(bench.head(2, FIRMWARE_GROUPS + 4) == 0);
  CHECK(bench.head(2, FIRMWARE_PACKET + 12) == 40);  // threads in x
  CHECK(bench.head(4, FIRMWARE_STATE) == (FIRMWARE_KERNEL | FIRMWARE_FREE | FIRMWARE_PRODUCT));
  CHECK(bench.head(4, FIRMWARE_M) == 64);
  CHECK(bench.head(4, FIRMWARE_N) == 32);
  CHECK(bench.head(4, FIRMWARE_K) == 128);
  CHECK(bench.head(4, FIRMWARE_GROUPS) == 3);
  for (unsigned i = 0; i < kDegrees; ++i) {
    CHECK(bench.head(4, FIRMWARE_GROUPS + 4 * (i + 1)) == degree_of(i));
    CHECK(bench.head(4, FIRMWARE_CYCLES + 4 * (i + 1)) == 1000 + i);
  }
  for (const std::uint64_t offset :
       {std::uint64_t{2}, std::uint64_t{0x2C}, std::uint64_t{FIRMWARE_PRODUCTS + 20},
        std::uint64_t{FIRMWARE_HEADS + 0x38}, std::uint64_t{FIRMWARE_HEADS + 0x2000}})
    CHECK(!bench.queues.firmware().read(offset));
}

TEST_CASE("a firmware launches heads, with the kernel of the packet or of its table", "[command_processor]") {
  FirmwareBench bench;
  bench.queue(2, {bench.kernel(5), bench.kernel(6)});
  bench.queue(4, {bench.product(), bench.product()});
  bench.queue(5, {bench.product()});
  bench.read_heads();
  bench.read(FIRMWARE_NEW);

  REQUIRE(bench.queues.command(4, 3).empty());
  const auto product = bench.queues.choose(7);
  REQUIRE(product);
  CHECK(product->groups() == 4);
  CHECK(bench.queues.run(product->id).degree == 4);
  CHECK(bench.read(FIRMWARE_PRODUCTS + 8) == 1);
  CHECK(bench.head(4, FIRMWARE_STATE) == 0);
  CHECK(bench.head(5, FIRMWARE_STATE) ==
        (FIRMWARE_KERNEL | FIRMWARE_FREE | FIRMWARE_PRODUCT | FIRMWARE_LIKE_LAST));
  CHECK(!bench.queues.choose(7));

  REQUIRE(bench.queues.command(2, 0).empty());
  const auto kernel = bench.queues.choose(8);
  REQUIRE(kernel);
  CHECK(kernel->groups() == 5);
  CHECK(bench.queues.run(kernel->id).degree == 0);
  CHECK(bench.read(FIRMWARE_RUNNING) == 2);

  bench.queues.dispatched(kernel->id);
  CHECK(bench.read(FIRMWARE_GIVEN) == 1u << 2);
  CHECK(bench.read(FIRMWARE_UNREAD) == 1u << 2);
  bench.read_heads();
  CHECK(bench.read(FIRMWARE_NEW) == 1u << 2);
  CHECK(bench.head(2, FIRMWARE_STATE) == FIRMWARE_KERNEL);  // waits for the first one
  CHECK(bench.head(2, FIRMWARE_IN_QUEUE) == 1);
  CHECK(bench.queues.command(2, 0).find("waits for those before it") != std::string::npos);
  bench.queues.ended(kernel->id, 9);
  CHECK(bench.read(FIRMWARE_ENDED) == 1u << 2);
  CHECK(bench.queues.command(2, 1).find("has no table") != std::string::npos);
  CHECK(bench.queues.command(2, 0).empty());

  CHECK(bench.queues.command(4, 1).find("no kernel") != std::string::npos);  // it is launched already
  CHECK(bench.queues.command(32, 0).find("does not exist") != std::string::npos);
  CHECK(bench.queues.command(5, 6).find("undefined variant") != std::string::npos);
}

TEST_CASE("the plain kernel of a product's packet can be launched, too", "[command_processor]") {
  FirmwareBench bench;
  bench.queue(1, {bench.product()});
  bench.read_heads();
  REQUIRE(bench.queues.command(1, 0).empty());
  const auto launch = bench.queues.choose(0);
  REQUIRE(launch);
  CHECK(launch->groups() == 3);
  CHECK(bench.queues.run(launch->id).degree == 0);
  CHECK(bench.read(FIRMWARE_PRODUCTS) == 0);
}

// SPDX-License-Identifier: Apache-2.0
#include "models/protocol/host_queues/packets.h"

#include "testbenches/support/catch.h"

using namespace spica::protocol;

TEST_CASE("a kernel packet has the fields of an AQL dispatch packet at their places", "[command_processor]") {
  Packet packet;
  packet.block = {64, 2, 1};
  packet.grid = {1024, 8, 1};
  packet.shared_bytes = 0x1234;
  packet.object = 0x80001000;
  packet.arguments = 0x9FFE0000;
  packet.signal = 0x9FFE0040;
  const Packet::Bytes bytes = packet.encode();
  CHECK(bytes[0] == 2);  // kernel dispatch
  CHECK(bytes[1] == 1);  // barrier bit
  CHECK(bytes[2] == 3);  // three dimensions
  CHECK((bytes[4] == 64 && bytes[6] == 2 && bytes[8] == 1));
  CHECK((bytes[12] == 0 && bytes[13] == 4));  // 1024
  CHECK((bytes[28] == 0x34 && bytes[29] == 0x12));
  CHECK((bytes[33] == 0x10 && bytes[35] == 0x80));
  CHECK((bytes[42] == 0xFE && bytes[43] == 0x9F));
  CHECK((bytes[56] == 0x40 && bytes[59] == 0x9F && bytes[60] == 0));
  const auto again = Packet::decode(bytes);
  REQUIRE(again);
  CHECK(again->block == packet.block);
  CHECK(again->grid == packet.grid);
  CHECK(again->shared_bytes == packet.shared_bytes);
  CHECK(again->object == packet.object);
  CHECK(again->arguments == packet.arguments);
  CHECK(again->signal == packet.signal);
  CHECK(again->barrier);
}

TEST_CASE("a barrier packet has five signals behind its header", "[command_processor]") {
  Packet packet;
  packet.type = Packet::Type::kBarrierAnd;
  packet.barrier = false;
  packet.waits = {0x80000000, 0, 0x80000010, 0, 0x80000020};
  const Packet::Bytes bytes = packet.encode();
  CHECK((bytes[0] == 3 && bytes[1] == 0));
  CHECK((bytes[8 + 3] == 0x80 && bytes[24] == 0x10 && bytes[40] == 0x20));
  const auto again = Packet::decode(bytes);
  REQUIRE(again);
  CHECK(again->waits == packet.waits);
  CHECK_FALSE(again->barrier);
}

TEST_CASE("other types and addresses of more than 32 bits are no packets", "[command_processor]") {
  Packet::Bytes bytes{};
  for (const unsigned type : {0u, 1u, 4u, 5u, 255u}) {
    bytes[0] = static_cast<unsigned char>(type);
    CHECK_FALSE(Packet::decode(bytes));
  }
  bytes = Packet().encode();
  REQUIRE(Packet::decode(bytes));
  bytes[36] = 1;  // of the kernel object
  CHECK_FALSE(Packet::decode(bytes));
}

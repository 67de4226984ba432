// SPDX-License-Identifier: Apache-2.0

#include "models/coalescer/lane_data.h"

#include "testbenches/support/catch.h"

using namespace spica;

namespace {

struct Fixture {
  protocol::LinePool pool;
  protocol::LinePayload& line = pool.take();
  protocol::WarpAccess access;

  Fixture() {
    line.setup(tlm::TLM_WRITE_COMMAND, 0x100, 32, {});
    for (unsigned lane = 0; lane < 8; ++lane) access.data[lane] = 0x04030201 + 0x10101010 * lane;
  }
  ~Fixture() { pool.drop(line); }
  void row(std::uint32_t first) {
    for (unsigned lane = 0; lane < 8; ++lane) access.address[lane] = first + 4 * lane;
  }
};

}  // namespace

TEST_CASE("lanes that are neighbours move in one piece what they move one by one") {
  for (const std::uint32_t first : {0x100u, 0x110u, 0xF0u}) {
    Fixture f;
    f.row(first);
    std::uint32_t lanes = 0;
    for (unsigned lane = 0; lane < 8; ++lane)
      if (f.access.address[lane] / 32 == 0x100 / 32) lanes |= 1u << lane;
    coalescer::give_lanes(f.access, lanes, true, f.line);
    const auto data = f.line.data;
    const auto enables = f.line.enables;
    coalescer::give_lanes(f.access, lanes, false, f.line);
    for (unsigned i = 0; i < 32; ++i) {
      CHECK(enables[i] == f.line.enables[i]);
      if (enables[i] != 0) CHECK(data[i] == f.line.data[i]);
    }
    protocol::WarpAccess one = f.access, other = f.access;
    one.data = other.data = {};
    f.line.info.origin.lanes = lanes;
    coalescer::take_lanes(f.line, true, one);
    coalescer::take_lanes(f.line, false, other);
    CHECK(one.data == other.data);
  }
}

TEST_CASE("of lanes that store to the same bytes the highest wins") {
  Fixture f;
  f.access.bytes = 2;
  f.access.address[1] = f.access.address[3] = 0x104;
  coalescer::give_lanes(f.access, 0b1010, false, f.line);
  CHECK(f.line.data[4] == 0x31);
  CHECK(f.line.data[5] == 0x32);
  CHECK(f.line.enables[3] == 0);
  CHECK(f.line.enables[4] == 0xFF);
  CHECK(f.line.enables[6] == 0);
}

TEST_CASE("narrow loads are extended with zeros") {
  Fixture f;
  for (unsigned i = 0; i < 32; ++i) f.line.data[i] = static_cast<unsigned char>(0xF0 + i % 16);
  f.access.bytes = 1;
  f.access.address[0] = 0x102;
  f.access.address[7] = 0x10F;
  f.line.info.origin.lanes = 0x81;
  coalescer::take_lanes(f.line, false, f.access);
  CHECK(f.access.data[0] == 0xF2);
  CHECK(f.access.data[7] == 0xFF);
}

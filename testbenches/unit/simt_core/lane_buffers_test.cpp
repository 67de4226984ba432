// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/units/lane_buffers.h"

#include <vector>

#include "testbenches/support/catch.h"

using namespace spica;
using simt_core::LaneBuffers;

namespace {

struct Sent {
  unsigned slot;
  std::uint32_t lanes;
  bool operator==(const Sent& other) const { return slot == other.slot && lanes == other.lanes; }
};

struct Buffers {
  protocol::WarpPool pool;
  LaneBuffers lanes;
  std::vector<Sent> sent;

  void enter(unsigned slot, std::uint32_t mask) {
    protocol::WarpPayload& payload = pool.take();
    payload.access.mask = mask;
    lanes.enter(payload, slot);
  }
  std::uint32_t drain(std::uint32_t busy, std::size_t room = 8) {
    sent.clear();
    return lanes.drain(busy, [&](const LaneBuffers::Entry& entry, std::uint32_t turn) {
      if (sent.size() == room) return false;
      sent.push_back({entry.slot, turn});
      return true;
    });
  }
};

}  // namespace

TEST_CASE("each lane sends its oldest access, and one in a cycle") {
  Buffers b;
  b.enter(1, 0xFF);
  CHECK(b.drain(0xFE) == 0x01);
  CHECK(b.sent == std::vector<Sent>{{1, 0x01}});
  b.enter(2, 0xFF);
  CHECK(b.lanes.lanes() == 0xFF);
  CHECK(b.drain(0xFC) == 0x03);
  CHECK(b.sent == std::vector<Sent>{{1, 0x02}, {2, 0x01}});
  CHECK(b.drain(0) == 0xFE);
  CHECK(b.sent == std::vector<Sent>{{1, 0xFC}, {2, 0x02}});
  CHECK(b.lanes.size() == 1);
  CHECK(b.drain(0) == 0xFC);
  CHECK(b.lanes.empty());
  CHECK(b.lanes.lanes() == 0);
}

TEST_CASE("when the port takes no more, the lanes of younger accesses wait too") {
  Buffers b;
  b.enter(1, 0x0F);
  b.enter(2, 0xF0);
  CHECK(b.drain(0, 0) == 0);
  CHECK(b.lanes.lanes() == 0xFF);
  CHECK(b.drain(0, 1) == 0x0F);
  CHECK(b.lanes.lanes() == 0xF0);
}

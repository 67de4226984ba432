// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "models/cache/response_path.h"
#include "models/protocol/payload/payload_pool.h"
#include "testbenches/support/catch.h"

using namespace spica::cache;
using spica::base::Cycle;
using spica::base::kNever;
namespace protocol = spica::protocol;

namespace {

constexpr auto kData = ResponsePath::kData;
constexpr auto kAck = ResponsePath::kAck;

struct Left {
  Cycle cycle;
  unsigned bank;
  std::uint32_t port;
  bool operator==(const Left& other) const {
    return cycle == other.cycle && bank == other.bank && port == other.port;
  }
};

struct ResponseBench {
  Params params;
  ResponsePath path;
  protocol::LinePool pool;
  protocol::LinePayload& payload = pool.take();
  std::vector<Left> left;

  explicit ResponseBench(const Params& p = {}) : params(p), path(p) {}
  ~ResponseBench() { pool.drop(payload); }
  void run(Cycle from) {
    for (Cycle now = path.next(from); now != kNever; now = path.next(now))
      path.deliver(now, [&](unsigned bank, std::uint32_t port, protocol::Payload&) {
        left.push_back({now, bank, port});
      });
  }
};

}  // namespace

TEST_CASE("a response leaves hit_latency cycles after it was planned") {
  ResponseBench f;
  f.path.plan(3, kData, f.payload, 8, 100);
  CHECK_FALSE(f.path.empty(3));
  CHECK(f.path.next(100) == 100 + f.params.hit_latency);
  f.run(100);
  CHECK(f.left == std::vector<Left>{{100 + f.params.hit_latency, 3, 8}});
  CHECK(f.path.empty(3));
}

TEST_CASE("of two responses to one port the higher bank's waits, another port is not kept") {
  ResponseBench f;
  f.path.plan(5, kData, f.payload, 8, 0);
  f.path.plan(2, kData, f.payload, 8, 0);
  f.path.plan(6, kData, f.payload, 1, 0);
  f.run(0);
  const Cycle due = f.params.hit_latency;
  CHECK(f.left == std::vector<Left>{{due, 2, 8}, {due, 6, 1}, {due + 1, 5, 8}});
}

TEST_CASE("late responses of a bank keep their order, acknowledgements pass data") {
  ResponseBench f;
  const Cycle due = f.params.hit_latency;
  f.path.plan(0, kData, f.payload, 8, 0);
  f.path.plan(1, kData, f.payload, 8, 0);
  f.path.plan(0, kData, f.payload, 8, 1);
  f.path.plan(1, kAck, f.payload, 4, 1);
  f.path.plan(1, kData, f.payload, 3, 2);  // its port is free, the one before it is late
  f.run(0);
  CHECK(f.left ==
        std::vector<Left>{{due, 0, 8}, {due + 1, 0, 8}, {due + 1, 1, 4}, {due + 2, 1, 8}, {due + 3, 1, 3}});
}

TEST_CASE("a bank has places for its pipeline and its queue, for data and acknowledgements apart") {
  Params params;
  params.ack_queue = 1;
  ResponseBench f(params);
  for (Cycle now = 0; now < params.hit_latency + 1; ++now) {
    CHECK_FALSE(f.path.full(0, kAck));
    f.path.plan(0, kAck, f.payload, 0, now);
  }
  CHECK(f.path.full(0, kAck));
  CHECK_FALSE(f.path.full(0, kData));
  CHECK_FALSE(f.path.full(1, kAck));
  f.path.clear();
  CHECK(f.path.empty(0));
  CHECK(f.path.next(0) == kNever);
}

TEST_CASE("the longest latency there is goes around the ring once") {
  Params params;
  params.hit_latency = 63;
  ResponseBench f(params);
  for (Cycle now = 0; now < 200; ++now) {
    f.path.deliver(now, [&](unsigned bank, std::uint32_t port, protocol::Payload&) {
      f.left.push_back({now, bank, port});
    });
    f.path.plan(0, kData, f.payload, static_cast<std::uint32_t>(now % 5), now);
  }
  REQUIRE(f.left.size() == 200 - 63);
  for (Cycle i = 0; i < f.left.size(); ++i)
    CHECK(f.left[i] == Left{63 + i, 0, static_cast<std::uint32_t>(i % 5)});
}

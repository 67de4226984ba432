// SPDX-License-Identifier: Apache-2.0

#include "testbenches/unit/cache/bank_fixture.h"

#include "testbenches/support/catch.h"

using namespace spica::cache;
using Fixture = BankFixture;

TEST_CASE("a replay goes before a fill, a fill before a request, and nothing directly behind a fill") {
  Fixture f;
  f.accept(1);
  f.accept(2);
  f.accept(1);
  CHECK(f.step(0) == Outcome::kReadMiss);
  CHECK(f.step(1) == Outcome::kReadMiss);
  CHECK(f.step(2) == Outcome::kReadMerged);
  const unsigned first = f.get().memory().pop().mshr, second = f.get().memory().pop().mshr;
  f.get().fill(first, 1);
  f.get().fill(second, 1);
  f.accept(3);
  CHECK(f.step(10) == Outcome::kFill);
  CHECK(f.step(11) == Outcome::kNothing);
  CHECK(f.step(12) == Outcome::kReplay);
  CHECK(f.step(13) == Outcome::kReplay);
  CHECK(f.step(14) == Outcome::kFill);
  CHECK(f.step(15) == Outcome::kNothing);
  CHECK(f.step(16) == Outcome::kReplay);
  CHECK(f.step(17) == Outcome::kReadMiss);
  CHECK(f.step(18) == Outcome::kNothing);
}

TEST_CASE("a hit waits, too, while all places of waiting requests are taken") {
  for (const bool for_hits : {true, false}) {
    Fixture f;
    f.params.mshr_requests = f.params.mshrs = 2;
    f.params.mshr_for_hits = for_hits;
    Cycle now = f.fetch(0, 1);
    f.accept(2);
    f.accept(2);
    f.accept(1);
    CHECK(f.step(now) == Outcome::kReadMiss);
    CHECK(f.step(now + 1) == Outcome::kReadMerged);
    CHECK(f.step(now + 2) == (for_hits ? Outcome::kBlockedMshr : Outcome::kReadHit));
    if (!for_hits) continue;
    f.get().fill(f.get().memory().pop().mshr, 1);
    CHECK(f.step(now + 10) == Outcome::kFill);
    CHECK(f.step(now + 12) == Outcome::kReplay);
    CHECK(f.step(now + 13) == Outcome::kReplay);
    CHECK(f.step(now + 14) == Outcome::kReadHit);
  }
}

TEST_CASE("no request enters while as many as the limit are through the pipeline and wait for memory") {
  Fixture f;
  f.params.memory_queue_limit = 2;
  Cycle now = f.fetch(0, 1);
  f.accept(2);
  f.accept(3);
  f.accept(1);
  f.accept(1);
  CHECK(f.step(now) == Outcome::kReadMiss);
  CHECK(f.step(now + 1) == Outcome::kReadMiss);
  REQUIRE(f.params.miss_latency == 2);
  CHECK(f.step(now + 2) == Outcome::kReadHit);  // the second miss is not there yet
  CHECK(f.step(now + 3) == Outcome::kBlockedMemory);
  f.get().memory().pop();
  f.get().retry();
  CHECK(f.step(now + 4) == Outcome::kReadHit);
}

TEST_CASE("the way that is replaced steps in every cycle in which the bank does not stall") {
  Fixture f;
  f.params.replacement = Replacement::kRotating;
  f.params.response_queue = 1;
  f.params.hit_latency = 1;
  const auto in = [&](std::uint64_t line, Cycle now) {
    f.accept(line);
    const Outcome outcome = f.step(now);
    if (outcome == Outcome::kReadHit) return true;
    REQUIRE(outcome == Outcome::kReadMiss);
    f.get().fill(f.get().memory().pop().mshr, 1);
    REQUIRE(f.step(now + 1) == Outcome::kFill);
    REQUIRE(f.step(now + 3) == Outcome::kReplay);
    return false;
  };
  // Lines of one set. Fills in cycles 1 and 5 take the same of four ways, the one in cycle 10 another.
  CHECK_FALSE(in(0, 0));
  CHECK_FALSE(in(4, 4));
  CHECK_FALSE(in(8, 9));
  CHECK(in(4, 13));
  CHECK(in(8, 14));
  CHECK_FALSE(in(0, 16));
}

TEST_CASE("a hit is answered hit_latency cycles after it was served") {
  Fixture f;
  const Cycle now = f.fetch(0, 1);
  f.accept(1);
  CHECK(f.step(now) == Outcome::kReadHit);
  CHECK(f.responses->next(now + f.params.hit_latency - 1) == now + f.params.hit_latency);
}

TEST_CASE("a read directly behind a write hit to its line waits one cycle, other reads do not") {
  Fixture f;
  Cycle now = f.fetch(0, 1);
  now = f.fetch(now, 2);
  f.accept(1, true);
  f.accept(1);
  CHECK(f.step(now) == Outcome::kWriteHit);
  CHECK(f.step(now + 1) == Outcome::kHazard);
  CHECK(f.step(now + 2) == Outcome::kReadHit);
  f.accept(1, true);
  f.accept(2);
  CHECK(f.step(now + 3) == Outcome::kWriteHit);
  CHECK(f.step(now + 4) == Outcome::kReadHit);
}

TEST_CASE("a write through does not allocate and is sent on") {
  Fixture f;
  f.accept(1, true);
  CHECK(f.step(0) == Outcome::kWriteMiss);
  REQUIRE(f.get().memory().size() == 1);
  const MemoryRequest sent = f.get().memory().pop();
  CHECK(sent.write);
  CHECK(sent.address == 32);
  CHECK(sent.bytes == 4);
  CHECK(sent.due == f.params.miss_latency);
  CHECK(f.responses->next(0) == f.params.hit_latency);
  f.accept(1);
  CHECK(f.step(1) == Outcome::kReadMiss);
}

TEST_CASE("no MSHR blocks the queue until a fill frees one") {
  Fixture f;
  f.params.mshrs = 1;
  f.accept(1);
  f.accept(2);
  CHECK(f.step(0) == Outcome::kReadMiss);
  CHECK(f.step(1) == Outcome::kBlockedMshr);
  CHECK(f.get().blocked());
  CHECK(f.get().next_due(1) == spica::base::kNever);
  f.get().fill(f.get().memory().pop().mshr, 1);
  CHECK_FALSE(f.get().blocked());
  CHECK(f.step(5) == Outcome::kFill);
  CHECK(f.step(7) == Outcome::kReplay);
  CHECK(f.step(8) == Outcome::kReadMiss);
}

TEST_CASE("a full queue to memory blocks until something leaves it") {
  Fixture f;
  f.params.memory_queue = 2;
  for (std::uint64_t line = 0; line < 3; ++line) f.accept(line, true);
  CHECK(f.step(0) == Outcome::kWriteMiss);
  CHECK(f.step(1) == Outcome::kWriteMiss);
  CHECK(f.step(2) == Outcome::kBlockedMemory);
  f.get().memory().pop();
  f.get().retry();
  CHECK(f.step(3) == Outcome::kWriteMiss);
}

TEST_CASE("a write back cache writes a dirty victim when its place is taken") {
  Fixture f(WritePolicy::kWriteBack);
  Cycle now = f.fetch(0, 0);
  f.accept(0, true);
  CHECK(f.step(now) == Outcome::kWriteHit);
  CHECK(f.get().memory().empty());
  now += 1;
  for (std::uint64_t line = 4; line < 16; line += 4) now = f.fetch(now, line);  // fills the set
  f.accept(16);
  CHECK(f.step(now) == Outcome::kReadMiss);
  f.get().fill(f.get().memory().pop().mshr, 1);
  CHECK(f.step(now + 1) == Outcome::kFill);
  CHECK(f.get().wrote_back() == 1);
  const MemoryRequest victim = f.get().memory().pop();
  CHECK(victim.write);
  CHECK(victim.address == 0);
  CHECK(victim.bytes == 32);
}

TEST_CASE("a write of a whole line fetches nothing, a write of a part does") {
  Fixture f(WritePolicy::kWriteBack);
  f.accept(1, true, true);
  CHECK(f.step(0) == Outcome::kWriteMiss);
  CHECK(f.get().memory().empty());
  CHECK(f.responses->size(0, ResponsePath::kAck) == 1);
  f.accept(2, true);
  CHECK(f.step(1) == Outcome::kWriteMiss);
  CHECK_FALSE(f.get().memory().pop().write);
  CHECK(f.responses->size(0, ResponsePath::kAck) == 1);  // answered when the line has come
}

TEST_CASE("a wide access keeps the bank busy") {
  Fixture f(WritePolicy::kWriteBack);
  f.params.bank_bytes_per_cycle = 8;
  f.accept(1, true, true);
  f.accept(1);
  CHECK(f.step(0) == Outcome::kWriteMiss);
  for (Cycle now = 1; now < 4; ++now) CHECK(f.get().step(now) == nullptr);
  CHECK(f.step(4) == Outcome::kReadHit);
}

TEST_CASE("with sub-banks a fill goes beside a request, and its replay follows in the next cycle") {
  Fixture f;
  f.params.sub_banks = 4;
  Cycle now = 0;
  f.accept(1);
  REQUIRE(f.step(now) == Outcome::kReadMiss);
  f.get().fill(f.get().memory().pop().mshr, 1);
  REQUIRE(f.get().step_fill(++now));
  REQUIRE(f.step(++now) == Outcome::kReplay);

  f.accept(2);
  REQUIRE(f.step(++now) == Outcome::kReadMiss);
  f.get().fill(f.get().memory().pop().mshr, 1);
  f.accept(1);
  ++now;
  CHECK(f.step(now) == Outcome::kReadHit);  // the same cycle serves a request
  CHECK(f.get().fill_due(now));
  CHECK(f.get().step_fill(now));  // and fills a line
  CHECK(f.step(now + 1) == Outcome::kReplay);
}

TEST_CASE("with sub-banks a line keeps the fills behind it waiting for its passes only") {
  Fixture f;
  f.params.sub_banks = 4;
  f.params.bank_bytes_per_cycle = f.params.line_bytes / 2;
  f.accept(1);
  f.accept(2);
  REQUIRE(f.step(0) == Outcome::kReadMiss);
  REQUIRE(f.step(1) == Outcome::kReadMiss);
  const unsigned first = f.get().memory().pop().mshr, second = f.get().memory().pop().mshr;
  f.get().fill(first, 1);
  f.get().fill(second, 1);
  REQUIRE(f.get().step_fill(10));
  CHECK_FALSE(f.get().fill_due(11));
  CHECK(f.get().next_due(10) == 11);  // the replay
  CHECK(f.step(11) == Outcome::kReplay);
  CHECK(f.get().fill_due(12));
}

TEST_CASE("with sub-banks a fill that has no place for its dirty victim waits, requests go on") {
  Fixture f(WritePolicy::kWriteBack);
  f.params.sub_banks = 4;
  f.params.ways = 1;
  f.params.size_bytes = 32 * 4;
  f.params.memory_queue = 1;
  f.accept(1, true, true);
  f.accept(2, true, true);
  REQUIRE(f.step(0) == Outcome::kWriteMiss);
  REQUIRE(f.step(1) == Outcome::kWriteMiss);
  f.accept(5);  // the set of line 1
  REQUIRE(f.step(2) == Outcome::kReadMiss);
  const unsigned mshr = f.get().memory().pop().mshr;
  f.accept(6);  // takes the only place to memory
  REQUIRE(f.step(3) == Outcome::kReadMiss);
  f.get().fill(mshr, 1);
  CHECK_FALSE(f.get().step_fill(4));
  CHECK_FALSE(f.get().fill_due(5));
  f.accept(2);
  CHECK(f.step(5) == Outcome::kReadHit);
  f.get().memory().pop();
  f.get().retry();
  CHECK(f.get().fill_due(6));
  CHECK(f.get().step_fill(6));
  CHECK(f.get().wrote_back() == 1);
}

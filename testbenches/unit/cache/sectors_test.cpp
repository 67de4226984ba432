// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "models/cache/request.h"
#include "testbenches/support/catch.h"
#include "testbenches/unit/cache/bank_fixture.h"

using namespace spica::cache;

namespace {

/// Lines of 128 bytes with four sectors of 32, one set of four lines.
struct Sectored : BankFixture {
  explicit Sectored(WritePolicy policy = WritePolicy::kWriteThrough) : BankFixture(policy) {
    params.line_bytes = 128;
    params.sectors = 4;
    params.size_bytes = 4 * 128;
    params.bank_bytes_per_cycle = 128;
  }
  /// What goes to memory next.
  MemoryRequest sent() { return get().memory().pop(); }
  void check_sent(std::uint64_t address, unsigned bytes, bool write) {
    REQUIRE_FALSE(get().memory().empty());
    const MemoryRequest request = sent();
    CHECK(request.address == address);
    CHECK(request.bytes == bytes);
    CHECK(request.write == write);
  }
  /// Brings these neighbouring sectors in; returns the next free cycle.
  Cycle bring(Cycle now, std::uint64_t line, Sectors sectors) {
    accept_sectors(line, sectors);
    REQUIRE(step(now) == Outcome::kReadMiss);
    const MemoryRequest request = sent();
    get().fill(request.mshr, request.sectors);
    REQUIRE(step(now + 1) == Outcome::kFill);
    REQUIRE(step(now + 3) == Outcome::kReplay);
    return now + 4;
  }
};

}  // namespace

TEST_CASE("runs of neighbours are found one after the other") {
  for (unsigned all = 0; all < 256; ++all) {
    unsigned runs = 0;
    auto rest = static_cast<Sectors>(all);
    for (; rest != 0; ++runs) {
      const Sectors run = first_run(rest);
      const unsigned shifted = run >> __builtin_ctz(run);
      REQUIRE((run & ~rest) == 0);
      REQUIRE((shifted & (shifted + 1)) == 0);  // neighbours
      REQUIRE((run & rest << 1 & ~(run << 1)) == 0);  // all of them
      rest = static_cast<Sectors>(rest & ~run);
    }
    REQUIRE(count_runs(static_cast<Sectors>(all)) == runs);
    REQUIRE(count(static_cast<Sectors>(all)) == static_cast<unsigned>(__builtin_popcount(all)));
  }
}

TEST_CASE("bytes touch the sectors that they lie in, and are whole when they are all of them") {
  const LineMap map(128, 4);
  CHECK(map.touched(0x1000, 4) == 0b0001);
  CHECK(map.touched(0x107C, 4) == 0b1000);
  CHECK(map.touched(0x1020, 32) == 0b0010);
  CHECK(map.touched(0x101C, 8) == 0b0011);
  CHECK(map.touched(0x1000, 128) == 0b1111);
  CHECK(map.whole(0x1020, 64));
  CHECK_FALSE(map.whole(0x1020, 16));
  CHECK_FALSE(map.whole(0x1010, 32));
  CHECK(map.address(0x20, 0b1100) == 0x1040);
  CHECK(map.bytes(0b1011) == 96);
  const LineMap undivided(64, 1);
  CHECK_FALSE(undivided.divided());
  CHECK(undivided.touched(0x1020, 4) == 1);
  CHECK(undivided.whole(0x1000, 64));
  CHECK_FALSE(undivided.whole(0x1000, 32));
}

TEST_CASE("a request needs the sectors of its bytes, or those of them that it names") {
  spica::protocol::LinePool pool;
  const LineMap map(128, 4);
  const auto filled = [&](std::uint64_t address, unsigned bytes, Sectors named) {
    auto& payload = pool.take();
    payload.setup(tlm::TLM_READ_COMMAND, address, bytes, {});
    payload.info.sectors = named;
    Request request;
    request.fill(payload, 3, map);
    pool.drop(payload);
    return request;
  };
  CHECK(filled(0x1044, 4, 0).sectors == 0b0100);
  CHECK(filled(0x1044, 4, 0).bytes == 4);
  CHECK(filled(0x1000, 128, 0b1001).sectors == 0b1001);
  CHECK(filled(0x1000, 128, 0b1001).bytes == 64);
  CHECK(filled(0x1040, 64, 0b1001).sectors == 0b1000);
  CHECK(filled(0x1000, 32, 0b1000).sectors == 0b0001);  // a name that is none of them says nothing
}

TEST_CASE("a miss fetches the sectors it needs, each run of neighbours by itself") {
  Sectored f;
  f.accept_sectors(1, 0b1011);
  CHECK(f.step(0) == Outcome::kReadMiss);
  f.check_sent(128, 64, false);
  f.check_sent(128 + 96, 32, false);
  CHECK(f.get().memory().empty());
}

TEST_CASE("a line that is there misses the sectors that are not, and fetches no others") {
  Sectored f;
  Cycle now = f.bring(0, 1, 0b0010);
  f.accept_sectors(1, 0b0010);
  CHECK(f.step(now) == Outcome::kReadHit);
  f.accept_sectors(1, 0b0111);
  CHECK(f.step(now + 1) == Outcome::kReadMiss);
  const MemoryRequest first = f.sent(), second = f.sent();
  CHECK(first.address == 128);
  CHECK(first.bytes == 32);
  CHECK(second.address == 128 + 64);
  CHECK(second.bytes == 32);
  f.get().fill(first.mshr, first.sectors);
  CHECK(f.step(now + 2) == Outcome::kFill);
  CHECK(f.get().replaying() == 0);
  f.accept_sectors(1, 0b0011);
  CHECK(f.step(now + 4) == Outcome::kReadHit);  // what has come can be read
  f.get().fill(second.mshr, second.sectors);
  CHECK(f.step(now + 5) == Outcome::kFill);
  CHECK(f.step(now + 7) == Outcome::kReplay);
  CHECK(f.get().moved() == 0b0111);
  CHECK(f.get().mshrs().lines() == 0);
}

TEST_CASE("a further miss to a line asks only for what is not on its way") {
  Sectored f;
  f.accept_sectors(1, 0b0011);
  f.accept_sectors(1, 0b0110);
  f.accept_sectors(1, 0b0100);
  CHECK(f.step(0) == Outcome::kReadMiss);
  CHECK(f.step(1) == Outcome::kReadMiss);
  CHECK(f.step(2) == Outcome::kReadMerged);
  const MemoryRequest low = f.sent(), high = f.sent();
  CHECK(f.get().memory().empty());
  CHECK(high.address == 128 + 64);
  CHECK(high.bytes == 32);
  CHECK(high.mshr == low.mshr);
  f.get().fill(high.mshr, high.sectors);  // the second comes first
  CHECK(f.step(10) == Outcome::kFill);
  CHECK(f.step(12) == Outcome::kReplay);  // of the third request
  CHECK(f.get().replaying() == 0);
  f.get().fill(low.mshr, low.sectors);
  CHECK(f.step(13) == Outcome::kFill);
  CHECK(f.step(15) == Outcome::kReplay);
  CHECK(f.step(16) == Outcome::kReplay);
  CHECK(f.get().idle());
}

TEST_CASE("a sector that comes for a line that was pushed out meanwhile brings it back") {
  Sectored f;
  f.params.ways = 1;
  f.params.size_bytes = 128;
  Cycle now = f.bring(0, 1, 0b0001);
  f.accept_sectors(1, 0b0011);
  CHECK(f.step(now) == Outcome::kReadMiss);
  const MemoryRequest late = f.sent();
  now = f.bring(now + 1, 2, 0b1000);
  f.get().fill(late.mshr, late.sectors);
  CHECK(f.step(now) == Outcome::kFill);
  CHECK(f.step(now + 2) == Outcome::kReplay);
  f.accept_sectors(1, 0b0010);
  CHECK(f.step(now + 3) == Outcome::kReadHit);
  f.accept_sectors(1, 0b0001);
  CHECK(f.step(now + 4) == Outcome::kReadMiss);  // it went with the line
}

TEST_CASE("a write through to sectors that are not there changes those that are, and fetches nothing") {
  Sectored f;
  Cycle now = f.bring(0, 1, 0b0010);
  f.accept_sectors(1, 0b1010, true);
  CHECK(f.step(now) == Outcome::kWriteMiss);
  CHECK(f.get().moved() == 0b0010);
  f.check_sent(128 + 32, 32, true);
  f.check_sent(128 + 96, 32, true);
  f.accept_sectors(1, 0b1000);
  CHECK(f.step(now + 2) == Outcome::kReadMiss);
  f.sent();
  f.add(128 + 32 + 8, 4, true, 0);
  CHECK(f.step(now + 3) == Outcome::kWriteHit);
  f.check_sent(128 + 32 + 8, 4, true);  // the bytes as they are
}

TEST_CASE("a write of whole sectors fetches nothing, one of a part fetches its sector") {
  Sectored f(WritePolicy::kWriteBack);
  f.add(128 + 64, 64, true, 0);
  CHECK(f.step(0) == Outcome::kWriteMiss);
  CHECK(f.get().memory().empty());
  CHECK(f.responses->size(0, ResponsePath::kAck) == 1);
  f.accept_sectors(1, 0b1100);
  CHECK(f.step(1) == Outcome::kReadHit);
  f.add(128, 32, true, 0);  // another sector of the line
  CHECK(f.step(2) == Outcome::kWriteMiss);
  CHECK(f.get().memory().empty());
  f.add(128 + 36, 4, true, 0);
  CHECK(f.step(3) == Outcome::kWriteMiss);
  const MemoryRequest fetch = f.sent();
  CHECK(fetch.address == 128 + 32);
  CHECK(fetch.bytes == 32);
  CHECK_FALSE(fetch.write);
  f.get().fill(fetch.mshr, fetch.sectors);
  CHECK(f.step(4) == Outcome::kFill);
  CHECK(f.step(6) == Outcome::kReplay);
  f.accept_sectors(1, 0b1111);
  CHECK(f.step(7) == Outcome::kReadHit);
}

TEST_CASE("a write of whole sectors waits for those of them that are on their way") {
  Sectored f(WritePolicy::kWriteBack);
  f.accept_sectors(1, 0b0001);
  f.add(128, 64, true, 0);
  CHECK(f.step(0) == Outcome::kReadMiss);
  CHECK(f.step(1) == Outcome::kWriteMerged);
  const MemoryRequest fetch = f.sent();
  CHECK(f.get().memory().empty());
  f.get().fill(fetch.mshr, fetch.sectors);
  CHECK(f.step(2) == Outcome::kFill);
  CHECK(f.step(4) == Outcome::kReplay);
  CHECK(f.step(5) == Outcome::kReplay);
  f.accept_sectors(1, 0b0011);
  CHECK(f.step(6) == Outcome::kReadHit);
}

TEST_CASE("an evicted line writes back its dirty sectors only, each run by itself") {
  Sectored f(WritePolicy::kWriteBack);
  f.params.ways = 1;
  f.params.size_bytes = 128;
  Cycle now = f.bring(0, 1, 0b1111);
  f.add(128, 32, true, 0);
  f.add(128 + 68, 4, true, 0);
  CHECK(f.step(now) == Outcome::kWriteHit);
  CHECK(f.step(now + 1) == Outcome::kWriteHit);
  f.accept_sectors(2, 0b0001);
  CHECK(f.step(now + 2) == Outcome::kReadMiss);
  const MemoryRequest fetch = f.sent();
  f.get().fill(fetch.mshr, fetch.sectors);
  CHECK(f.step(now + 3) == Outcome::kFill);
  CHECK(f.get().wrote_back() == 0b0101);
  f.check_sent(128, 32, true);
  f.check_sent(128 + 64, 32, true);
  CHECK(f.get().memory().empty());
}

TEST_CASE("what a line misses waits until there is room for all of its requests") {
  Sectored f;
  f.params.memory_queue = 2;
  f.params.memory_queue_limit = 2;
  f.accept_sectors(1, 0b0001);
  f.accept_sectors(2, 0b0101);
  CHECK(f.step(0) == Outcome::kReadMiss);
  CHECK(f.step(1) == Outcome::kBlockedMemory);
  CHECK(f.get().memory().size() == 1);
  f.sent();
  f.get().retry();
  CHECK(f.step(2) == Outcome::kReadMiss);
  CHECK(f.get().memory().size() == 2);
}

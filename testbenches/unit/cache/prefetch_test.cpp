// SPDX-License-Identifier: Apache-2.0
#include "testbenches/unit/cache/bank_fixture.h"

using namespace spica::cache;

namespace {

struct PrefetchingBank : BankFixture {
  PrefetchingBank() { params.prefetcher = Prefetch::kNextLine; }
  void want(std::uint64_t line) { REQUIRE(get().want({line, {}, 0})); }
  Prefetches::Found found() { return get().prefetches().found(); }
};

std::vector<spica::base::Address> after(const Use& use) {
  std::vector<spica::base::Address> wishes;
  make_prefetcher(Prefetch::kNextLine)->used(use, wishes);
  return wishes;
}

}  // namespace

TEST_CASE(
    "next_line asks for the line behind one that is missed, and behind a prefetched one at its first use") {
  using Lines = std::vector<spica::base::Address>;
  CHECK(after({7, false, true, false}) == Lines{8});
  CHECK(after({7, false, false, true}) == Lines{8});
  CHECK(after({7, false, false, false}).empty());
  CHECK(after({7, true, true, false}).empty());
  CHECK(make_prefetcher(Prefetch::kOff) == nullptr);
}

TEST_CASE("a bank fetches a line that nobody has asked for, and the first request of it finds it") {
  PrefetchingBank f;
  f.want(3);
  CHECK(f.get().step_due() == 0);
  CHECK(f.step(0) == Outcome::kNothing);
  CHECK(f.found() == Prefetches::kFetched);
  const MemoryRequest request = f.get().memory().pop();
  CHECK(request.address == 3 * f.params.line_bytes);
  CHECK_FALSE(request.write);
  f.get().fill(request.mshr, request.sectors);
  CHECK(f.step(1) == Outcome::kFill);
  CHECK(f.get().mshrs().lines() == 0);
  f.accept(3);
  CHECK(f.step(3) == Outcome::kReadHit);
  CHECK(f.get().prefetches().first_use());
  f.accept(3);
  CHECK(f.step(4) == Outcome::kReadHit);
  CHECK_FALSE(f.get().prefetches().first_use());
}

TEST_CASE("a request that misses while its line is prefetched waits for that and is the first one of it") {
  PrefetchingBank f;
  f.want(3);
  f.step(0);
  const MemoryRequest request = f.get().memory().pop();
  f.accept(3);
  CHECK(f.step(1) == Outcome::kReadMerged);
  CHECK(f.get().prefetches().first_use());
  CHECK(f.get().memory().empty());
  f.get().fill(request.mshr, request.sectors);
  CHECK(f.step(2) == Outcome::kFill);
  CHECK(f.step(4) == Outcome::kReplay);
  f.accept(3);
  CHECK(f.step(5) == Outcome::kReadHit);
  CHECK_FALSE(f.get().prefetches().first_use());
}

TEST_CASE("requests come before prefetches") {
  PrefetchingBank f;
  f.want(3);
  f.accept(9);
  CHECK(f.step(0) == Outcome::kReadMiss);
  CHECK(f.found() == Prefetches::kNothing);
  f.step(1);
  CHECK(f.found() == Prefetches::kNothing);
  f.get().memory().pop();
  f.get().retry();
  f.step(2);
  CHECK(f.found() == Prefetches::kFetched);
}

TEST_CASE("a line that is there or comes is not fetched again; one that finds no room is dropped") {
  PrefetchingBank f;
  f.params.mshrs = 3;
  const Cycle now = f.fetch(0, 3);
  f.want(3);
  f.step(now);
  CHECK(f.found() == Prefetches::kPresent);
  f.want(4);
  f.step(now + 1);
  CHECK(f.found() == Prefetches::kFetched);
  f.want(4);
  f.step(now + 2);
  CHECK(f.found() == Prefetches::kNothing);  // the one before it waits for memory
  CHECK(f.get().stuck());
  CHECK_FALSE(f.get().blocked());
  f.get().memory().pop();
  f.get().retry();
  f.step(now + 3);
  CHECK(f.found() == Prefetches::kPresent);
  f.accept(8);
  CHECK(f.step(now + 4) == Outcome::kReadMiss);
  f.get().memory().pop();
  f.want(5);
  f.step(now + 5);
  CHECK(f.found() == Prefetches::kDropped);  // the last MSHR is for requests
  CHECK(f.get().step_due() == spica::base::kNever);
}

TEST_CASE("lines to prefetch wait in a queue of the depth of the request queue") {
  PrefetchingBank f;
  f.params.request_queue = 2;
  f.want(1);
  f.want(2);
  CHECK_FALSE(f.get().want({3, {}, 0}));
  f.get().clear();
  CHECK(f.get().step_due() == spica::base::kNever);
  f.want(3);
}

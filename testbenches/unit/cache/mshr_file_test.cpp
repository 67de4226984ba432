// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "models/cache/mshr_file.h"
#include "testbenches/support/catch.h"

using namespace spica::cache;

namespace {
Request to_line(std::uint64_t line, std::uint8_t port) {
  Request request;
  request.line = line;
  request.port = port;
  return request;
}
}  // namespace

TEST_CASE("merged requests come back in order of arrival and free their places") {
  MshrFile mshrs(2, 4);
  for (int round = 0; round < 5; ++round) {
    const unsigned first = mshrs.allocate(to_line(7, 0), 1);
    const unsigned second = mshrs.allocate(to_line(9, 1), 1);
    CHECK(mshrs.full());
    CHECK(mshrs.find(7) == first);
    CHECK(mshrs.find(8) == MshrFile::kNone);
    mshrs.merge(first, to_line(7, 2), 1);
    mshrs.merge(first, to_line(7, 3), 1);
    CHECK(mshrs.waiting() == 4);
    std::vector<unsigned> ports;
    mshrs.arrive(first, 1, [&](const Request& request) { ports.push_back(request.port); });
    CHECK(ports == std::vector<unsigned>{0, 2, 3});
    CHECK(mshrs.waiting() == 1);
    CHECK(mshrs.find(7) == MshrFile::kNone);
    mshrs.arrive(second, 1, [](const Request&) {});
    CHECK(mshrs.lines() == 0);
  }
}

TEST_CASE(
    "a request goes when the last sector that it waits for has come, those behind it when theirs have") {
  MshrFile mshrs(2, 8);
  const unsigned entry = mshrs.allocate(to_line(7, 0), 0b0011);
  mshrs.merge(entry, to_line(7, 1), 0b0010);
  mshrs.merge(entry, to_line(7, 2), 0b1001);
  mshrs.merge(entry, to_line(7, 3), 0b0010);
  CHECK(mshrs.coming(entry) == 0b1011);
  std::vector<unsigned> ports;
  const auto note = [&](const Request& request) { ports.push_back(request.port); };
  mshrs.arrive(entry, 0b0010, note);
  CHECK(ports == std::vector<unsigned>{1, 3});
  CHECK(mshrs.coming(entry) == 0b1001);
  CHECK(mshrs.oldest(entry).port == 0);
  CHECK(mshrs.waiting() == 2);
  mshrs.arrive(entry, 0b1000, note);
  CHECK(ports.size() == 2);
  mshrs.merge(entry, to_line(7, 4), 0b0010);  // asked for again: it was pushed out meanwhile
  mshrs.arrive(entry, 0b0001, note);
  CHECK(ports == std::vector<unsigned>{1, 3, 0, 2});
  CHECK(mshrs.find(7) == entry);
  mshrs.arrive(entry, 0b0010, note);
  CHECK(ports.back() == 4);
  CHECK(mshrs.find(7) == MshrFile::kNone);
  CHECK(mshrs.waiting() == 0);
  CHECK(mshrs.lines() == 0);
}

TEST_CASE("an entry of a prefetch has nobody who waits until a request joins it") {
  MshrFile mshrs(2, 2);
  const unsigned entry = mshrs.prefetch({7, {}, 0}, 0b0011);
  CHECK(mshrs.find(7) == entry);
  CHECK_FALSE(mshrs.awaited(entry));
  CHECK(mshrs.cause(entry).line == 7);
  CHECK(mshrs.waiting() == 0);
  unsigned come = 0;
  const auto note = [&](const Request&) { ++come; };
  mshrs.merge(entry, to_line(7, 1), 0b0001);
  CHECK(mshrs.awaited(entry));
  mshrs.arrive(entry, 0b0001, note);
  CHECK(come == 1);
  CHECK_FALSE(mshrs.awaited(entry));
  CHECK(mshrs.find(7) == entry);  // the other sector comes
  mshrs.arrive(entry, 0b0010, note);
  CHECK(come == 1);
  CHECK(mshrs.find(7) == MshrFile::kNone);
  CHECK(mshrs.free() == 2);
}

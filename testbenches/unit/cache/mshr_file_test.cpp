// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <random>
#include <sstream>
#include <vector>

#include "models/base/checkpoint.h"
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

TEST_CASE(
    "of many lines each is found in its entry, the lowest free one when it came, also after a checkpoint") {
  for (const unsigned lines : {1u, 2u, 3u, 63u, 64u, 65u, 192u, 256u}) {
    MshrFile mshrs(lines, lines);
    std::map<std::uint64_t, unsigned> entries;  // by line
    std::vector<bool> used(lines);
    std::mt19937 random(lines);
    for (unsigned turn = 0; turn < 4000; ++turn) {
      const std::uint64_t line = std::uint64_t{random() % (2 * lines)} * (turn % 2 == 0 ? 1 : 256);
      const auto there = entries.find(line);
      REQUIRE(mshrs.find(line) == (there == entries.end() ? MshrFile::kNone : there->second));
      if (there != entries.end()) {
        mshrs.arrive(there->second, 1, [](const Request&) {});
        used[there->second] = false;
        entries.erase(there);
      } else if (!mshrs.full()) {
        const unsigned entry = mshrs.allocate(to_line(line, 0), 1);
        REQUIRE(entry == std::find(used.begin(), used.end(), false) - used.begin());
        used[entry] = true;
        entries[line] = entry;
      }
      REQUIRE(mshrs.lines() == entries.size());
    }
    std::stringstream bytes;
    spica::base::Checkpoint(static_cast<std::ostream&>(bytes))(mshrs);
    MshrFile loaded(lines, lines);
    loaded.allocate(to_line(5, 0), 1);
    spica::base::Checkpoint(static_cast<std::istream&>(bytes))(loaded);
    for (const auto& [line, entry] : entries) CHECK(loaded.find(line) == entry);
    CHECK(loaded.lines() == entries.size());
    if (!loaded.full())
      CHECK(loaded.allocate(to_line(~std::uint64_t{1}, 0), 1) ==
            std::find(used.begin(), used.end(), false) - used.begin());
  }
}

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <vector>

#include "models/cache/tag_array.h"
#include "testbenches/support/catch.h"

using namespace spica::cache;

namespace {
/// Puts a line into the array; what it pushes out.
TagArray::Evicted allocate(TagArray& tags, std::uint64_t line, bool dirty) {
  const unsigned slot = tags.choose(line, 0);
  const TagArray::Evicted evicted = tags.content(slot);
  tags.replace(slot, line, 1, dirty);
  return evicted;
}
}  // namespace

TEST_CASE("a line is found after it was allocated, in its own set only") {
  TagArray tags(4, 2, 1, Replacement::kLru);
  CHECK(tags.lookup(0) == TagArray::kMiss);
  CHECK_FALSE(allocate(tags, 0, false).valid);
  CHECK(tags.lookup(0) != TagArray::kMiss);
  CHECK(tags.lookup(4) == TagArray::kMiss);  // same set, other tag
  CHECK(tags.lookup(1) == TagArray::kMiss);
}

TEST_CASE("the least recently used way is evicted") {
  TagArray tags(1, 4, 1, Replacement::kLru);
  for (std::uint64_t line = 0; line < 4; ++line) allocate(tags, line, false);
  tags.lookup(0);
  tags.lookup(2);
  tags.lookup(1);
  CHECK(tags.content(tags.choose(9, 0)).line == 3);
  CHECK(allocate(tags, 9, false).line == 3);
  CHECK(allocate(tags, 10, false).line == 0);
}

TEST_CASE("round robin evicts the ways in turn, whatever was used") {
  TagArray tags(1, 4, 1, Replacement::kRoundRobin);
  for (std::uint64_t line = 0; line < 4; ++line) allocate(tags, line, false);
  for (std::uint64_t line = 4; line < 12; ++line) {
    tags.lookup(line - 4);
    CHECK(allocate(tags, line, false).line == line - 4);
  }
}

TEST_CASE("random replacement is no queue, and repeats after clear") {
  TagArray tags(1, 4, 1, Replacement::kRandom);
  std::vector<std::uint64_t> order[2];
  for (auto& evicted : order) {
    tags.clear();
    for (std::uint64_t line = 0; line < 64; ++line) {
      const auto out = allocate(tags, line, false);
      if (out.valid) evicted.push_back(out.line);
    }
  }
  CHECK(order[0] == order[1]);
  CHECK(order[0].size() == 60);
  CHECK_FALSE(std::is_sorted(order[0].begin(), order[0].end()));
}

TEST_CASE("a part of the ways is chosen from as if it were all, and looked up with the others") {
  TagArray tags(2, 6, 1, Replacement::kRoundRobin, 3);
  for (unsigned part = 0; part < 3; ++part)
    for (std::uint64_t i = 0; i < 5; ++i) {
      const std::uint64_t line = 100 * part + 2 * i;  // of the first set
      const unsigned slot = tags.choose(line, 0, part);
      CHECK(tags.part(slot) == part);
      CHECK(tags.content(slot).valid == (i >= 2));
      if (i >= 2) CHECK(tags.content(slot).line == line - 4);
      tags.replace(slot, line, 1, 0);
    }
  for (unsigned part = 0; part < 3; ++part) {
    CHECK(tags.find(100 * part + 6) != TagArray::kMiss);
    CHECK(tags.find(100 * part + 8) != TagArray::kMiss);
    CHECK_FALSE(tags.content(tags.choose(1, 0, part)).valid);  // the other set
  }
}

TEST_CASE("evicting tells whether the line was dirty, and its number") {
  TagArray tags(2, 1, 4, Replacement::kLru);  // bank bits are below the set bits
  allocate(tags, 3, false);
  tags.add(tags.lookup(3), 0, 1);
  const auto evicted = allocate(tags, 3 + 8, true);
  CHECK(evicted.valid);
  CHECK(evicted.dirty == 1);
  CHECK(evicted.line == 3);
  CHECK(allocate(tags, 3 + 16, false).dirty == 1);
  CHECK(allocate(tags, 3 + 24, false).dirty == 0);
}

TEST_CASE("a rotating way is taken whatever is in it, also where others are empty") {
  TagArray tags(1, 4, 1, Replacement::kRotating);
  tags.replace(tags.choose(1, 6), 1, 1, 0);
  CHECK(tags.find(1) == 2);
  CHECK(tags.choose(2, 10) == 2);
  CHECK(tags.choose(2, 11) == 3);
  CHECK(tags.choose(2, 12) == 0);
}

TEST_CASE(
    "with any number of sets and ways a line has its set by the remainder, and the array holds all it can") {
  TagArray tags(26, 24, 1, Replacement::kLru);
  for (std::uint64_t line = 0; line < 26 * 24; ++line) CHECK_FALSE(allocate(tags, line, false).valid);
  for (std::uint64_t line = 0; line < 26 * 24; ++line) CHECK(tags.lookup(line) != TagArray::kMiss);
  CHECK(allocate(tags, 26 * 24 + 3, false).line == 3);  // the oldest one of its set
  TagArray banked(3, 1, 4, Replacement::kLru);
  allocate(banked, 4 * 2, false);
  CHECK(banked.lookup(4 * 5) == TagArray::kMiss);
  CHECK(allocate(banked, 4 * 5, false).line == 4 * 2);
}

TEST_CASE("a line has the sectors that have come, and loses them all when its place is taken") {
  TagArray tags(1, 1, 1, Replacement::kLru);
  tags.replace(0, 5, 0b0010, 0);
  CHECK(tags.missing(0, 0b0010) == 0);
  CHECK(tags.missing(0, 0b0111) == 0b0101);
  tags.add(0, 0b0100, 0b0100);
  CHECK(tags.missing(0, 0b1111) == 0b1001);
  CHECK(tags.content(0).dirty == 0b0100);
  tags.add(0, 0, 0b0010);
  CHECK(tags.content(0).dirty == 0b0110);
  tags.replace(0, 6, 0b1000, 0);
  CHECK(tags.missing(0, 0b1111) == 0b0111);
  CHECK(tags.content(0).dirty == 0);
  tags.clear();
  tags.replace(0, 6, 0b0001, 0);
  CHECK(tags.missing(0, 0b1001) == 0b1000);
}

TEST_CASE("the tags of a slice use all of its sets, whatever the hash leaves to it") {
  using spica::protocol::SliceHash;
  using spica::protocol::SliceMap;
  constexpr std::uint64_t kLine = 128, kChunk = 256, kSets = 32;
  for (const SliceHash hash : {SliceHash::kNone, SliceHash::kIpolyFolded, SliceHash::kIpolyMod}) {
    const auto map = std::make_shared<const SliceMap>(48, kChunk, hash);
    for (const unsigned slice : {0u, 17u, 47u}) {
      TagArray tags(kSets, 24, 1, Replacement::kLru, 1, map, kLine);
      // As many lines as it holds, consecutive in the slice: none pushes another one out.
      unsigned evicted = 0;
      for (std::uint64_t offset = 0; offset < kSets * 24 * kLine; offset += kLine)
        evicted += allocate(tags, map->address({slice, offset}) / kLine, false).valid;
      CHECK(evicted == 0);
      CHECK(allocate(tags, map->address({slice, kSets * 24 * kLine}) / kLine, false).line ==
            map->address({slice, 0}) / kLine);
    }
  }
}

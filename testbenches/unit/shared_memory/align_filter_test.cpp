// SPDX-License-Identifier: Apache-2.0
#include "models/shared_memory/align_filter.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "testbenches/support/catch.h"

using namespace spica::shared_memory;

namespace {

constexpr std::uint32_t kBase = 0xFF00'0000;

struct Fixture {
  explicit Fixture(SharedMemoryParams p = {}) : params(std::move(p)) {}
  LaneSplit split(std::vector<std::uint32_t> offsets, std::uint32_t mask, unsigned bytes = 4,
                  bool shares = true) const {
    offsets.resize(32);
    spica::protocol::WarpAccess access;
    for (std::size_t lane = 0; lane < offsets.size(); ++lane) access.address[lane] = offsets[lane] + kBase;
    access.mask = mask;
    access.bytes = static_cast<std::uint8_t>(bytes);
    LaneSplit split;
    filter.split(access, shares, split);
    return split;
  }
  SharedMemoryParams params;
  BankMap map{params};
  AlignFilter filter{params, map};
};

}  // namespace

TEST_CASE("lane l owns the words w with w mod 8 equal to l") {
  const Fixture eight;
  for (unsigned lane = 0; lane < 8; ++lane)
    for (unsigned word = 0; word < 8; ++word) CHECK(eight.filter.owns(lane, word) == (word == lane));

  SharedMemoryParams wide;
  wide.words = 16;
  const Fixture sixteen(wide);
  for (unsigned lane = 0; lane < 8; ++lane)
    for (unsigned word = 0; word < 16; ++word) CHECK(sixteen.filter.owns(lane, word) == (word % 8 == lane));

  SharedMemoryParams many;
  many.lanes = 32;
  const Fixture lanes(many);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned word = 0; word < 8; ++word) CHECK(lanes.filter.owns(lane, word) == (word == lane % 8));
}

TEST_CASE("eight consecutive words on a line boundary go the direct way in one piece") {
  const Fixture f;
  const LaneSplit split = f.split({64, 68, 72, 76, 80, 84, 88, 92}, 0xFF);
  CHECK(split.contiguous);
  CHECK(split.offset == 64);
  CHECK(split.aligned == 0xFF);
  CHECK(split.unaligned == 0);
  CHECK(split.banks == 0xFF);
  CHECK(split.degree == 1);
}

TEST_CASE("a warp shifted by one word misses its words on every lane") {
  const Fixture f;
  const LaneSplit split = f.split({4, 8, 12, 16, 20, 24, 28, 32}, 0xFF);
  CHECK_FALSE(split.contiguous);
  CHECK(split.aligned == 0);
  CHECK(split.unaligned == 0xFF);
  CHECK(split.degree == 1);
}

TEST_CASE("lanes on their own words in different lines and banks go the direct way") {
  const Fixture f;
  const LaneSplit split = f.split({0, 0x4024, 0x8048, 12}, 0xF);
  CHECK_FALSE(split.contiguous);
  CHECK(split.aligned == 0xF);
  CHECK(split.unaligned == 0);
  CHECK(split.banks == (WordBanks{1} | WordBanks{1} << 9 | WordBanks{1} << 18 | WordBanks{1} << 3));
}

TEST_CASE("all lanes on one word: its owner goes direct, the others do not") {
  const Fixture f;
  const LaneSplit split = f.split(std::vector<std::uint32_t>(8, 12), 0xFF);
  CHECK(split.aligned == 0x08);
  CHECK(split.unaligned == 0xF7);
  CHECK(split.degree == 8);
}

TEST_CASE("a lane outside or across a word boundary makes the access invalid") {
  const Fixture f;
  CHECK(f.split({0xFFFC}, 1).in_range);
  CHECK_FALSE(f.split({0x10000}, 1).in_range);
  CHECK_FALSE(f.split({0u - 4}, 1).in_range);
  CHECK_FALSE(f.split({2}, 1).in_range);
  CHECK(f.split({2}, 1, 2).in_range);
  CHECK_FALSE(f.split({3}, 1, 2).in_range);
  CHECK(f.split({3}, 1, 1).in_range);
  // Inactive lanes may point anywhere.
  CHECK(f.split({0, 0x20000}, 1).in_range);
  // A whole warp of consecutive words that begins in the last line's middle.
  CHECK_FALSE(f.split({0xFFF0, 0xFFF4, 0xFFF8, 0xFFFC, 0x10000, 0x10004, 0x10008, 0x1000C}, 0xFF).in_range);
}

TEST_CASE("the split agrees with the rule lane by lane for random accesses") {
  SharedMemoryParams params;
  params.lanes = GENERATE(4, 8, 16, 32);
  params.words = GENERATE(8, 16);
  const Fixture f(params);
  std::mt19937 random(1);
  const auto period = static_cast<unsigned>(std::min(params.lanes, params.words));
  for (int round = 0; round < 500; ++round) {
    std::vector<std::uint32_t> offsets(params.lanes);
    const std::uint32_t start = random() % 0x3000 & ~3u;
    for (std::size_t lane = 0; lane < offsets.size(); ++lane)
      offsets[lane] = round % 2 == 0 ? random() % 0x4000 & ~3u : start + 4 * static_cast<std::uint32_t>(lane);
    const std::uint32_t lanes_mask = params.lanes == 32 ? ~0u : (1u << params.lanes) - 1;
    const std::uint32_t mask =
        round % 3 == 0 ? lanes_mask : static_cast<std::uint32_t>(random()) & lanes_mask;
    const LaneSplit split = f.split(offsets, mask);
    std::uint32_t aligned = 0;
    WordBanks banks = 0;
    for (unsigned lane = 0; lane < params.lanes; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      const std::uint32_t word = offsets[lane] / 4 % static_cast<std::uint32_t>(params.words);
      if (word % period != lane % period) continue;
      aligned |= 1u << lane;
      banks |= WordBanks{1} << word;
    }
    REQUIRE(split.in_range);
    REQUIRE(split.aligned == aligned);
    REQUIRE(split.unaligned == (mask & ~aligned));
    REQUIRE(split.banks == banks);
  }
}

namespace {

SharedMemoryParams with_broadcast() {
  SharedMemoryParams params;
  params.lanes = 32;
  params.banks = 1;
  params.words = 32;
  params.unaligned = Unaligned::kCrossbar;
  params.broadcast = true;
  return params;
}

/// Different words of the bank that is wanted most.
unsigned most_words(const std::vector<std::uint32_t>& offsets, std::uint32_t mask) {
  std::map<std::uint32_t, std::set<std::uint32_t>> words;
  std::size_t most = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    auto& bank = words[offsets[lane] / 4 % 32];
    bank.insert(offsets[lane] / 4);
    most = std::max(most, bank.size());
  }
  return static_cast<unsigned>(most);
}

}  // namespace

TEST_CASE("with broadcast the degree counts different words of a bank, and no lane is unaligned") {
  const Fixture f(with_broadcast());
  CHECK(f.split(std::vector<std::uint32_t>(32, 12), ~0u).degree == 1);
  CHECK(f.split(std::vector<std::uint32_t>(32, 12), ~0u, 4, false).degree == 32);
  CHECK_FALSE(f.split({0, 0x10000}, 3).in_range);
  CHECK_FALSE(f.split({0, 2}, 3).in_range);
  std::mt19937 random(2);
  for (int round = 0; round < 500; ++round) {
    const std::uint32_t span = 4u << random() % 12;
    std::vector<std::uint32_t> offsets(32);
    for (std::uint32_t& offset : offsets) offset = static_cast<std::uint32_t>(random()) % span * 4;
    const auto mask = static_cast<std::uint32_t>(random()) | 1u << random() % 32;
    const LaneSplit split = f.split(offsets, mask);
    REQUIRE(split.in_range);
    REQUIRE(split.degree == most_words(offsets, mask));
    REQUIRE(split.aligned == mask);
    REQUIRE(split.unaligned == 0);
    WordBanks banks = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
      if ((mask >> lane & 1) != 0) banks |= WordBanks{1} << offsets[lane] / 4 % 32;
    REQUIRE(split.banks == banks);
  }
}

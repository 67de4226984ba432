// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <vector>

#include "models/protocol/payload/slice_map.h"
#include "testbenches/support/catch.h"

using namespace spica;
using protocol::SliceHash;
using protocol::SliceMap;

namespace {

constexpr std::uint64_t kChunk = 256;

bool possible(std::uint64_t slices, SliceHash hash) {
  return hash != SliceHash::kIpoly || (slices & (slices - 1)) == 0;
}

/// The largest number of accesses of a slice over the mean, of `bytes` of memory read every `stride` bytes.
double imbalance(const SliceMap& map, std::uint64_t bytes, std::uint64_t stride) {
  std::vector<double> load(map.slices(), 0);
  for (std::uint64_t at = 0; at < bytes; at += stride) load[map.slice(at)] += 1;
  const double mean = static_cast<double>(bytes / stride) / map.slices();
  return *std::max_element(load.begin(), load.end()) / mean;
}

/// The least share of the slices that `accesses` neighbours of a stride reach, over all aligned groups of them.
unsigned reached(const SliceMap& map, std::uint64_t from, std::uint64_t stride, unsigned accesses) {
  std::set<unsigned> slices;
  for (unsigned i = 0; i < accesses; ++i) slices.insert(map.slice(from + i * stride));
  return static_cast<unsigned>(slices.size());
}

}  // namespace

TEST_CASE("every byte has one home, and the homes of a slice leave no gap") {
  for (const auto& [name, hash] : protocol::kSliceHashes.items)
    for (std::uint64_t slices = 1; slices <= SliceMap::kMost; ++slices) {
      if (!possible(slices, hash)) continue;
      INFO(name << ", " << slices << " slices");
      const SliceMap map(slices, kChunk, hash);
      // Whole turns of the virtual slices.
      const std::uint64_t chunks = 16 * (hash == SliceHash::kIpolyFolded ? 256 : slices);
      std::vector<std::vector<bool>> taken(slices);
      bool once = true, back = true, same = true;
      for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) {
        const base::Address address = chunk * kChunk + chunk % kChunk;
        const SliceMap::Home home = map.home(address);
        same = same && home.slice == map.slice(address) && home.offset % kChunk == address % kChunk;
        back = back && map.address(home) == address;
        std::vector<bool>& homes = taken.at(home.slice);
        homes.resize(std::max<std::size_t>(homes.size(), home.offset / kChunk + 1));
        once = once && !homes[home.offset / kChunk];
        homes[home.offset / kChunk] = true;
      }
      CHECK(once);
      CHECK(back);
      CHECK(same);
      std::uint64_t homes = 0;
      for (const auto& slice : taken) homes += slice.size();
      CHECK(homes == chunks);
    }
}

TEST_CASE("addresses at the top of memory come back from their homes") {
  for (const auto& [name, hash] : protocol::kSliceHashes.items)
    for (const std::uint64_t slices : {1, 2, 3, 24, 32, 48, 80, 160, 256}) {
      if (!possible(slices, hash)) continue;
      INFO(name << ", " << slices << " slices");
      const SliceMap map(slices, kChunk, hash);
      bool back = true;
      for (std::uint64_t address = 0xFFFF0000; address < 0x100000000; address += 97)
        back = back && map.address(map.home(address)) == address;
      CHECK(back);
    }
}

TEST_CASE("a polynomial hash spreads every stride of a power of two over all slices") {
  for (std::uint64_t slices = 2; slices <= SliceMap::kMost; slices *= 2) {
    const SliceMap map(slices, kChunk, SliceHash::kIpoly);
    for (std::uint64_t stride = 32; stride <= 65536; stride *= 2) {
      INFO(slices << " slices, stride " << stride);
      const std::uint64_t step = std::max(stride, kChunk);  // smaller ones stay in a chunk for a while
      CHECK(imbalance(map, 32 * slices * step, stride) == 1.0);
      for (std::uint64_t group = 0; group < 8; ++group)
        CHECK(reached(map, group * slices * step, step, static_cast<unsigned>(slices)) == slices);
    }
  }
}

TEST_CASE("the fold of 64 onto 48 slices loads sixteen of them twice") {
  constexpr std::uint64_t kBytes = 16 << 20;
  const SliceMap folded(48, kChunk, SliceHash::kIpolyFolded);
  CHECK(imbalance(folded, kBytes, kChunk) == Approx(1.5).epsilon(0.01));
  CHECK(imbalance(folded, kBytes, 2048) == Approx(1.51).epsilon(0.01));
  std::vector<unsigned> load(48, 0);
  for (std::uint64_t at = 0; at < kBytes; at += kChunk) ++load[folded.slice(at)];
  for (unsigned slice = 0; slice < 48; ++slice) CHECK(load[slice] == (slice < 16 ? 2048 : 1024));
}

TEST_CASE("without a hash 24 slices camp on three at a stride of 2048 bytes") {
  constexpr std::uint64_t kBytes = 16 << 20;
  const SliceMap none(24, kChunk, SliceHash::kNone);
  CHECK(imbalance(none, kBytes, kChunk) == Approx(1.0).epsilon(0.01));
  CHECK(imbalance(none, kBytes, 2048) == Approx(8.0).epsilon(0.01));
}

TEST_CASE("ipoly_mod loads any number of slices evenly") {
  for (const std::uint64_t slices : {3, 12, 24, 40, 48, 80, 160, 216}) {
    const SliceMap map(slices, kChunk, SliceHash::kIpolyMod);
    INFO(slices << " slices");
    CHECK(imbalance(map, 64 << 20, kChunk) < 1.02);
    for (std::uint64_t stride = 512; stride <= 8192; stride *= 2) {
      INFO("stride " << stride);
      CHECK(imbalance(map, std::uint64_t{4096} * stride * slices / 8, stride) < 1.15);
    }
  }
}

TEST_CASE("xor spreads a stride of all slices") {
  const SliceMap none(32, kChunk, SliceHash::kNone), folded(32, kChunk, SliceHash::kXor);
  CHECK(reached(none, 0, 32 * kChunk, 32) == 1);
  CHECK(reached(folded, 0, 32 * kChunk, 32) == 32);
}

// SPDX-License-Identifier: Apache-2.0
// A cache that takes past accesses is in the state in which the same accesses in simulated time leave it.
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "models/protocol/payload/past_access.h"
#include "models/protocol/transport/access_history.h"
#include "testbenches/block/cache/cache_bench.h"
#include "testbenches/support/apart.h"
#include "testbenches/support/catch.h"

using namespace spica;
using testbench::apart;
using testbench::Cycle;

namespace {

constexpr unsigned kBytes = protocol::AccessHistory::kBytes;

struct Access {
  std::uint64_t address;
  bool write;
};

/// Random reads and writes of blocks of kBytes bytes in `blocks` blocks, most of them near the last one.
std::vector<Access> random_accesses(unsigned count, unsigned blocks, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Access> accesses;
  std::uint64_t at = 0;
  for (unsigned i = 0; i < count; ++i) {
    at = random() % 4 == 0 ? random() % blocks : (at + random() % 3) % blocks;
    accesses.push_back({at * kBytes, random() % 3 == 0});
  }
  return accesses;
}

enum class Past { kTimed, kRepeated, kNone };

/// Hits of the accesses after `past` ones, one after the other, and their writes to memory.
std::string later(const cache::Params& params, const std::vector<Access>& accesses, std::size_t past,
                  Past how) {
  constexpr Cycle kGap = 200;
  testbench::CacheBench f(params);
  protocol::AccessHistory history(4 * params.size_bytes / kBytes);
  std::vector<const protocol::Payload*> sent;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    if (i < past && how == Past::kNone) continue;
    if (i < past && how == Past::kRepeated) {
      history.record(0, accesses[i].address, kBytes, accesses[i].write);
      continue;
    }
    protocol::LinePayload& payload = f.agents[0]->line(
        accesses[i].write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, accesses[i].address, kBytes);
    f.agents[0]->at((i + 1) * kGap, payload);
    if (i >= past) sent.push_back(&payload);
  }
  for (const auto& access : history.accesses()) {
    protocol::PastPayload request(access.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND,
                                  access.address, kBytes);
    CHECK(f.agents[0]->socket->transport_dbg(request.payload()) == kBytes);
  }
  f.bench.run();
  std::ostringstream out;
  for (std::size_t i = 0; i < sent.size(); ++i)
    out << (f.agents[0]->done(*sent[i]) == (past + i + 1) * kGap + f.hit() ? '1' : '0');
  for (const auto& seen : f.memory.seen())
    if (seen.cycle > (past + 1) * kGap && seen.command == tlm::TLM_WRITE_COMMAND) out << ' ' << seen.address;
  return out.str();
}

cache::Params small(cache::Params params, std::uint64_t sectors) {
  params.ports = 1;
  params.size_bytes = 4096;
  params.line_bytes = 64;
  params.sectors = sectors;
  params.ways = 4;
  params.banks = 2;
  params.replacement = cache::Replacement::kLru;
  return params;
}

}  // namespace

TEST_CASE("after past accesses a cache hits, misses and writes back as after the same ones in time") {
  for (const std::uint64_t sectors : {1u, 2u})
    for (const cache::WritePolicy policy :
         {cache::WritePolicy::kWriteBack, cache::WritePolicy::kWriteThrough}) {
      cache::Params params = small(cache::Params::l2(), sectors);
      params.write_policy = policy;
      const std::vector<Access> accesses = random_accesses(600, 400, 3);
      const auto result = [&](Past how) { return apart([&] { return later(params, accesses, 400, how); }); };
      const std::string timed = result(Past::kTimed);
      CHECK(result(Past::kRepeated) == timed);
      CHECK(result(Past::kNone) != timed);
    }
}

TEST_CASE("a history keeps the last of equal accesses, and as many as it is to keep") {
  protocol::AccessHistory history(3);
  for (unsigned round = 0; round < 10; ++round)
    for (const std::uint64_t address : {0x100u, 0x140u, 0x100u, 0x180u}) history.record(1, address, 4, false);
  history.record(2, 0x13C, 8, true);  // in two blocks
  const auto kept = history.accesses();
  REQUIRE(kept.size() == 3);
  CHECK(kept[0].address == 0x180);
  CHECK(kept[0].requester == 1);
  CHECK_FALSE(kept[0].write);
  CHECK(kept[1].address == 0x120);
  CHECK(kept[2].address == 0x140);
  CHECK(kept[2].requester == 2);
  CHECK(kept[2].write);
}

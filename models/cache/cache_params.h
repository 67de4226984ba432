// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/params.h"
#include "models/cache/prefetcher.h"
#include "models/cache/replacement.h"
#include "models/cache/sectors.h"
#include "models/protocol/payload/slice_map.h"

namespace spica::cache {

enum class WritePolicy : std::uint8_t {
  kReadOnly,      // a write is answered with an error
  kWriteThrough,  // no allocation on a write miss; acknowledged here, forwarded to memory
  kWriteBack,     // allocation on a write miss; dirty lines are written on eviction
};
inline constexpr base::Choices kWritePolicies{
    base::Choice<WritePolicy>{"read_only", WritePolicy::kReadOnly},
    base::Choice<WritePolicy>{"write_through", WritePolicy::kWriteThrough},
    base::Choice<WritePolicy>{"write_back", WritePolicy::kWriteBack}};

/// One cache. The defaults are the L1 data cache of v1; the functions below give the others. Role: the cache's place in
/// a machine, for reports and for the energy of its accesses.
enum class Role : std::uint8_t { kL1Instruction, kSharedInstruction, kL1Data, kL2 };

struct Params {
  Role role = Role::kL1Data;  // not a key
  std::uint64_t size_bytes = 16384;
  std::uint64_t line_bytes = 32;
  std::uint64_t sectors = 1;
  std::uint64_t ways = 4;
  std::uint64_t banks = 8;
  std::uint64_t ports = 9;  // set by the parent, not a key
  WritePolicy write_policy = WritePolicy::kWriteThrough;
  Replacement replacement = Replacement::kRotating;
  Prefetch prefetcher = Prefetch::kOff;
  std::uint64_t request_queue = 4;
  std::uint64_t hit_latency = 3;
  std::uint64_t miss_latency = 2;
  std::uint64_t response_queue = 2;
  std::uint64_t ack_queue = 16;
  std::uint64_t mshrs = 16;
  std::uint64_t mshr_requests = 16;
  bool mshr_for_hits = true;
  std::uint64_t memory_queue = 4;
  std::uint64_t memory_queue_limit = 2;
  std::uint64_t memory_ids = 16;
  std::uint64_t bank_bytes_per_cycle = 32;
  std::uint64_t sub_banks = 1;
  std::uint64_t partitions = 1;  // see l2_params.h
  std::uint64_t slices = 1;  // see l2_params.h
  /// partition by port of the bus in front of the cache; set by the parent, not a key
  std::vector<std::uint8_t> part_of_source;
  /// This cache is a slice: sets follow from the offset in it; set by the parent, not a key. nullptr: it is not one.
  std::shared_ptr<const protocol::SliceMap> slice_map;

  /// Per core: 16 KB, 4 ways, one bank, one port (virgo memory/VortexCache.scala).
  static Params l1_instruction() {
    Params p;
    p.role = Role::kL1Instruction;
    p.banks = 1;
    p.ports = 1;
    p.write_policy = WritePolicy::kReadOnly;
    return p;
  }
  /// Per core: 16 KB, 4 ways, 8 banks, one port per lane and one for coalesced lines (virgo
  /// memory/VortexCache.scala).
  static Params l1_data(std::uint64_t lanes) {
    Params p;
    p.ports = lanes + 1;
    return p;
  }
  /// The capacity that one partition can fill.
  std::uint64_t part_bytes() const { return size_bytes / partitions; }
  bool read_only() const { return write_policy == WritePolicy::kReadOnly; }
  /// Shared: 512 KB, 8 ways, write-back (l2 Configs.scala).
  static Params l2() {
    Params p;
    p.role = Role::kL2;
    p.size_bytes = 512 * 1024;
    p.line_bytes = 64;
    p.ways = 8;
    p.banks = 1;
    p.ports = 1;
    p.write_policy = WritePolicy::kWriteBack;
    p.replacement = Replacement::kLru;
    p.request_queue = 8;
    p.hit_latency = 13;
    p.miss_latency = 4;
    p.response_queue = 8;
    p.mshrs = 20;
    p.mshr_requests = 40;
    p.mshr_for_hits = false;
    p.memory_queue = 8;
    p.memory_queue_limit = 8;
    p.memory_ids = 32;
    p.sub_banks = 4;
    return p;
  }

  /// Parameters of the programming model (see describe.h).
  static constexpr std::string_view kProgrammingModel[] = {"size_bytes", "line_bytes", "ways", "banks",
                                                           "write_policy"};
  /// Neither larger nor smaller values are better hardware (see describe.h).
  static constexpr std::string_view kPolicies[] = {"line_bytes", "sectors", "memory_queue_limit"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("size_bytes", p.size_bytes, "B", Range{256, 128.0 * 1024 * 1024},
          "capacity of all banks, a multiple of line_bytes * ways * banks", "virgo memory/VortexCache.scala");
    field("line_bytes", p.line_bytes, "B", Range{16, 128, base::kPow2}, "line size",
          "virgo memory/VortexCache.scala");
    field("sectors", p.sectors, "sectors", Range{1, kMostSectors, base::kPow2},
          "parts of a line that are fetched and written back separately, under one tag; scattered "
          "lanes then move fewer bytes; 1: a miss fetches the whole line",
          "virgo: no sectors; gpgpu-sim gpgpusim.config (S: lines of 128 bytes with sectors of 32)");
    field("ways", p.ways, "ways", Range{1, 512}, "associativity", "virgo memory/VortexCache.scala");
    field("banks", p.banks, "banks", Range{1, 32, base::kPow2},
          "line-interleaved banks, each serves one request per cycle",
          "virgo memory/VortexCache.scala; L2: UNCERTAIN, 1");
    field("write_policy", p.write_policy, kWritePolicies, "handling of writes",
          "virgo memory/VortexCache.scala");
    field(
        "replacement", p.replacement, kReplacements,
        "way that a new line replaces; rotating: a counter that advances in every cycle without "
        "a stall, regardless of empty ways; the others fill empty ways first (random uses a "
        "fixed seed)",
        "vortex cache/VX_cache_tags.sv (rotating); L2: UNCERTAIN, the source draws at random, lru is the neutral choice");
    field("prefetcher", p.prefetcher, kPrefetchers,
          "lines fetched in advance: next_line: the line after a missed line, and after a prefetched line at "
          "its first use; a bank looks it up when it is otherwise idle, and drops it if there is no room",
          "smith 1982 section 2.1 (tagged prefetch); the published caches have none");
    field("request_queue", p.request_queue, "requests", Range{1, 64}, "request queue of a bank",
          "vortex VX_config.vh; L2: UNCERTAIN");
    field(
        "hit_latency", p.hit_latency, "cycles", Range{1, 63},
        "from the cycle in which a bank serves a request to its response on a hit",
        "vortex cache/VX_cache_bank.sv (request, tag and data stage); L2: UNCERTAIN, chosen for a load-to-use of 40");
    field("miss_latency", p.miss_latency, "cycles", Range{1, 63},
          "from the cycle in which a bank serves a request to its request to memory",
          "vortex cache/VX_cache_bank.sv (tag stage, memory request register); L2: UNCERTAIN");
    field("response_queue", p.response_queue, "responses", Range{1, 64},
          "responses that a bank holds while its port is busy", "vortex VX_config.vh; L2: UNCERTAIN");
    field("ack_queue", p.ack_queue, "responses", Range{1, 64}, "write acknowledgements that a bank holds",
          "virgo memory/VortexCache.scala");
    field("mshrs", p.mshrs, "lines", Range{1, 256}, "outstanding line fills of a bank",
          "vortex VX_config.vh; L2: UNCERTAIN, 40 cycles of outer latency / 2 beats of a line");
    field("mshr_requests", p.mshr_requests, "requests", Range{1, 1024},
          "requests of a bank that wait for fills, primary and merged misses together",
          "vortex VX_config.vh; L2: UNCERTAIN, two for each MSHR");
    field("mshr_for_hits", p.mshr_for_hits,
          "every request allocates one of mshr_requests, and a hit releases it: when all are in "
          "use, hits and write-throughs also wait",
          "vortex cache/VX_cache_bank.sv; L2: UNCERTAIN");
    field("memory_queue", p.memory_queue, "requests", Range{1, 64},
          "requests of a bank that wait for the next level", "vortex cache/VX_cache_bank.sv; L2: UNCERTAIN");
    field("memory_queue_limit", p.memory_queue_limit, "requests", Range{1, 64},
          "waiting requests at which the bank stops accepting requests; if not below memory_queue, "
          "only misses and writes wait",
          "vortex cache/VX_cache_bank.sv; L2: UNCERTAIN");
    field("memory_ids", p.memory_ids, "requests", Range{1, 64}, "outstanding requests of a bank to memory",
          "vortex VX_config.vh; L2: UNCERTAIN");
    field("bank_bytes_per_cycle", p.bank_bytes_per_cycle, "B/cycle", Range{4, 128, base::kPow2},
          "width of a bank; a wider access occupies it for several cycles",
          "chipyard RadianceConfigs.scala (256-bit bus)");
    field("sub_banks", p.sub_banks, "sub-banks", Range{1, 64, base::kPow2},
          "1: a fill occupies the bank for a cycle; more: it uses sub-banks other than those of "
          "the request in the same cycle",
          "l2 Configs.scala (L2: 4)");
  }

  template <class Report>
  static void check(const Params& p, Report&& contradiction) {
    const std::uint64_t sets = p.line_bytes * p.ways * p.banks * p.slices;  // one set of each bank
    const std::string product = std::string("line_bytes * ways * banks") + (p.slices > 1 ? " * slices" : "");
    std::vector<std::string> keys = {"size_bytes", "line_bytes", "ways", "banks"};
    if (p.slices > 1) keys.emplace_back("slices");
    if (sets > p.size_bytes)
      contradiction(keys, "size_bytes must hold at least one set in each bank (" + product + ")");
    else if (sets != 0 && p.size_bytes % sets != 0)
      contradiction(keys, "size_bytes must be a multiple of " + product + ", for example " +
                              std::to_string(p.size_bytes / sets * sets) + " or " +
                              std::to_string((p.size_bytes / sets + 1) * sets));
    if (p.sectors * 4 > p.line_bytes)
      contradiction({"line_bytes", "sectors"},
                    "a sector has at least 4 bytes: sectors at most " + std::to_string(p.line_bytes / 4));
    if (p.memory_queue < p.sectors / 2)
      contradiction(
          {"memory_queue", "sectors"},
          "the requests for one line, every second sector at worst, must fit into the queue: memory_queue "
          "must be at least " +
              std::to_string(p.sectors / 2));
    if (p.mshr_requests < p.mshrs)
      contradiction({"mshrs", "mshr_requests"}, "mshr_requests must not be smaller than mshrs");
  }
};

}  // namespace spica::cache

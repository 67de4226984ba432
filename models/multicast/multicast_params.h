// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/base/params.h"

namespace spica::multicast {

/// Whether two warps of one core may share a read.
enum class SameSubcore : std::uint8_t { kAllow, kRefuse };
inline constexpr base::Choices kSameSubcore{base::Choice<SameSubcore>{"allow", SameSubcore::kAllow},
                                            base::Choice<SameSubcore>{"refuse", SameSubcore::kRefuse}};

struct MulticastParams {
  bool present = false;
  std::uint64_t entries = 192;
  std::uint64_t queue = 8;
  std::uint64_t compare_latency = 1;
  std::uint64_t enable_latency = 1;
  SameSubcore same_subcore = SameSubcore::kAllow;
  std::uint64_t timeout = 512;
  std::uint64_t drain_timeout = 64;

  std::uint64_t cores = 4, warps = 16;  // set by the cluster, not keys

  /// Neither larger nor smaller values are better hardware (see describe.h).
  static constexpr std::string_view kPolicies[] = {"timeout", "drain_timeout"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("present", p.present,
          "marked loads from shared memory (mlds, wmma32.load.a.m, .b.m) of two warps with equal "
          "addresses become one read that writes both register files; off: marked loads are "
          "ordinary loads",
          "lee section 3");
    field("entries", p.entries, "loads", Range{1, 4096},
          "entries of the table of loads that wait for a partner", "lee section 5.2.3");
    field("queue", p.queue, "loads", Range{1, 64}, "loads or pairs that wait for the path to shared memory",
          "lee section 5.2.3 (8 entries for four sub-cores)");
    field("compare_latency", p.compare_latency, "cycles", Range{1, 64},
          "from the arrival of a load to its decision, one per cycle", "UNCERTAIN");
    field("enable_latency", p.enable_latency, "cycles", Range{0, 64},
          "time to check both cores for free destination registers", "UNCERTAIN");
    field("same_subcore", p.same_subcore, kSameSubcore,
          "allow: warps of one core also share reads, and the second register file is written a "
          "cycle later; refuse: only warps of different cores share",
          "lee section 5.2.1 UNCERTAIN: the text names different sub-cores, its numbers need all pairs");
    field("timeout", p.timeout, "cycles", Range{1, 1 << 20}, "waiting time after which a load proceeds alone",
          "UNCERTAIN");
    field("drain_timeout", p.drain_timeout, "cycles", Range{0, 1 << 20},
          "as timeout, counted from the first fence or barrier that waits for the load; a fence "
          "waits for all warps of its core, and a partner may still arrive",
          "UNCERTAIN");
  }
};

}  // namespace spica::multicast

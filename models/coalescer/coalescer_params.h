// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "models/base/params.h"

namespace spica::coalescer {

struct Params {
  std::uint64_t lanes = 8;    // set by the cluster, not keys
  std::uint64_t threads = 0;  // threads of the machine
  std::uint64_t sectors = 1, sector_bytes = 0;  // sectors of a line of the data cache; 1: not sectored
  std::uint64_t line_bytes = 32;
  std::uint64_t queue_depth = 2;
  std::uint64_t line_ids = 16;
  std::uint64_t lane_ids = 32;
  std::uint64_t response_latency = 2;
  std::uint64_t local_stride = 0;
  std::uint64_t local_top = 0xFF00'0000;

  /// Parameters of the programming model (see describe.h).
  static constexpr std::string_view kProgrammingModel[] = {"line_bytes"};
  /// Neither larger nor smaller values are better hardware (see describe.h).
  static constexpr std::string_view kPolicies[] = {"line_bytes", "local_stride"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("line_bytes", p.line_bytes, "B", Range{4, 128, base::kPow2},
          "block in which lanes are merged into one request", "virgo memory/Coalescing.scala");
    field("queue_depth", p.queue_depth, "accesses", Range{1, 64}, "warp accesses that wait in the coalescer",
          "virgo memory/Coalescing.scala");
    field("line_ids", p.line_ids, "requests", Range{1, 256}, "coalesced requests in flight",
          "virgo memory/Coalescing.scala");
    field("lane_ids", p.lane_ids, "requests", Range{1, 256}, "uncoalesced requests in flight per lane",
          "vortex VX_config.vh");
    field("response_latency", p.response_latency, "cycles", Range{1, 63},
          "from the last response of the cache to the response to the core",
          "virgo memory/Coalescing.scala (2 registers)");
    field(
        "local_stride", p.local_stride, "B", Range{0, 1 << 20},
        "distance of the stacks of neighbouring lanes: the caches then see words of the stacks "
        "of a warp interleaved by lane, so lanes that access the same variable share a request; "
        "0: stacks are ordinary memory",
        "CUDA C++ Programming Guide, device memory accesses: local memory is organised such that consecutive 32-bit words "
        "are accessed by consecutive threads");
    field("local_top", p.local_top, "address", Range{128, 4294967296.0}, "end of the first lane's stack",
          "sw/lib/include/platform.h");
  }

  template <class Report>
  static void check(const Params& p, Report&& contradiction) {
    if (p.local_stride % 4 != 0)
      contradiction({"local_stride"},
                    "must be a multiple of 4, for example " + std::to_string(p.local_stride / 4 * 4));
    if (p.local_top % 128 != 0)
      contradiction({"local_top"},
                    "must be a multiple of 128, for example " + std::to_string(p.local_top / 128 * 128));
  }
};

}  // namespace spica::coalescer

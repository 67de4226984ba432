// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "models/base/params.h"

namespace spica::coalescer {

struct Params {
  std::uint64_t lanes = 8;  // set by the cluster, no key of its own
  std::uint64_t line_bytes = 32;
  std::uint64_t queue_depth = 2;
  std::uint64_t line_ids = 16;
  std::uint64_t lane_ids = 32;
  std::uint64_t response_latency = 2;

  /// What programs see or rely on, besides timing (see describe.h).
  static constexpr std::string_view kProgrammingModel[] = {"line_bytes"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("line_bytes", p.line_bytes, "B", Range{4, 128, base::kPow2},
          "block in which lanes are merged into one request", "virgo memory/Coalescing.scala");
    field("queue_depth", p.queue_depth, "accesses", Range{1, 64}, "warp accesses that wait here",
          "virgo memory/Coalescing.scala");
    field("line_ids", p.line_ids, "requests", Range{1, 256}, "coalesced requests in flight",
          "virgo memory/Coalescing.scala");
    field("lane_ids", p.lane_ids, "requests", Range{1, 256}, "single requests in flight of each lane",
          "vortex VX_config.vh");
    field("response_latency", p.response_latency, "cycles", Range{1, 63},
          "from the last response of the cache to the response to the core",
          "virgo memory/Coalescing.scala (2 registers)");
  }
};

}  // namespace spica::coalescer

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/base/params.h"

namespace spica::console {

/// One window. The address map gives base and size: print buffer 0x200 bytes per core, putchar 64
/// bytes.
struct ConsoleParams {
  std::uint64_t base = 0xFF01'0000;  // set by the cluster from the address map
  std::uint64_t size = 4 * 0x200;    // likewise
  std::uint64_t latency = 2;
  std::uint64_t queue_depth = 2;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("latency", p.latency, "cycles", Range{2, 64},
          "from the request to the response: one cycle in the queue, then the RAM",
          "virgo tile/RadianceCluster.scala (TLRAM) UNCERTAIN");
    field("queue_depth", p.queue_depth, "requests", Range{1, 64}, "requests queued for the RAM", "UNCERTAIN");
  }
};

}  // namespace spica::console

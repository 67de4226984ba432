// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/base/params.h"

namespace spica::interconnect {

/// The system bus between the L1 caches and DMAs on one side and the L2 on the other.
struct CrossbarParams {
  std::uint64_t masters = 9;  // set by the machine, not a key
  std::uint64_t targets = 1;
  std::uint64_t beat_bytes = 32;
  std::uint64_t request_latency = 5;
  std::uint64_t response_latency = 5;
  std::uint64_t master_queue = 2;
  std::uint64_t max_outstanding = 256;
  double clock_mhz = 0;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("beat_bytes", p.beat_bytes, "B", Range{4, 128},
          "bytes per cycle and direction of the channel of a target",
          "chipyard RadianceConfigs.scala (256 bit)");
    field("request_latency", p.request_latency, "cycles", Range{1, 256},
          "from acceptance of a one-beat request to its delivery to an idle target",
          "UNCERTAIN, chosen for a load-to-use of 40 on an L2 hit (D20)");
    field("response_latency", p.response_latency, "cycles", Range{1, 256},
          "from a one-beat response of a target to the master",
          "UNCERTAIN, chosen for a load-to-use of 40 on an L2 hit (D20)");
    field("master_queue", p.master_queue, "requests", Range{1, 64}, "request queue of a master port",
          "UNCERTAIN");
    field("max_outstanding", p.max_outstanding, "requests", Range{1, 4096},
          "outstanding requests per target; in the sources, ids of the masters limit them", "UNCERTAIN");
    field("clock_mhz", p.clock_mhz, "MHz", Range{0, 10000},
          "clock of the bus and the level 2 cache; 0: clock_mhz of the machine");
  }
};

/// The bus from the cores to the uncached peripherals of a cluster.
struct PeripheralBusParams {
  std::uint64_t masters = 4;  // set by the cluster, not a key
  std::uint64_t targets = 2;
  std::uint64_t request_latency = 2;
  std::uint64_t response_latency = 1;
  std::uint64_t master_queue = 2;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("request_latency", p.request_latency, "cycles", Range{1, 64},
          "from acceptance of a request to its delivery to an idle peripheral", "UNCERTAIN");
    field("response_latency", p.response_latency, "cycles", Range{1, 64},
          "from the response of a peripheral to the core", "UNCERTAIN");
    field("master_queue", p.master_queue, "requests", Range{1, 64}, "request queue of the port of a core",
          "UNCERTAIN");
  }
};

}  // namespace spica::interconnect

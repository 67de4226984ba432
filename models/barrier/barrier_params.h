// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "models/base/params.h"

namespace spica::barrier {

struct BarrierParams {
  std::uint64_t ids = 8;
  std::uint64_t cores = 4;  // set by the cluster, not a key
  std::uint64_t table_latency = 1;
  std::uint64_t response_latency = 2;

  /// Parameters of the programming model (see describe.h).
  static constexpr std::string_view kProgrammingModel[] = {"ids"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("ids", p.ids, "ids", Range{1, 32}, "rows of the table: barriers open at a time",
          "vortex VX_config.vh (NUM_BARRIERS)");
    field("table_latency", p.table_latency, "cycles", Range{1, 64},
          "from the request of a core to its bit in the table", "virgo tile/Barrier.scala UNCERTAIN");
    field("response_latency", p.response_latency, "cycles", Range{1, 64},
          "from the complete row to the release of the cores", "virgo tile/Barrier.scala UNCERTAIN");
  }
};

}  // namespace spica::barrier

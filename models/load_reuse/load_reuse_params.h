// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/base/params.h"

namespace spica::load_reuse {

enum class Reuse : std::uint8_t { kOff, kDarsie };
inline constexpr base::Choices kReuses{base::Choice<Reuse>{"off", Reuse::kOff},
                                       base::Choice<Reuse>{"darsie", Reuse::kDarsie}};

struct LoadReuseParams {
  Reuse mode = Reuse::kOff;
  std::uint64_t entries = 64;
  std::uint64_t latency = 1;

  std::uint64_t warps = 16;  // set by the cluster, not a key

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("load_reuse", p.mode, kReuses,
          "darsie: skips the load of a fragment of A or B from shared memory that another warp of "
          "the core has loaded; the fragment is renamed to the registers of that warp",
          "lee section 5.2.2 (yeh)");
    field("load_reuse_entries", p.entries, "loads", Range{1, 1024},
          "with load_reuse: loads in the table of a core", "UNCERTAIN");
    field("load_reuse_latency", p.latency, "cycles", Range{1, 64},
          "with load_reuse: from the issue of a skipped load to the first use of its fragment", "UNCERTAIN");
  }
};

}  // namespace spica::load_reuse

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "models/base/params.h"
#include "models/mio/writeback_params.h"

namespace spica::mio {

/// The load/store units that the cores share.
enum class Units : std::uint8_t { kFull, kFullAndShared, kFullAndFull };
inline constexpr base::Choices kUnits{base::Choice<Units>{"full", Units::kFull},
                                      base::Choice<Units>{"full+shared_only", Units::kFullAndShared},
                                      base::Choice<Units>{"full+full", Units::kFullAndFull}};

struct MioParams {
  bool present = false;
  bool shared_data_path = false;
  Units units = Units::kFull;
  std::uint64_t queue_depth = 2;
  std::uint64_t bytes_per_cycle = 128;
  WritebackParams writeback;

  std::uint64_t cores = 4;  // set by the cluster, not a key

  /// The number of units. Each has a port to shared memory.
  unsigned count() const { return units == Units::kFull ? 1 : 2; }
  /// The number of units that also have a port to the level 1 data cache; they have the lowest numbers.
  unsigned full() const { return units == Units::kFullAndFull ? 2 : 1; }

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("present", p.present,
          "the cores share one path to shared memory, with a queue per core; off: each core has "
          "its own port",
          "lee figure 2: the sub-cores of a streaming multiprocessor share one path");
    field("shared_data_path", p.shared_data_path,
          "level 1 data cache and shared memory are one array behind this path, with one level 1 "
          "cache for all cores; off: one cache per core, outside the path",
          "lee section 2.1; raihan section I.A");
    field("units", p.units, kUnits,
          "load/store units and their data paths; full: to shared memory and level 1 data cache; "
          "shared_only: to shared memory. Two full units serve half of the cores each; a "
          "shared_only unit serves all",
          "ho section II.C, figure 5; which core uses which unit UNCERTAIN");
    field("queue_depth", p.queue_depth, "accesses", Range{1, 16}, "accesses of a core queued for the path",
          "lee section 5.2.3 (8 entries for four sub-cores)");
    field("bytes_per_cycle", p.bytes_per_cycle, "B/cycle", Range{32, 128, base::kPow2}, "width of the path",
          "lee table 1 (V100: 150 GB/s per multiprocessor at 1.13 GHz)");
    field.group("writeback", p.writeback, "write-back port of each load/store unit");
  }

  template <class Report>
  static void check(const MioParams& p, Report&& contradiction) {
    if (p.shared_data_path && !p.present)
      contradiction({"present", "shared_data_path"}, "shared_data_path needs present: true");
    if (p.units != Units::kFull && !p.shared_data_path)
      contradiction({"units", "shared_data_path"}, "several load/store units need shared_data_path: true");
    if (p.writeback.present && !p.shared_data_path)
      contradiction({"writeback.present", "shared_data_path"},
                    "a write-back port needs both memories behind the path: shared_data_path true");
    if (!p.writeback.banks_shared && p.units != Units::kFullAndShared)
      contradiction({"writeback.banks_shared", "units"},
                    "only the units of full+shared_only serve the same cores: banks_shared true");
    if (p.full() > p.cores)
      contradiction({"units"}, "two full units need at least two cores: use full or full+shared_only");
  }
};

}  // namespace spica::mio

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "models/cache/cache_params.h"

namespace spica::cache {

/// What a level 2 cache holds at the start of a run.
enum class Warm : std::uint8_t {
  kOff,  // nothing
  kHostWrites,  // what the host has written to memory before the run, as far as it fits
};
inline constexpr base::Choices kWarms{base::Choice<Warm>{"off", Warm::kOff},
                                      base::Choice<Warm>{"host_writes", Warm::kHostWrites}};

/// A level 2 cache, shared by clusters: one cache, or equal slices of the memory's addresses with one each.
struct L2Params : Params {
  Warm warm = Warm::kOff;

  /// The parameters of each slice.
  Params cache() const {
    Params slice = *this;
    slice.size_bytes /= slices;
    slice.slices = 1;
    return slice;
  }

  /// Parameters of the programming model (see describe.h).
  static constexpr std::string_view kProgrammingModel[] = {"size_bytes",   "line_bytes", "ways",  "banks",
                                                           "write_policy", "partitions", "slices"};
  /// Neither larger nor smaller values are better hardware (see describe.h).
  static constexpr std::string_view kPolicies[] = {"line_bytes", "sectors", "memory_queue_limit",
                                                   "partitions"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    Params::describe(p, field);
    field(
        "slices", p.slices, "slices", base::Range{1, protocol::SliceMap::kMost},
        "independent parts of the cache, each with a port of the network and size_bytes / slices; all other keys "
        "of this section hold for each slice; more than 1: network.kind crossbar",
        "gpgpu-sim configs/tested-cfgs/SM7_TITANV/gpgpusim.config (48)");
    field(
        "warm", p.warm, kWarms,
        "contents at the start: off: none; host_writes: what the host wrote to memory before the run, the last "
        "bytes where it does not fit",
        "gpgpu-sim configs/tested-cfgs/SM7_TITANV/gpgpusim.config (gpgpu_perf_sim_memcpy 1)");
    field("partitions", p.partitions, "parts", base::Range{1, 32},
          "equal partitions of the ways, each for the same number of neighbouring clusters: "
          "look-ups use all ways, new lines only those of the partition; partition 0 also serves "
          "requesters outside the clusters; 1: all share all ways",
          "intel-sdm volume 3B, Cache Allocation Technology");
  }

  template <class Report>
  static void check(const L2Params& p, Report&& contradiction) {
    Params::check(p, contradiction);
    if (p.ways % p.partitions == 0) return;
    const std::uint64_t fewer = p.ways / p.partitions * p.partitions;
    contradiction({"ways", "partitions"}, "ways must be a multiple of partitions, for example " +
                                              (fewer != 0 ? std::to_string(fewer) + " or " : "") +
                                              std::to_string(fewer + p.partitions));
  }
};

}  // namespace spica::cache

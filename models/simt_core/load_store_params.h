// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "models/base/params.h"

namespace spica::simt_core {

/// How the lanes of a memory instruction leave a load/store unit.
enum class Lanes : std::uint8_t {
  kIndependent,  // each lane as soon as its memory accepts it, up to three accesses ahead of others
  kLockstep,     // together
};
inline constexpr base::Choices kLanesChoices{base::Choice<Lanes>{"independent", Lanes::kIndependent},
                                             base::Choice<Lanes>{"lockstep", Lanes::kLockstep}};

/// The accesses that a fence waits for.
enum class FenceWaits : std::uint8_t { kCore, kWarp };
inline constexpr base::Choices kFenceWaitsChoices{base::Choice<FenceWaits>{"core", FenceWaits::kCore},
                                                  base::Choice<FenceWaits>{"warp", FenceWaits::kWarp}};

/// A load/store unit.
struct LoadStoreParams {
  std::uint64_t queue_depth = 32;
  std::uint64_t source_ids = 32;
  std::uint64_t request_latency = 2;
  std::uint64_t response_latency = 5;
  Lanes lanes = Lanes::kIndependent;
  bool merge_duplicates = false;
  std::uint64_t fence_latency = 2;
  FenceWaits fence_waits = FenceWaits::kCore;
  bool fence_store = true;
  std::uint64_t stale_fence_entries = 0;

  /// Neither larger nor smaller values are better hardware (see describe.h).
  static constexpr std::string_view kPolicies[] = {"stale_fence_entries"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("queue_depth", p.queue_depth, "requests", base::Range{1, 256},
          "warp requests the load/store unit holds", "paper table 2 (32 LSQ entries); vortex VX_config.vh");
    field("source_ids", p.source_ids, "requests", base::Range{1, 256},
          "requests in flight, global and shared memory each", "vortex VX_config.vh (32 ids per lane)");
    field("request_latency", p.request_latency, "cycles", base::Range{1, 16},
          "from the dispatch buffer to the request leaving the core",
          "vortex libs/VX_mem_scheduler.sv (request queue, lane buffer); RTL simulation");
    field(
        "response_latency", p.response_latency, "cycles", base::Range{1, 16},
        "from the last lane's response to write-back",
        "vortex libs/VX_mem_scheduler.sv, core/VX_lsu_unit.sv, libs/VX_gather_unit.sv, core/VX_commit.sv (response "
        "select, load buffer, result arbiter, gather, commit arbiter); RTL simulation");
    field(
        "lanes", p.lanes, kLanesChoices,
        "how lanes of an access leave the unit: independent: each when its memory accepts it, at "
        "most three accesses ahead, with responses in any order; lockstep: together",
        "vortex libs/VX_mem_scheduler.sv, libs/VX_mem_rsp_sel.sv (lane buffers of two, one tag per cycle); RTL simulation");
    field("merge_duplicates", p.merge_duplicates,
          "sends lane 0 only if all active lanes have the address of lane 0",
          "vortex VX_config.vh (LSU_DUP; v1 off)");
    field("fence_latency", p.fence_latency, "cycles", base::Range{1, 16},
          "from the last response that a fence waits for to the fence leaving the unit",
          "vortex core/VX_lsu_unit.sv, virgo tile/RadianceTile.scala (counter, `fencing`); RTL simulation");
    field(
        "fence_waits", p.fence_waits, kFenceWaitsChoices,
        "accesses that a fence instruction waits for: core: all earlier ones of the unit, and later ones of all warps "
        "wait for the fence; warp: those of its warp, before it issues, and no other warp waits",
        "vortex core/VX_lsu_unit.sv (core); gpgpu-sim src/gpgpu-sim/shader.cc, shd_warp_t::membar (warp)");
    field("fence_store", p.fence_store,
          "a fence continues as a store of its lanes (one lane with merge_duplicates); the next "
          "fence waits for this store",
          "vortex core/VX_lsu_unit.sv (an artefact, to address 0); RTL simulation");
    field(
        "stale_fence_entries", p.stale_fence_entries, "entries", base::Range{0, 8},
        "depth of the operand buffer of warp 0 that the fence test reads without the valid bit: "
        "AND, OR, XOR, SLL and fused multiply-adds in it, past ones included, lock the unit "
        "until its accesses are complete; 0: checks the valid bit",
        "vortex core/VX_lsu_unit.sv: a defect of the published core (2 in v1, 4 in v2); RTL simulation; deviation D163");
  }
};

}  // namespace spica::simt_core

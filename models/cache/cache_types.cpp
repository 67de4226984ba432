// SPDX-License-Identifier: Apache-2.0
// What the caches say of themselves: one class, four types.
#include "models/cache/cache.h"

#include <array>

namespace spica::cache {

namespace {

base::BlockType l1_instruction_type() {
  base::BlockType type;
  type.name = "icache";
  type.order = 40;
  type.inside = "core";
  type.events = {
      {"icache.tag",
       {{"read_hits"}, {"read_misses"}, {"read_merged"}, {"prefetch_lookups*"}},
       "look-up",
       "l1_instruction/tags",
       {"fetches"},
       "tag look-ups"},
      {"icache.read",
       {{"read_hits"}, {"replays"}},
       "access",
       "l1_instruction/data",
       {"fetches"},
       "instruction words read"},
      {"icache.fill", {{"fills"}}, "line", "l1_instruction/refill", {}, "lines written on refill"}};
  type.idle = base::IdleEnergy{"l1_instruction/idle", "a level 1 instruction cache"};
  type.reasons = {{"waiting", "lines from memory", {"shared_icache", "bus", "network", "l2"}},
                  {"blocked", "room behind the cache"}};
  return type;
}

base::BlockType shared_instruction_type() {
  base::BlockType type;
  type.name = "shared_icache";
  type.order = 41;
  type.events = {{"shared_icache.tag",
                  {{"read_hits"}, {"read_misses"}, {"read_merged"}, {"prefetch_lookups*"}},
                  "look-up",
                  "tags",
                  {},
                  "tag look-ups"},
                 {"shared_icache.read",
                  {{"read_hits", 1, "sector_accesses"}, {"replays", 1, "sector_accesses"}},
                  "access",
                  "data",
                  {},
                  "accesses that read, each 32 bytes of a line"},
                 {"shared_icache.fill",
                  {{"fills", 1, "sector_accesses"}},
                  "line",
                  "refill",
                  {},
                  "lines written on refill, each 32 bytes"}};
  type.idle = base::IdleEnergy{"idle", "an instruction cache of a cluster"};
  type.reasons = {{"waiting", "lines from memory", {"bus", "network", "l2"}},
                  {"blocked", "room behind the cache"}};
  return type;
}

std::vector<base::EnergyEvent> dcache_events() {
  // clang-format off: name, counters, unit, place in the tree, counter of the per-instruction profile, meaning
  return {
      {"dcache.tag",
       {{"read_hits"}, {"read_misses"}, {"read_merged"}, {"write_hits"}, {"write_misses"}, {"write_merged"}, {"prefetch_lookups*"}},
       "look-up", "l1_data/tags", {}, "tag look-ups"},
      {"dcache.read", {{"read_hits", 1, "sector_accesses"}, {"replays", 1, "sector_accesses"}, {"more_sectors_read", 1, "sector_accesses"}}, "access", "l1_data/data", {},
       "data accesses that read, each 32 bytes of a line"},
      {"dcache.write", {{"write_hits", 1, "sector_accesses"}, {"more_sectors_written", 1, "sector_accesses"}}, "access", "l1_data/data", {},
       "data accesses that write, each 32 bytes of a line"},
      {"dcache.fill", {{"fills", 1, "sector_accesses"}, {"more_sectors_filled", 1, "sector_accesses"}}, "line", "l1_data/refill", {},
       "lines written on refill, each 32 bytes"},
  };
  // clang-format on
}

base::BlockType l1_data_type() {
  base::BlockType type;
  type.name = "dcache";
  type.order = 60;
  type.inside = "core";
  type.events = dcache_events();
  type.idle = base::IdleEnergy{"l1_data/idle", "a level 1 data cache"};
  type.reasons = {{"waiting", "lines from memory", {"bus", "network", "l2"}},
                  {"blocked", "room behind the cache"}};
  return type;
}

std::vector<base::EnergyEvent> l2_events() {
  // clang-format off: name, counters, unit, place in the tree, counter of the per-instruction profile, meaning
  return {
      {"l2.tag",
       {{"read_hits"}, {"read_misses"}, {"read_merged"}, {"write_hits"}, {"write_misses"}, {"write_merged"}, {"prefetch_lookups*"}},
       "look-up", "tags", {}, "tag look-ups"},
      {"l2.read", {{"bytes_read"}}, "byte", "data", {}, "bytes read"},
      {"l2.write", {{"bytes_written"}}, "byte", "data", {}, "bytes written"},
      {"l2.refill", {{"fills", 1, "sector_bytes"}, {"more_sectors_filled", 1, "sector_bytes"}, {"write_backs", 1, "sector_bytes"}, {"more_sectors_written_back", 1, "sector_bytes"}}, "byte", "refill", {},
       "bytes of lines filled from memory or written back, on the chip"},
  };
  // clang-format on
}

base::BlockType l2_type() {
  base::BlockType type;
  type.name = "l2";
  type.order = 130;
  type.events = l2_events();
  type.idle = base::IdleEnergy{"idle", "the level 2 cache"};
  type.reasons = {{"waiting", "lines from memory", {"main_memory"}}, {"blocked", "room behind the cache"}};
  type.channels = {{"level 2 cache", {"bytes_read", "bytes_written"}, "peak_bytes"}};
  type.timeline_counters = {"bytes_read", "bytes_written"};
  return type;
}

}  // namespace

const base::BlockType& Cache::block_type(Role role) {
  static const std::array types{l1_instruction_type(), shared_instruction_type(), l1_data_type(), l2_type()};
  return types[static_cast<std::size_t>(role)];
}

namespace {
const base::KnownBlockType known_instruction(Cache::block_type(Role::kL1Instruction)),
    known_shared(Cache::block_type(Role::kSharedInstruction)), known_data(Cache::block_type(Role::kL1Data)),
    known_l2(Cache::block_type(Role::kL2));
}

}  // namespace spica::cache

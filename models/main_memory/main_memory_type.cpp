// SPDX-License-Identifier: Apache-2.0
// The description of the DRAM for reports: type, properties, area.
#include "models/main_memory/main_memory.h"

namespace spica::main_memory {

namespace {

std::vector<base::EnergyEvent> main_memory_events() {
  // clang-format off: name, counters, unit, place in the tree, counter of the per-instruction profile, meaning
  return {
      {"dram.activate", {{"row_misses"}, {"row_conflicts"}}, "activate", "activate", {},
       "rows opened, each with the precharge that closes it"},
      {"dram.read", {{"bytes_read"}}, "byte", "read", {}, "bytes read"},
      {"dram.write", {{"bytes_written"}}, "byte", "write", {}, "bytes written"},
      {"dram.refresh", {{"refreshes"}}, "refresh", "refresh", {}, "refreshes of a channel"},
  };
  // clang-format on
}

base::BlockType make_type() {
  base::BlockType type;
  type.name = "main_memory";
  type.order = 140;
  type.node = "dram";
  type.off_chip = true;
  type.events = main_memory_events();
  type.reasons = {{"channel_busy", "bandwidth of a channel"},
                  {"queue_full", "requests of a channel in flight"},
                  {"banks", "rows and banks of a channel"}};
  type.channels = {{"main memory", {"bytes_read", "bytes_written"}, "peak_bytes"}};
  type.timeline_counters = {"bytes_read", "bytes_written"};
  type.meters = {{"DRAM reads", "requests", {"reads"}}, {"DRAM writes", "requests", {"writes"}}};
  return type;
}

}  // namespace

const base::BlockType& MainMemory::block_type() {
  static const base::BlockType type = make_type();
  return type;
}

namespace {
const base::KnownBlockType known(MainMemory::block_type());
}

}  // namespace spica::main_memory

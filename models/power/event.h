// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace spica::power {

/// One statistic that goes into an event. In `name` a '*' stands for any text: all statistics that match
/// are added up, and none need exist. `times` multiplies; `weight` names a property of the block (lanes,
/// elements of a row, bytes of a line) that multiplies too.
struct EventSource {
  std::string_view name;
  double times = 1;
  std::string_view weight = {};
};

/// Something that costs energy each time it happens: which counters of which blocks say how often.
struct EventKind {
  std::string_view name;                // "core.fetch": block type, then action
  std::string_view block;               // type of block that counts it: "core", "l2"
  std::vector<EventSource> sources;     // added up
  std::string_view unit;                // what is counted
  std::string_view place;  // where its energy goes in the tree of the machine: path below the block's
      // node, always to a leaf; empty: the node itself
  /// Counter of the per-instruction profile that counts the same per program counter; empty: the event
  /// belongs to no instruction. Its `times` and `weight` are those of the source.
  EventSource line = {};
  std::string_view doc;
};

/// Off-chip energy is reported apart and does not scale with the chip's technology or voltage.
inline bool off_chip(const EventKind& kind) { return kind.block == "main_memory"; }

/// A type of block that consumes power when nothing happens.
struct IdleKind {
  std::string_view block;
  std::string_view place;
  std::string_view doc;
};

/// Types of block whose energy is not worth an event. Any other type must be in the list.
const std::vector<std::string_view>& free_blocks();

/// The one list of events. Energy tables, activity exports and documentation follow it.
const std::vector<EventKind>& event_kinds();
const std::vector<IdleKind>& idle_kinds();

}  // namespace spica::power

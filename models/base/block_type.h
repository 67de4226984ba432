// SPDX-License-Identifier: Apache-2.0
// What a block says of itself, for the tools that report on machines: energy, limiter, timeline, traces, hang reports.
// No tool knows a block by name; each reads the descriptions of the types that a machine is made of.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace spica::base {

/// Some counters of a block, by name. A '*' in a name matches any text.
using CounterNames = std::vector<std::string_view>;

/// Numbers in which instances of a type may differ: {"lanes", 8}.
using Properties = std::vector<std::pair<std::string_view, double>>;

/// A counter that goes into an event. A '*' in `name` matches any text: all counters that match are added up, and
/// none need exist. `times` multiplies; `weight` names a property of the block (lanes, bytes of a line) that
/// multiplies too.
struct EventSource {
  std::string_view name;
  double times = 1;
  std::string_view weight = {};
};

/// Something that costs energy each time it happens; counters of the block give the number of times.
struct EnergyEvent {
  std::string_view name;  // "core.fetch": a word for the block, then the action
  std::vector<EventSource> sources;  // added up
  std::string_view unit;  // what is counted
  /// Where its energy goes in the tree of the machine: path below the block's node, always to a leaf; empty: the node
  /// itself.
  std::string_view place;
  /// Counter of the per-instruction profile that counts the same per program counter; empty: the event
  /// belongs to no instruction. Its `times` and `weight` are those of the source.
  EventSource line = {};
  std::string_view doc;
};

/// The power of a block in which nothing happens.
struct IdleEnergy {
  std::string_view place;  // as in EnergyEvent
  std::string_view doc;  // "a SIMT core without its caches"
};

/// A reason of a cycle account, and in words what the block waits for: {"fence", "memory accesses before a fence"}.
struct Reason {
  std::string_view name, waits_for;
  /// Types of the blocks that would have to be faster for it to be shorter, the nearest ones: where time went after
  /// that is in the accounts of these. Empty: the block itself.
  std::vector<std::string_view> blocks = {};
};

/// A way for data that others share. How full it was in a run is what its counters counted, of all that it can take.
struct Channel {
  std::string_view name;  // "main memory"; a type may have several of a name, of which the fullest one counts
  CounterNames counters;  // of one block, added up
  std::string_view peak;  // the property with the most possible in a cycle of the block's clock; empty: 1
};

/// How the report names this type of block as the limit: "<sentence> 62 % of the run; most of the rest is spent waiting
/// for <waits_for>". Of the types that worked, the one with the lowest rank has the sentence.
struct Limiter {
  std::string_view sentence;  // "The matrix unit computes for"; empty: a run is never limited by it
  unsigned rank = 0;
  std::string_view account, busy;  // the account of its time, and the reason that is work
  CounterNames worked;  // blocks in which all of them are 0 did nothing; empty: they always do something
};

/// A chart in a run's summary: the shares of an account's reasons.
struct TimeChart {
  /// "issue slots of {} cores": all blocks of the type in one chart, {} is their number; else "matrix unit {}": one for
  /// each, {} is its number in its cluster.
  std::string_view title;
  bool together = false;
  std::string_view account;
  CounterNames shown_for = {};  // no chart where all of them are 0; empty: always
};

/// A number over time in traces: counters, added up over all blocks of the type.
struct MeterKind {
  std::string_view name, unit;  // "DRAM reads", "requests"
  CounterNames counters;
};

/// A figure of a run as a whole: counters, added up over all blocks of the type.
struct FigureKind {
  std::string_view name;  // "warp_instructions"
  CounterNames counters;
};

/// What a type of block is limited to: its multiply-accumulates, and how many there can be in a cycle.
struct Arithmetic {
  std::string_view counter;  // empty: it does none
  std::string_view peak;  // the property with the number it does per cycle at best
  /// Name under which blocks of this type, and of others that say the same, are one unit; empty: each block is one.
  std::string_view together;
};

/// A type of block. Its folder has one, for as long as the program runs, and a KnownBlockType next to it.
struct BlockType {
  /// After all types with an explicit order.
  static constexpr unsigned kLast = 1000;

  std::string_view name;  // "dma"
  /// Its place among the types in tables and documents; those at one place are in the order of their names.
  unsigned order = kLast;

  /// Type of block it is drawn inside: the first block of this type in a cluster is a part of the first one of that
  /// type, and so on. Empty: it stands alone; so does the only one of its type in a cluster with several of that type.
  std::string_view inside = {};
  /// Its name in the tree of energies; empty: that of the instance.
  std::string_view node = {};
  /// Name of all of them as one unit, "cores"; empty: that of what it is inside, or `name`.
  std::string_view units = {};
  /// Its energy is reported apart and does not scale with the chip's technology and voltage.
  bool off_chip = false;

  std::vector<EnergyEvent> events = {};
  std::optional<IdleEnergy> idle = {};
  std::string_view free = {};  // why none of its energy is worth an event

  std::vector<Reason> reasons = {};  // of its accounts, those that are a wait
  Limiter limiter = {};
  Arithmetic arithmetic = {};
  std::vector<Channel> channels = {};
  /// The group of a configuration that has the parameters of such blocks, by the end of its path; empty: as `name`.
  std::string_view parameters = {};

  std::vector<TimeChart> charts = {};  // in a run's summary
  CounterNames timeline_accounts = {};  // over time, in reports
  CounterNames timeline_counters = {};  // the same
  std::vector<MeterKind> meters = {};  // in traces
  std::vector<FigureKind> figures = {};  // in a run's results
};

/// The type of a block that declares none: it works, it is shown under the name of its instance, its counters are
/// among the statistics, and it costs no energy.
const BlockType& plain_block_type();

/// All types that this program knows, by their order.
const std::vector<const BlockType*>& block_types();
/// Makes a type known, which stays as long as the program runs; a machine does so with those of its blocks. Throws
/// std::logic_error when there is another one of the same name.
void register_block_type(const BlockType& type);

/// Makes a type known before main(), or when the plugin that has it is loaded. Belongs next to the function that the
/// block's type() calls, so that a program knows the types of the blocks it has.
struct KnownBlockType {
  explicit KnownBlockType(const BlockType& type) { register_block_type(type); }
};

/// True when `name` fits `pattern`, in which one '*' matches any text.
bool matches(std::string_view pattern, std::string_view name);
/// True when it fits one of them.
bool matches(const CounterNames& patterns, std::string_view name);

}  // namespace spica::base

// SPDX-License-Identifier: Apache-2.0
// A block's description of itself, for tools that report on machines: energy, limiter, timeline, traces, hang reports.
// No tool knows a block by name; tools read the descriptions of the types in a machine.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace spica::base {

/// Some counters of a block, by name. A '*' in a name matches any text.
using CounterNames = std::vector<std::string_view>;

/// Values that differ between instances of a type: {"lanes", 8}.
using Properties = std::vector<std::pair<std::string_view, double>>;

/// A counter that contributes to an event. A '*' in `name` matches any text: all matching counters are added, and there
/// may be none. `times` is a factor; `weight` names a property of the block (lanes, bytes of a line) that is another
/// factor.
struct EventSource {
  std::string_view name;
  double times = 1;
  std::string_view weight = {};
};

/// An event that costs energy each time; counters of the block give how often it happened.
struct EnergyEvent {
  std::string_view name;  // "core.fetch": a word for the block, then the action
  std::vector<EventSource> sources;  // added up
  std::string_view unit;  // what is counted
  /// The place of its energy in the tree of the machine: a path below the block's node, always a leaf. Empty: the node
  /// itself.
  std::string_view place;
  /// Counter of the per-instruction profile that counts the same event per program counter. Empty: the event belongs to
  /// no instruction. `times` and `weight` are those of the source.
  EventSource line = {};
  std::string_view doc;
};

/// The power of an idle block.
struct IdleEnergy {
  std::string_view place;  // as in EnergyEvent
  std::string_view doc;  // "a SIMT core without its caches"
};

/// A wait reason of a cycle account, and its wording: {"fence", "memory accesses before a fence"}.
struct Reason {
  std::string_view name, waits_for;
  /// Types of the blocks that cause the wait, the nearest first; their accounts show where the time went. Empty: the
  /// block itself.
  std::vector<std::string_view> blocks = {};
};

/// A shared data path. Its utilization is the sum of `counters` divided by the maximum that `peak` allows.
struct Channel {
  std::string_view name;  // "main memory"; if several of a type have one name, the fullest counts
  CounterNames counters;  // of one block, added up
  std::string_view peak;  // the property with the maximum per cycle of the block's clock; empty: 1
};

/// How the report names this type as the limit: "<sentence> 62 % of the run; most of the rest is spent waiting for
/// <waits_for>". Among types that did work, the lowest rank provides the sentence.
struct Limiter {
  std::string_view sentence;  // "The matrix unit computes for"; empty: a run is never limited by it
  unsigned rank = 0;
  std::string_view account, busy;  // the account of its time, and the reason that means work
  CounterNames worked;  // a block was idle if all of them are 0; empty: it is never idle
};

/// A chart in the summary of a run: the shares of an account's reasons.
struct TimeChart {
  /// With a "{}" for a count, "issue slots of {} cores": one chart for all blocks of the type. With a "{}" for a
  /// number, "matrix unit {}": one chart per block, numbered within its cluster; of many clusters, one per number.
  std::string_view title;
  bool together = false;
  std::string_view account;
  CounterNames shown_for = {};  // no chart if all of them are 0; empty: always a chart
};

/// A number over time in traces: the sum of counters over all blocks of the type.
struct MeterKind {
  std::string_view name, unit;  // "DRAM reads", "requests"
  CounterNames counters;
};

/// A figure of the whole run: the sum of counters over all blocks of the type.
struct FigureKind {
  std::string_view name;  // "warp_instructions"
  CounterNames counters;
};

/// The roof of a block type: its multiply-accumulates, and the most of them it can do per cycle.
struct Arithmetic {
  std::string_view counter;  // empty: the type has no arithmetic
  std::string_view peak;  // the property with the maximum per cycle
  /// Types with the same name here are reported as one unit. Empty: each block is a unit.
  std::string_view together;
  /// What is counted apart: `rate` of them take the time of one of `counter`.
  struct Kind {
    std::string_view counter;
    double rate = 1;
  };
  std::vector<Kind> others = {};

  struct Work {
    std::uint64_t macs = 0;  // all kinds
    double at_peak = 0;  // as many of `counter` would have taken as long

    void add(std::uint64_t more, double rate) {
      macs += more;
      at_peak += static_cast<double>(more) / rate;
    }
  };
  /// Adds the multiply-accumulates of all kinds; `counted(CounterNames)` sums counters.
  template <class Counted>
  void add_to(Work& work, const Counted& counted) const {
    work.add(counted(CounterNames{counter}), 1);
    for (const Kind& kind : others) work.add(counted(CounterNames{kind.counter}), kind.rate);
  }
};

/// A type of block. The folder of a block has one static object, and a KnownBlockType next to it.
struct BlockType {
  /// After all types with an explicit order.
  static constexpr unsigned kLast = 1000;

  std::string_view name;  // "dma"
  /// Position among the types in tables and documents; types with equal order are sorted by name.
  unsigned order = kLast;

  /// The type whose instances contain this one: the nth block of this type in a cluster is part of the nth block of
  /// that type. Empty: it is not contained. The only block of its type in a cluster with several containers is also not
  /// contained.
  std::string_view inside = {};
  /// The name of its node in the energy tree; empty: the name of the instance.
  std::string_view node = {};
  /// The plural that names all of them, "cores"; empty: that of its container, or `name`.
  std::string_view units = {};
  /// True: its energy is reported separately and does not scale with the chip's technology and voltage.
  bool off_chip = false;

  std::vector<EnergyEvent> events = {};
  std::optional<IdleEnergy> idle = {};
  std::string_view free = {};  // the reason why none of its energy is counted as an event

  std::vector<Reason> reasons = {};  // those reasons of its accounts that are waits
  Limiter limiter = {};
  Arithmetic arithmetic = {};
  std::vector<Channel> channels = {};
  /// The configuration group that holds the parameters of such blocks: the last part of its path. Empty: `name`.
  std::string_view parameters = {};

  std::vector<TimeChart> charts = {};  // in a run's summary
  CounterNames timeline_accounts = {};  // over time, in reports
  CounterNames timeline_counters = {};  // the same
  std::vector<MeterKind> meters = {};  // in traces
  std::vector<FigureKind> figures = {};  // in a run's results
};

/// The type of a block that declares none: it is shown under its instance name, its counters appear in the statistics,
/// and it consumes no energy.
const BlockType& plain_block_type();

/// All types known to this program, sorted by `order`.
const std::vector<const BlockType*>& block_types();
/// Registers a type, which must live until the program ends. A machine registers the types of its blocks. Throws
/// std::logic_error if another type has this name.
void register_block_type(const BlockType& type);

/// Registers a type before main(), or when its plugin is loaded. Put it next to the definition of the block's type(),
/// so that a program knows the types of the blocks it links.
struct KnownBlockType {
  explicit KnownBlockType(const BlockType& type) { register_block_type(type); }
};

/// True if `name` matches `pattern`, in which one '*' matches any text.
bool matches(std::string_view pattern, std::string_view name);
/// True if `name` matches one of `patterns`.
bool matches(const CounterNames& patterns, std::string_view name);

}  // namespace spica::base

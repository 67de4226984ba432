// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/protocol/ports/gate_if.h"
#include "models/protocol/ports/probe_if.h"
#include "platform/machine/loader/source_map.h"
#include "platform/machine/soc/run_control.h"
#include "platform/observe/debug/stop.h"
#include "platform/observe/debug/watchpoints.h"

namespace spica::debug {

/// What a warp may do when the machine continues.
struct Order {
  enum class Kind : std::uint8_t {
    kGo,     // until something stops the machine
    kStep,   // one instruction
    kRange,  // while its pc stays in [begin, end)
    kHold,   // nothing
  };
  Kind kind = Kind::kGo;
  std::uint32_t begin = 0, end = 0;
  static constexpr unsigned kAnyLane = ~0u;
  unsigned lane = kAnyLane;  // lane that is shown: a step ends only where it is active

  /// True if a step ends when the warp reaches `pc` with these lanes.
  bool done_at(std::uint32_t pc, std::uint32_t active) const {
    if (lane != kAnyLane && (active >> lane & 1) == 0) return false;
    return kind == Kind::kStep || (kind == Kind::kRange && (pc < begin || pc >= end));
  }
};

/// Decides at the gate which warps continue, and detects reasons to stop: breakpoints, finished steps, accesses to
/// watched memory, events. The first reason holds all warps before their next instruction, and the machine comes to
/// rest. Reasons found meanwhile are kept for the next stop.
class Supervisor final : public protocol::GateIf, public protocol::ProbeIf {
 public:
  Supervisor(soc::RunControl& control, const loader::SourceMap& sources);

  /// attach() takes control: every warp asks, and all events are observed. detach() releases it and removes all
  /// breakpoints.
  void attach();
  void detach();

  // -- breakpoints; `kind` as in gdb's Z packets: '0' software, '1' hardware
  /// With conditions (agent expressions), it stops if one of them holds for an active lane, which is then shown, or if
  /// one cannot be evaluated.
  void insert_breakpoint(char kind, std::uint32_t address, std::vector<std::string> conditions);
  void remove_breakpoint(char kind, std::uint32_t address) { breakpoints_.erase({address, kind}); }
  bool has_breakpoint(std::uint32_t address) const;
  Watchpoints& watchpoints() { return watchpoints_; }
  /// Enables or disables stops at an event; returns false if nothing changed.
  bool break_on(Event event, bool on);
  bool breaks_on(Event event) const { return events_[static_cast<unsigned>(event)]; }

  // -- while the machine is stopped
  /// Sets the orders of all warps. The warp of the last stop may pass a breakpoint at its pc. gdb removes its
  /// watchpoints for a step away from one; units continue meanwhile, and their accesses to watched memory are recorded.
  void go(const std::vector<Order>& orders, bool from_watchpoint = false);
  /// Stops for a reason from outside.
  void stop(Stop stop);
  /// The reason to stop, if any; and whether a warp is held by its order.
  const Stop& reason() const { return stop_; }
  const Order& order(unsigned warp) const { return states_[warp].order; }
  bool holds_some() const { return holds_some_; }
  // -- the past: the run is determined by the grants of warps, in the cycle mode also by the times of resumptions
  /// Number of grants to execute an instruction since attach().
  std::uint64_t position() const { return position_; }
  struct Work {
    protocol::Origin origin;
    protocol::UnitWork::Kind kind;
    protocol::Piece from, to;
  };
  using Works = std::map<std::pair<unsigned, std::uint32_t>, Work>;  // under way, by source and id
  /// An instruction that a warp may issue, first granted at `position`. The warp asks again while its unit is busy.
  struct Grant {
    std::uint32_t pc;
    std::uint64_t position;
  };
  using Grants = std::vector<std::optional<Grant>>;  // by warp: not issued yet
  /// The position of the run among its decisions, for replay().
  struct Place {
    std::uint64_t position;
    std::size_t refusals, resumptions;
    Works works;
    Grants grants;
  };
  Place place() const { return {position_, next_refusal_, next_resumption_, works_, grants_}; }
  /// The machine has been restored to this place: until the next stop, at `target`, the same grants are repeated.
  /// `stays`: the run continues freely from the target, and its old future is dropped.
  void replay(const Place& from, std::uint64_t target, bool stays);
  /// The next cycle at which warps resumed after a stop in the replay, if any: run the machine to it, then call
  /// resume().
  std::optional<base::Cycle> resumption() const;
  /// The cycle that the machine has reached, even if nothing happened in it.
  base::Cycle reached() const;
  void resume();
  /// The replay has reached its target, or cannot.
  void end_replay();
  struct Found {
    std::uint64_t position;
    Stop stop;
  };
  /// The last reason to stop that the replay has passed, and its position.
  const std::optional<Found>& found() const { return found_; }
  /// The last instruction of a warp in the replay, up to this place.
  std::optional<std::uint64_t> last_move(unsigned warp, const Place& end) const;

  /// Makes a reason that was found with an earlier one, or while the machine came to rest, the current reason; drops
  /// those no longer requested. False: there is none.
  bool next_reason();

  // protocol::GateIf
  bool may_issue(const protocol::InstructionEvent& event) override;
  // protocol::ProbeIf
  void on_issue(const protocol::InstructionEvent& event) override;
  void on_barrier_arrival(base::Cycle, const protocol::Origin& origin, unsigned id, unsigned count) override;
  void on_barrier_release(base::Cycle, unsigned core, unsigned id) override;
  void on_command(base::Cycle, unsigned source, const protocol::Origin& origin, std::uint32_t word) override;
  void on_work_begin(base::Cycle, unsigned source, const protocol::UnitWork& work) override;
  void on_work_end(base::Cycle, unsigned source, std::uint32_t id) override;

 private:
  struct WarpState {
    Order order;
    bool asked = false;  // since the machine continued
    bool moved = false;  // it has executed an instruction since then
    std::uint32_t first_pc = 0;  // where it asked first
    bool pass_breakpoint = false, pass_watch = false;  // it may continue from pass_pc despite them
    std::uint32_t pass_pc = 0;
  };
  unsigned index(unsigned core, unsigned warp) const { return core * warps_ + warp; }
  bool find_breakpoint(const protocol::InstructionEvent& event, Stop& stop) const;
  bool watched_access(const protocol::InstructionEvent& event, Stop stop);
  bool may_issue_again(const protocol::InstructionEvent& event, unsigned warp);
  void look_again(const protocol::InstructionEvent& event, unsigned warp);
  bool refuse(unsigned warp);
  bool grant(unsigned warp, std::uint32_t pc);
  void end_grant(unsigned warp);
  bool timed() const { return control_.machine().params().run.mode == soc::Mode::kCycle; }
  void forget_future();
  std::string who(const protocol::Origin& origin) const;
  void note(Stop stop);

  soc::RunControl& control_;
  const loader::SourceMap& sources_;
  const unsigned warps_;  // per core
  std::vector<WarpState> states_;
  std::map<std::pair<std::uint32_t, char>, std::vector<std::string>> breakpoints_;  // their conditions
  Watchpoints watchpoints_, of_units_;  // of gdb; those for the work of units
  bool from_watchpoint_ = false;
  bool events_[kEvents] = {};
  Works works_;
  std::map<std::pair<unsigned, unsigned>, std::set<unsigned>> released_;  // cores, by cluster and barrier
  bool holds_some_ = false;
  Stop stop_;
  std::deque<Stop> later_;
  std::uint64_t position_ = 0;
  std::vector<std::pair<std::uint64_t, unsigned>> refusals_;  // position and warp that was held
  std::size_t next_refusal_ = 0;
  std::vector<base::Cycle> resumptions_;  // in the cycle mode: in which warps asked again
  std::size_t next_resumption_ = 0;
  std::optional<std::uint64_t> target_;  // of a replay
  bool stays_ = false;  // at the target
  bool asks_ = false;  // a warp is asking: nothing of its instruction has happened
  std::optional<Found> found_;
  Grants grants_;
  std::vector<std::optional<std::uint64_t>> moves_;  // by warp
};

}  // namespace spica::debug

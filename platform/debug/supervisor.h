// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/protocol/gate_if.h"
#include "models/protocol/probe_if.h"
#include "platform/debug/stop.h"
#include "platform/soc/run_control.h"

namespace spica::debug {

/// What a warp may do when the machine goes on.
struct Order {
  enum class Kind : std::uint8_t {
    kGo,     // until something stops the machine
    kStep,   // one instruction
    kRange,  // while its pc stays in [begin, end)
    kHold,   // nothing
  };
  Kind kind = Kind::kGo;
  std::uint32_t begin = 0, end = 0;
};

/// Decides at the gate which warp goes on, and notices why the machine should stop: breakpoints, finished
/// steps, accesses to watched memory, events. It stops nothing by itself: the first reason holds all warps
/// before their next instruction, and the machine comes to rest; reasons found on the way there are kept
/// for the next time.
class Supervisor final : public protocol::GateIf, public protocol::ProbeIf {
 public:
  explicit Supervisor(soc::RunControl& control);

  /// Takes the machine under control: every warp asks, and all events come here. Or lets it go, and forgets all
  /// breakpoints.
  void attach();
  void detach();

  // -- breakpoints; `kind` as in gdb's Z packets: '0' software, '1' hardware, '2' write, '3' read, '4' access
  void insert(char kind, std::uint32_t address, std::uint32_t bytes);
  void remove(char kind, std::uint32_t address, std::uint32_t bytes);
  bool has_breakpoint(std::uint32_t address) const;
  /// Events that stop: returns false when it was so already.
  bool break_on(Event event, bool on);
  bool breaks_on(Event event) const { return events_[static_cast<unsigned>(event)]; }

  // -- the machine stands still
  /// What each warp may do from now on. The warp of the last stop may pass a breakpoint at its pc.
  void go(const std::vector<Order>& orders);
  /// Stops for a reason from outside.
  void stop(Stop stop);
  /// The reason to stop, if there is one; and whether a warp is held by its order.
  const Stop& reason() const { return stop_; }
  const Order& order(unsigned warp) const { return states_[warp].order; }
  bool holds_some() const { return holds_some_; }
  /// A reason that was found while the machine came to rest becomes the reason. False: there is none.
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
    bool asked = false;         // since the machine goes on
    bool moved = false;         // it has executed an instruction since then
    std::uint32_t first_pc = 0; // where it asked first
    bool may_pass = false;      // the breakpoint at pass_pc, once
    std::uint32_t pass_pc = 0;
  };
  struct Watch {
    char kind;
    std::uint32_t address, bytes;
    bool operator<(const Watch& other) const {
      return std::tie(kind, address, bytes) < std::tie(other.kind, other.address, other.bytes);
    }
  };
  struct Work {
    protocol::Origin origin;
    protocol::UnitWork::Kind kind;
    protocol::Piece from, to;
  };
  unsigned index(unsigned core, unsigned warp) const { return core * warps_ + warp; }
  const Watch* find_watch(std::uint64_t address, std::uint64_t bytes, bool reads, bool writes) const;
  const Watch* find_watch(const protocol::Piece& piece, std::uint32_t& address) const;
  std::uint32_t address_of(const protocol::Piece& piece) const;
  void note(Stop stop);

  soc::RunControl& control_;
  const unsigned warps_;  // per core
  std::vector<WarpState> states_;
  std::set<std::pair<std::uint32_t, char>> breakpoints_;
  std::set<Watch> watches_;
  bool events_[kEvents] = {};
  std::map<std::pair<unsigned, std::uint32_t>, Work> works_;  // under way, by source and id
  std::map<std::pair<unsigned, unsigned>, std::set<unsigned>> released_;  // cores, by cluster and barrier
  bool holds_some_ = false;
  Stop stop_;
  std::deque<Stop> later_;
};

}  // namespace spica::debug

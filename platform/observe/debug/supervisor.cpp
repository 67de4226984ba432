// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/supervisor.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/clock_domain.h"
#include "platform/observe/debug/condition.h"
#include "platform/observe/report/fault_report.h"

namespace spica::debug {

namespace {

using protocol::Origin;
using protocol::Piece;
using protocol::UnitWork;

const char* work_name(UnitWork::Kind kind) {
  switch (kind) {
    case UnitWork::Kind::kLoad: return "DMA load";
    case UnitWork::Kind::kStore: return "DMA store";
    case UnitWork::Kind::kPreload: return "preload";
    case UnitWork::Kind::kCompute: return "compute";
    case UnitWork::Kind::kTensor: return "tensor tile";
  }
  return "?";
}

const char* watch_name(bool writes) { return writes ? "write to" : "read of"; }

}  // namespace

Supervisor::Supervisor(soc::RunControl& control, const loader::SourceMap& sources)
    : control_(control),
      sources_(sources),
      warps_(static_cast<unsigned>(control.machine().params().cluster.core.warps)) {
  states_.resize(control.machine().view_count() * warps_);
  moves_.resize(states_.size());
  grants_.resize(states_.size());
}

/// Who did it, and where in the program.
std::string Supervisor::who(const Origin& origin) const {
  std::string text = report::origin_text(origin);
  if (report::has_pc(origin))
    text +=
        fmt::format(", pc {:#010x} in {}", origin.pc, report::frame_text(sources_.lookup(origin.pc).frame));
  return text;
}

void Supervisor::attach() {
  stop_ = {};
  position_ = 0;
  refusals_.clear();
  resumptions_.clear();
  next_refusal_ = next_resumption_ = 0;
  grants_.assign(states_.size(), std::nullopt);
  control_.machine().watch(*this);
  control_.machine().set_gate(this);
}

void Supervisor::detach() {
  holds_some_ = false;
  breakpoints_.clear();
  watchpoints_.clear();
  of_units_.clear();
  std::fill(std::begin(events_), std::end(events_), false);
  works_.clear();
  released_.clear();
  later_.clear();
  stop_ = {};
  states_.assign(states_.size(), {});
  control_.machine().set_gate(nullptr);
  control_.machine().unwatch(*this);
}

void Supervisor::insert_breakpoint(char kind, std::uint32_t address, std::vector<std::string> conditions) {
  breakpoints_[{address, kind}] = std::move(conditions);
}

bool Supervisor::has_breakpoint(std::uint32_t address) const {
  const auto found = breakpoints_.lower_bound({address, '\0'});
  return found != breakpoints_.end() && found->first.first == address;
}

bool Supervisor::break_on(Event event, bool on) {
  bool& state = events_[static_cast<unsigned>(event)];
  const bool changes = state != on;
  state = on;
  return changes;
}

void Supervisor::go(const std::vector<Order>& orders, bool from_watchpoint) {
  holds_some_ = false;
  from_watchpoint_ = from_watchpoint;
  if (!from_watchpoint) of_units_ = watchpoints_;
  soc::Machine& machine = control_.machine();
  for (unsigned i = 0; i < states_.size(); ++i) {
    WarpState& state = states_[i];
    state.order = orders[i];
    state.asked = state.moved = false;
    state.first_pc = 0;
    const soc::WarpView view = machine.warp_view(i / warps_, i % warps_);
    const bool steps = orders[i].kind == Order::Kind::kStep || orders[i].kind == Order::Kind::kRange;
    const bool stopped = stop_.has_warp && stop_.warp == i;
    state.pass_breakpoint = steps || stopped;
    state.pass_watch = stopped && stop_.kind == Stop::Kind::kWatchpoint;
    state.pass_pc = view.pc;
    holds_some_ |= view.running && orders[i].kind == Order::Kind::kHold;
  }
  stop_ = {};
  if (timed()) resumptions_.push_back(reached());
  next_resumption_ = resumptions_.size();
  machine.set_gate(this);  // the held ones ask again
}

void Supervisor::stop(Stop stop) { stop_ = std::move(stop); }

bool Supervisor::next_reason() {
  while (!later_.empty()) {
    stop_ = std::move(later_.front());
    later_.pop_front();
    if (stop_.kind == Stop::Kind::kEvent ? breaks_on(stop_.event)
                                         : watchpoints_.wants(stop_.watch, stop_.address))
      return true;
    stop_ = {};
  }
  return false;
}

/// Something that will not come again is kept when the machine is already about to stop, or when gdb makes a step
/// in which it expects nothing else.
void Supervisor::note(Stop stop) {
  if (target_) {
    found_ = Found{asks_ ? position_ : position_ - 1, std::move(stop)};
    return;
  }
  const bool once = stop.kind == Stop::Kind::kEvent || (stop.kind == Stop::Kind::kWatchpoint && stop.done);
  if (once && (from_watchpoint_ || stop_.kind != Stop::Kind::kNone)) {
    later_.push_back(std::move(stop));
    return;
  }
  if (stop_.kind != Stop::Kind::kNone) return;
  stop_ = std::move(stop);
  control_.halt();
}

/// In the fast mode nothing moves between a stop and the next go(), when the warp asks again; in the cycle mode others
/// continue, and the warp asks on request.
bool Supervisor::refuse(unsigned warp) {
  const bool held = stop_.kind == Stop::Kind::kNone;
  if (held || timed()) {
    refusals_.emplace_back(position_, warp);
    next_refusal_ = refusals_.size();
  }
  return false;
}

/// The warp may issue what is at `pc`. False: it might already, and asks again.
bool Supervisor::grant(unsigned warp, std::uint32_t pc) {
  if (grants_[warp]) return false;
  grants_[warp] = Grant{pc, position_};
  return true;
}

/// What was granted has issued, or trapped.
void Supervisor::end_grant(unsigned warp) {
  if (grants_[warp]) moves_[warp] = grants_[warp]->position;
  grants_[warp].reset();
}

/// A replay ends when the debugger asks: what was granted before may issue behind that, and has at `end`.
std::optional<std::uint64_t> Supervisor::last_move(unsigned warp, const Place& end) const {
  const std::optional<Grant>&here = grants_[warp], &then = end.grants[warp];
  const bool issued = here && (!then || then->position != here->position);
  return issued ? here->position : moves_[warp];
}

bool Supervisor::may_issue(const protocol::InstructionEvent& event) {
  const unsigned warp = index(event.origin.core, event.origin.warp);
  if (grants_[warp] && grants_[warp]->pc != event.origin.pc) end_grant(warp);
  if (stop_.kind != Stop::Kind::kNone) return target_ ? false : refuse(warp);
  if (target_) return may_issue_again(event, warp);
  WarpState& state = states_[warp];
  const Order& order = state.order;
  if (order.kind == Order::Kind::kHold) return refuse(warp);

  const std::uint32_t pc = event.origin.pc;
  if (!state.asked) {
    state.asked = true;
    state.first_pc = pc;
  }
  const bool moved = state.moved || pc != state.first_pc;  // a trap moves without an instruction
  const bool done = order.done_at(pc, event.origin.lanes);
  const bool back = !moved && state.pass_pc == pc;  // still where it stopped
  Stop stop;
  stop.has_warp = true;
  stop.warp = warp;
  if (!(back && state.pass_breakpoint) && find_breakpoint(event, stop)) {
    stop.kind = Stop::Kind::kBreakpoint;
  } else if (moved && done) {
    stop.kind = Stop::Kind::kStepped;
  } else {
    const bool allowed = (back && state.pass_watch) || !watched_access(event, stop);
    if (!allowed) return refuse(warp);
    grant(warp, pc);
    ++position_;
    return true;
  }
  note(std::move(stop));
  return refuse(warp);
}

void Supervisor::replay(const Place& from, std::uint64_t target, bool stays) {
  stop_ = {};
  later_.clear();
  works_ = from.works;
  grants_ = from.grants;
  position_ = from.position;
  next_refusal_ = from.refusals;
  next_resumption_ = from.resumptions;
  target_ = target;
  stays_ = stays;
  found_.reset();
  of_units_ = watchpoints_;
  std::fill(moves_.begin(), moves_.end(), std::nullopt);
}

std::optional<base::Cycle> Supervisor::resumption() const {
  if (next_resumption_ == resumptions_.size()) return std::nullopt;
  return resumptions_[next_resumption_];
}

/// A machine that sleeps stays in the cycle of its last event, while time passes.
base::Cycle Supervisor::reached() const {
  return std::max(control_.machine().now(), control_.machine().clock().current());
}

void Supervisor::resume() {
  ++next_resumption_;
  control_.machine().set_gate(this);
}

void Supervisor::forget_future() {
  target_.reset();
  refusals_.resize(next_refusal_);
  resumptions_.resize(next_resumption_);
}

void Supervisor::end_replay() {
  if (target_ && stays_) forget_future();
  target_.reset();
  stop_.kind = Stop::Kind::kReplayed;  // until the caller knows what it is
}

/// What happens once more; reasons to stop are kept.
bool Supervisor::may_issue_again(const protocol::InstructionEvent& event, unsigned warp) {
  if (position_ == *target_) {
    stop_.kind = Stop::Kind::kReplayed;
    control_.halt();
    if (!stays_) return false;
    forget_future();
    return refuse(warp);
  }
  if (next_refusal_ < refusals_.size() && refusals_[next_refusal_] == std::pair(position_, warp)) {
    ++next_refusal_;
    return false;
  }
  if (grant(warp, event.origin.pc)) look_again(event, warp);
  ++position_;
  return true;
}

/// Keeps what stops at an instruction that is about to issue once more.
void Supervisor::look_again(const protocol::InstructionEvent& event, unsigned warp) {
  Stop stop;
  stop.has_warp = true;
  stop.warp = warp;
  asks_ = true;
  if (find_breakpoint(event, stop)) {
    stop.kind = Stop::Kind::kBreakpoint;
    note(std::move(stop));
  } else {
    watched_access(event, std::move(stop));
  }
  asks_ = false;
}

void Supervisor::on_issue(const protocol::InstructionEvent& event) {
  const unsigned warp = index(event.origin.core, event.origin.warp);
  states_[warp].moved = true;
  end_grant(warp);
}

/// A breakpoint at the warp's pc that stops it.
bool Supervisor::find_breakpoint(const protocol::InstructionEvent& event, Stop& stop) const {
  const auto first = breakpoints_.lower_bound({event.origin.pc, '\0'});
  for (auto at = first; at != breakpoints_.end() && at->first.first == event.origin.pc; ++at) {
    stop.watch = at->first.second;
    if (at->second.empty()) return true;
    for (const std::string& condition : at->second)
      if (holds(condition, control_.machine(), event, states_[stop.warp].order.lane, stop.lanes)) return true;
  }
  return false;
}

/// The instruction is about to touch watched memory. gdb expects a stop before it, as RISC-V triggers do:
/// it steps over the instruction and then looks at the memory. One stop for each watchpoint.
bool Supervisor::watched_access(const protocol::InstructionEvent& event, Stop stop) {
  for (const Watchpoints::Hit& hit : watchpoints_.of_access(event)) {
    stop.done = stop.kind == Stop::Kind::kWatchpoint;  // the later ones come when it is over
    stop.kind = Stop::Kind::kWatchpoint;
    stop.watch = hit.kind;
    stop.address = hit.address;
    stop.text = fmt::format("{} {:#010x} by {}, lanes {}\n", watch_name(hit.write), hit.address,
                            who(event.origin), report::lanes_text(hit.lanes));
    note(stop);
  }
  return stop.kind == Stop::Kind::kWatchpoint;
}

void Supervisor::on_barrier_arrival(base::Cycle, const Origin& origin, unsigned, unsigned) {
  const unsigned warp = index(origin.core, origin.warp);
  if (!states_[warp].order.done_at(origin.pc + 4, origin.lanes)) return;
  Stop stop;  // the instruction is done, and the next one may be far away
  stop.kind = Stop::Kind::kStepped;
  stop.has_warp = true;
  stop.warp = warp;
  note(std::move(stop));
}

void Supervisor::on_barrier_release(base::Cycle, unsigned core, unsigned id) {
  // It is released once for all cores of the cluster: the first one reports it.
  soc::Machine& machine = control_.machine();
  const auto cores = static_cast<unsigned>(machine.params().cluster.cores);
  const unsigned cluster = core / cores;
  std::set<unsigned>& gone = released_[{cluster, id}];
  const bool first = gone.empty() || !gone.insert(core).second;
  if (first) gone = {core};
  if (gone.size() == cores) gone.clear();
  if (!first || !breaks_on(Event::kBarrier)) return;
  Stop stop;
  stop.kind = Stop::Kind::kEvent;
  stop.event = Event::kBarrier;
  stop.signal = 0;
  for (unsigned w = 0; w < warps_ && !stop.has_warp; ++w) {
    const soc::WarpView view = machine.warp_view(core, w);
    stop.has_warp = view.running && view.at_barrier && view.barrier_id == id;
    stop.warp = index(core, w);
  }
  stop.text = fmt::format("barrier {} of cluster {} is released\n", id, cluster);
  note(std::move(stop));
}

void Supervisor::on_command(base::Cycle, unsigned source, const Origin& origin, std::uint32_t word) {
  if (!breaks_on(Event::kCommand)) return;
  Stop stop;
  stop.kind = Stop::Kind::kEvent;
  stop.event = Event::kCommand;
  stop.signal = 0;
  stop.has_warp = origin.unit == Origin::Unit::kCore;
  stop.warp = index(origin.core, origin.warp);
  stop.text =
      fmt::format("command {:#x} to {} by {}\n", word, control_.machine().source_name(source), who(origin));
  note(std::move(stop));
}

void Supervisor::on_work_begin(base::Cycle, unsigned source, const UnitWork& work) {
  works_[{source, work.id}] = {work.origin, work.kind, work.from, work.to};
}

void Supervisor::on_work_end(base::Cycle, unsigned source, std::uint32_t id) {
  const auto found = works_.find({source, id});
  if (found == works_.end()) return;  // it began before gdb came
  const Work work = found->second;
  works_.erase(found);
  Stop stop;
  stop.has_warp = work.origin.unit == Origin::Unit::kCore;
  stop.warp = index(work.origin.core, work.origin.warp);
  const std::string name = fmt::format("{} of {}, issued by {}", work_name(work.kind),
                                       control_.machine().source_name(source), who(work.origin));
  const auto shared = static_cast<std::uint32_t>(control_.machine().params().cluster.memory_map.shared_base);
  for (const Piece* piece : {&work.to, &work.from})
    for (const Watchpoints::Hit& hit : of_units_.of_piece(*piece, shared)) {
      stop.kind = Stop::Kind::kWatchpoint;
      stop.done = true;
      stop.watch = hit.kind;
      stop.address = hit.address;
      stop.text = fmt::format("{} {:#010x} by a {}\n", watch_name(hit.write), hit.address, name);
      note(stop);
    }
  if (!breaks_on(Event::kMove) || (work.kind != UnitWork::Kind::kLoad && work.kind != UnitWork::Kind::kStore))
    return;
  stop.kind = Stop::Kind::kEvent;
  stop.event = Event::kMove;
  stop.signal = 0;
  stop.text = fmt::format("end of a {}\n", name);
  note(std::move(stop));
}

}  // namespace spica::debug

// SPDX-License-Identifier: Apache-2.0
// The run from gdb's first packet to the end of the program: who lets the machine go, who stops it.
#include "platform/observe/debug/server.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "platform/observe/report/fault_report.h"

namespace spica::debug {

namespace {

using RunState = soc::RunControl::RunState;
using protocol::FaultKind;

constexpr base::Cycle kPiece = 5'000;      // between two looks at the connection
constexpr base::Cycle kSettlePiece = 8;    // while the machine comes to rest
constexpr base::Cycle kSettleLimit = 100'000;
constexpr base::Cycle kBarrierLatency = 100;  // at most, from the last arrival until the warps continue

// gdb's numbers of signals. With none gdb prints "stopped", and a step in progress also ends.
constexpr int kNone = 0, kInterrupted = 2, kIllegal = 4, kTrap = 5, kAborted = 6, kSegmentation = 11;

int signal_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::kMisalignedAccess:
    case FaultKind::kUnmappedAccess:
    case FaultKind::kStackOverflow:
    case FaultKind::kAtomicRefused:
    case FaultKind::kAccessError:
    case FaultKind::kRegisterSize:
    case FaultKind::kUnitAccess:
    case FaultKind::kTilePlace:
    case FaultKind::kMisalignedFetch:
    case FaultKind::kUnmappedFetch: return kSegmentation;
    case FaultKind::kBreakpoint: return kTrap;
    case FaultKind::kAssertion:
    case FaultKind::kAbort: return kAborted;
    default: return kIllegal;
  }
}

}  // namespace

Server::Server(soc::RunControl& control, unsigned short port, const loader::SourceMap& sources,
               const std::filesystem::path& root, Explain explain)
    : control_(control),
      sources_(sources),
      explain_(std::move(explain)),
      connection_(port),
      supervisor_(control, sources),
      history_(control, supervisor_),
      target_(control.machine()),
      monitor_(target_, supervisor_, sources, root) {}

Server::End Server::run() {
  connection_.wait_for_client();
  attach();
  for (;;) {
    if (attached_) {
      if (const auto end = serve_stop()) return *end;
      continue;
    }
    if (control_.advance(control_.machine().now() + kPiece) != RunState::kGoing) return End::kProgram;
    connection_.poll();
    if (connection_.open()) attach();
  }
}

/// gdb has come: the machine stops where it is.
void Server::attach() {
  attached_ = true;
  supervisor_.attach();
  target_.forget_lanes();
  step_thread_ = ~0u;
  told_faults_ = control_.faults().size();
  Stop stop;
  stop.kind = Stop::Kind::kAttached;
  supervisor_.stop(std::move(stop));
  history_.begin();
  final_ = false;
  const RunState rest = come_to_rest();
  if (rest != RunState::kGoing) understand(rest);
  current_ = target_.threads(0).front();
}

/// gdb goes, with or without a word: the program runs on alone.
void Server::detach() {
  connection_.close();
  supervisor_.detach();
  history_.forget();
  attached_ = false;
  going_ = false;
}

RunState Server::advance(base::Cycle cycles) {
  const RunState rest = control_.advance(control_.machine().now() + cycles);
  const auto& faults = control_.faults();
  for (; told_faults_ < faults.size(); ++told_faults_)
    print(report::format_fault(faults[told_faults_], {&sources_, control_.machine().params().core_mhz(),
                                                      control_.machine().params().cluster.tensor_style()}));
  return rest;
}

/// Lets everything under way finish, with all warps held.
RunState Server::come_to_rest() {
  RunState rest = RunState::kGoing;
  for (base::Cycle spent = 0; spent < kSettleLimit && !control_.machine().at_rest(); spent += kSettlePiece) {
    rest = advance(kSettlePiece);
    if (rest == RunState::kEnded || rest == RunState::kDeadlock) break;  // nothing moves any more
  }
  return rest == RunState::kEnded || rest == RunState::kFault ? rest : RunState::kGoing;
}

/// Answers gdb until it resumes the machine; then lets the machine run until the next stop.
std::optional<Server::End> Server::serve_stop() {
  for (;;) {
    const std::optional<std::string> packet = connection_.wait_for_packet();
    if (!packet) {
      fmt::print(stderr, "gdb: the connection is lost; the program continues without it.\n");
      detach();
      return std::nullopt;
    }
    switch (handle(*packet)) {
      case Wish::kNone: break;
      case Wish::kDetach: detach(); return std::nullopt;
      case Wish::kKill: detach(); return End::kKilled;
      case Wish::kGo: return go();
      case Wish::kStepBack: go_back(true); break;
      case Wish::kGoBack: go_back(false); break;
    }
  }
}

/// The run as it was earlier.
void Server::go_back(bool steps) {
  going_ = true;
  target_.end_peek();
  const unsigned warp = step_thread_ != ~0u ? step_thread_ : current_;
  Stop stop;
  if (steps && back_at_watch_) {  // gdb steps on in its direction before it looks at the memory: it is there
    stop.kind = Stop::Kind::kStepped;
    stop.has_warp = true;
    stop.warp = warp;
  } else {
    stop = steps ? history_.step_back(warp) : history_.go_back();
    final_ = false;
  }
  back_at_watch_ = stop.kind == Stop::Kind::kWatchpoint;
  supervisor_.stop(std::move(stop));
  report_stop();
}

std::optional<Server::End> Server::go() {
  back_at_watch_ = false;
  if (final_) return end_with(fmt::format("X{:02x}", supervisor_.reason().signal));
  going_ = true;
  target_.end_peek();
  if (std::exchange(wrote_variable_, false))
    print(
        "note: a variable on a stack was written. Code of spica cc -Og uses the new value only if something has the "
        "variable's address; else the old value is in a register.\n");
  RunState rest = RunState::kGoing;
  const bool from_watchpoint = steps_from_watchpoint();
  if (from_watchpoint && supervisor_.reason().done) {
    Stop stop;  // the warp is already past the access
    stop.kind = Stop::Kind::kStepped;
    stop.has_warp = true;
    stop.warp = current_;
    supervisor_.stop(std::move(stop));
  } else if (from_watchpoint || !supervisor_.next_reason()) {
    for (unsigned warp = 0; warp < target_.warps(); ++warp)
      orders_[warp].lane = target_.lane_choice(warp).followed();
    supervisor_.go(orders_, from_watchpoint);
    if (!run_until_stop(rest)) {
      fmt::print(stderr, "gdb: the connection is lost; the program continues without it.\n");
      detach();
      return std::nullopt;
    }
  }
  const auto ended = [this](RunState reached) { return reached != RunState::kGoing && !understand(reached); };
  if (ended(rest) || ended(come_to_rest()))
    return end_with(fmt::format("W{:02x}", control_.program_exit_code() & 0xFF));
  report_stop();
  return std::nullopt;
}

/// Behind an access to watched memory gdb steps once before it looks at the memory.
bool Server::steps_from_watchpoint() const {
  return supervisor_.reason().kind == Stop::Kind::kWatchpoint && orders_[current_].kind == Order::Kind::kStep;
}

/// False: gdb has gone. A stop request counts at once, even one that arrived before the machine continues: then
/// nothing moves.
bool Server::run_until_stop(RunState& rest) {
  while (rest == RunState::kGoing && supervisor_.reason().kind == Stop::Kind::kNone) {
    connection_.poll();
    if (!connection_.open()) return false;
    if (connection_.take_interrupt()) {
      Stop stop;
      stop.kind = Stop::Kind::kInterrupt;
      stop.has_warp = true;
      stop.warp = current_;
      stop.signal = kInterrupted;
      supervisor_.stop(std::move(stop));
      break;
    }
    const bool held_up = all_wait_for_held();
    rest = advance(held_up ? kBarrierLatency : kPiece);
    if (rest == RunState::kGoing) history_.save_if_due();
    if (held_up && rest == RunState::kGoing && supervisor_.reason().kind == Stop::Kind::kNone &&
        all_wait_for_held())
      supervisor_.stop(stop_of_held());
  }
  return true;
}

/// Turns a machine that makes no progress into a reason to stop. False: the program has ended.
bool Server::understand(RunState rest) {
  if (rest == RunState::kEnded) return false;
  Stop stop;
  stop.kind = Stop::Kind::kHang;
  stop.signal = kNone;
  if (rest == RunState::kFault) {
    if (final_) return true;
    const protocol::GuestFault& fault = control_.faults().back();
    stop.kind = Stop::Kind::kFault;
    stop.has_warp = report::has_pc(fault.origin);
    stop.warp = static_cast<unsigned>(fault.origin.core * control_.machine().params().cluster.core.warps +
                                      fault.origin.warp);
    stop.signal = signal_of(fault.kind);  // its text was sent when it occurred
    if (stop.has_warp) stop.lanes = fault.origin.lanes;
    final_ = true;
  } else if (supervisor_.reason().kind != Stop::Kind::kNone) {
    return true;  // all are held
  } else if (supervisor_.holds_some()) {
    stop = stop_of_held();
  } else {
    stop.text = explain_(rest);
  }
  supervisor_.stop(std::move(stop));
  return true;
}

/// Some warps are held, and all others wait for them or have ended.
bool Server::all_wait_for_held() {
  if (!supervisor_.holds_some()) return false;
  for (unsigned warp = 0; warp < target_.warps(); ++warp) {
    const soc::WarpView view = target_.view(warp);
    if (view.running && !view.at_barrier && supervisor_.order(warp).kind != Order::Kind::kHold) return false;
  }
  return true;
}

/// Those that may go wait for those that may not. One that has reached a breakpoint but waits at a barrier
/// before it has finished a step as well.
Stop Server::stop_of_held() {
  Stop stop;
  stop.has_warp = true;
  stop.warp = current_;
  for (unsigned warp = 0; warp < target_.warps(); ++warp) {
    const soc::WarpView view = target_.view(warp);
    if (supervisor_.order(warp).kind == Order::Kind::kHold || !view.running || !view.at_barrier) continue;
    if (!supervisor_.has_breakpoint(view.pc)) continue;
    stop.kind = Stop::Kind::kStepped;
    stop.warp = warp;
    return stop;
  }
  stop.kind = Stop::Kind::kHeld;
  stop.signal = kNone;
  stop.text = target_.running(current_)
                  ? "No progress while the other warps are held; to let them run: set scheduler-locking off\n"
                  : fmt::format("{} has ended\n", target_.name(current_));
  return stop;
}

void Server::report_stop() {
  target_.settle_lanes();
  const Stop& stop = supervisor_.reason();
  if (!stop.text.empty()) print(stop.text);
  if (stop.has_warp && (final_ || target_.running(stop.warp))) current_ = stop.warp;
  else if (!target_.running(current_)) current_ = target_.threads(current_).front();
  choose_lane_of_stop();
  connection_.send(stop_reply());
  going_ = false;
}

/// A stop that is about one lane shows that lane, and names it unless it is the one that is shown anyway.
void Server::choose_lane_of_stop() {
  Registers registers = target_.registers(current_);
  const std::uint32_t lanes = supervisor_.reason().lanes;
  if (lanes != 0 && (lanes >> registers.lane() & 1) == 0) {
    const unsigned lane = isa::scalar_lane(lanes);
    registers.choose_lane(lane);
    print(fmt::format("{}: this is lane {}; \"monitor lane auto\" goes back to the lane the warp follows\n",
                      target_.name(current_), lane));
  }
  const LaneChoice& choice = target_.lane_choice(current_);
  if (choice.suspended)
    print(fmt::format("{}: lane {} is not active here; this is lane {}\n", target_.name(current_),
                      choice.chosen, registers.lane()));
}

std::string Server::stop_reply() {
  const Stop& stop = supervisor_.reason();
  std::string text = fmt::format("T{:02x}thread:{:x};", stop.signal, current_ + 1);
  const Registers registers = target_.registers(current_);
  for (const unsigned number : {2u, 8u, reg::kPc})
    text += fmt::format("{:02x}:{};", number, to_hex(*registers.read(number)));
  if (stop.kind == Stop::Kind::kBreakpoint) text += stop.watch == '0' ? "swbreak:;" : "hwbreak:;";
  if (stop.kind == Stop::Kind::kWatchpoint)
    text += fmt::format("{}watch:{:x};",
                        stop.watch == '2'   ? ""
                        : stop.watch == '3' ? "r"
                                            : "a",
                        stop.address);
  if (stop.kind == Stop::Kind::kBegin) text += "replaylog:begin;";
  return text;
}

/// Text on gdb's console, while gdb waits for a stop.
void Server::print(const std::string& text) {
  if (!going_) return;
  constexpr std::size_t kMost = 2000;
  for (std::size_t i = 0; i < text.size(); i += kMost) connection_.send("O" + to_hex(text.substr(i, kMost)));
}

std::optional<Server::End> Server::end_with(const std::string& reply) {
  connection_.send(reply);
  going_ = false;
  detach();
  return End::kProgram;
}

}  // namespace spica::debug

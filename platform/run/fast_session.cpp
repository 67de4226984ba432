// SPDX-License-Identifier: Apache-2.0
#include "platform/run/fast_session.h"

#include <algorithm>
#include <ctime>

#include "platform/loader/user_error.h"
#include "platform/run/fast_diagnosis.h"

namespace spica::run {

namespace {

// How often the run looks up from simulating: for progress, hangs and limits.
constexpr base::Cycle kSlice = 100'000;

}  // namespace

FastSession::FastSession(const soc::SocParams& params, const loader::Program& program,
                         report::ConsoleCollector& console)
    : sc_module(sc_core::sc_module_name("session")),
      soc_("platform", params),
      program_(program),
      console_(console),
      host_({[this](std::uint64_t a, unsigned char* to, std::uint64_t n) { return soc_.read(a, to, n); },
             [this](std::uint64_t a, const unsigned char* from, std::uint64_t n) { return soc_.write(a, from, n); },
             [this] { return soc_.now(); }, [this] { soc_.pause(); },
             [this](std::uint64_t begin, std::uint64_t end, protocol::Reservations::Watcher watcher) {
               soc_.watch_stores(begin, end, std::move(watcher));
             },
             soc_.map()},
            program, console),
      hang_watch_(soc_) {
  soc_.fault.bind(*this);
  soc_.console.bind(*this);
  observe(hang_watch_);
}

void FastSession::observe(soc::RunObserver& observer) {
  observers_.push_back(&observer);
  soc_.tell_markers(observer);
}

void FastSession::report(const protocol::GuestFault& fault) {
  if (faulted_ && fault.severity == protocol::Severity::kFault) return;  // the first one counts
  faults_.push_back(fault);
  if (fault.severity != protocol::Severity::kFault) return;
  faulted_ = true;
  soc_.pause();
}

void FastSession::put(const protocol::Origin& origin, unsigned lane, const char* characters, unsigned count) {
  console_.put(origin, lane, characters, count);
}

void FastSession::load() {
  loader::check_segments(program_, soc_.memory_ranges());
  for (const loader::Segment& segment : program_.segments)
    if (!segment.bytes.empty()) soc_.write(segment.address, segment.bytes.data(), segment.bytes.size());
}

void FastSession::start() {
  soc_.launch(static_cast<std::uint32_t>(program_.entry));
  for (soc::RunObserver* observer : observers_) observer->begin(soc_.now());
}

Outcome FastSession::run(const Session::Progress& progress) {
  start();
  for (base::Cycle end = kSlice; advance(end) == Rest::kGoing; end = soc_.clock().now() + kSlice)
    if (progress) progress(soc_.clock().now());
  return finish();
}

soc::RunControl::Rest FastSession::advance(base::Cycle end) {
  const auto started = std::chrono::steady_clock::now();
  const std::clock_t cpu_started = std::clock();
  const base::Cycle limit = soc_.params().run.max_cycles;
  if (limit != 0) end = std::min(end, limit);
  halted_ = false;
  hang_watch_.forget();
  tohost_code_ = run_slice(end);
  rest_ = rest_after(end);
  host_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  cpu_clocks_ += std::clock() - cpu_started;
  return rest_;
}

soc::RunControl::Rest FastSession::rest_after(base::Cycle end) {
  const base::Cycle limit = soc_.params().run.max_cycles;
  if (tohost_code_) return Rest::kEnded;
  if (faulted_) return Rest::kFault;
  if (soc_.clock().asleep()) return soc_.any_warp_running() ? Rest::kDeadlock : Rest::kEnded;
  if (halted_) return Rest::kGoing;
  if (limit != 0 && end == limit) return Rest::kCycleLimit;
  return hang_watch_.finding() != watchdog::HangWatch::Finding::kNone ? Rest::kLivelock : Rest::kGoing;
}

void FastSession::halt() {
  halted_ = true;
  soc_.pause();
}

std::string FastSession::explain(Rest rest) {
  rest_ = rest;
  Outcome outcome;
  outcome.end = end_of(rest);
  outcome.activity = hang_watch_.activity();
  return explain_end(soc_, outcome, program_, *sources_).text;
}

std::uint32_t FastSession::exit_code() {
  return exit_code_of(program_, soc_.warp_view(0, 0).registers->row(3)[0]);
}

int FastSession::program_exit_code() {
  Outcome outcome;
  outcome.through_tohost = tohost_code_.has_value();
  outcome.guest_exit_code = tohost_code_ ? static_cast<std::uint32_t>(*tohost_code_) : exit_code();
  return outcome.exit_code();
}

Outcome FastSession::finish(bool killed) {
  Outcome outcome;
  outcome.end = killed && rest_ != Rest::kFault ? End::kKilled : end_of(rest_);
  if (outcome.end == End::kLivelock) outcome.activity = hang_watch_.activity();
  if (tohost_code_ && !killed) {
    outcome.through_tohost = true;
    outcome.guest_exit_code = static_cast<std::uint32_t>(std::min<std::uint64_t>(*tohost_code_, 0xFFFF'FFFF));
  }
  outcome.host_seconds = host_seconds_;
  outcome.cpu_seconds = static_cast<double>(cpu_clocks_) / CLOCKS_PER_SEC;
  console_.flush();
  outcome.cycles = soc_.now();
  for (soc::RunObserver* observer : observers_) observer->end(outcome.cycles);
  outcome.faults = faults_;
  if (!outcome.through_tohost) outcome.guest_exit_code = exit_code();
  outcome.has_markers = soc_.has_region();
  outcome.kernel_cycles = outcome.has_markers ? soc_.region_cycles() : outcome.cycles;
  return outcome;
}

/// Simulates up to `end`, or to where somebody pauses, with stops where observers want to look.
void FastSession::simulate_until(base::Cycle end) {
  base::ClockDomain& clock = soc_.clock();
  for (;;) {
    base::Cycle edge = base::kNever;
    for (const soc::RunObserver* observer : observers_) edge = std::min(edge, observer->next_edge());
    const base::Cycle stop = std::min(edge, end);
    clock.run_until(stop);
    if (faulted_ || halted_ || clock.asleep() || clock.now() < stop) return;
    if (edge <= end)
      for (soc::RunObserver* observer : observers_)
        if (observer->next_edge() == edge) observer->at_edge(edge);
    if (edge >= end) return;
  }
}

/// Simulates until cycle `end` and serves the program's requests to the host on the way. Returns the exit
/// code when the program has ended through tohost.
std::optional<std::uint64_t> FastSession::run_slice(base::Cycle end) {
  base::ClockDomain& clock = soc_.clock();
  for (;;) {
    simulate_until(std::min(end, host_.due()));
    if (faulted_ || halted_ || host_.due() == base::kNever) return std::nullopt;
    if (clock.now() < host_.due() && !clock.asleep()) {
      if (clock.now() >= end) return std::nullopt;
      continue;
    }
    const auto code = host_.serve([this](const protocol::GuestFault& fault) { report(fault); });
    if (code || faulted_) return code;
  }
}

}  // namespace spica::run

// SPDX-License-Identifier: Apache-2.0
#include "platform/run/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "platform/loader/user_error.h"
#include "platform/run/diagnosis.h"

namespace spica::run {

namespace {

// How often the run looks up from simulating: for progress, hangs and limits.
constexpr base::Cycle kSlice = 20'000;

}  // namespace

Session::Session(const soc::SocParams& params, const loader::Program& program,
                 report::ConsoleCollector& console)
    : sc_module(sc_core::sc_module_name("session")),
      soc_("platform", params),
      program_(program),
      console_(console),
      host_({[this](std::uint64_t a, unsigned char* to, std::uint64_t n) { return soc_.read(a, to, n); },
             [this](std::uint64_t a, const unsigned char* from, std::uint64_t n) { return soc_.write(a, from, n); },
             [this] { return soc_.clock().now(); }, [this] { soc_.clock().pause(); },
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

void Session::report(const protocol::GuestFault& fault) {
  if (faulted_ && fault.severity == protocol::Severity::kFault) return;  // the first one counts
  faults_.push_back(fault);
  if (fault.severity != protocol::Severity::kFault) return;
  faulted_ = true;
  soc_.clock().pause();
}

void Session::put(const protocol::Origin& origin, unsigned lane, const char* characters,
                  unsigned count) {
  console_.put(origin, lane, characters, count);
}

void Session::observe(soc::RunObserver& observer) {
  observers_.push_back(&observer);
  soc_.region().tell(observer);
}

/// Simulates up to `end`, or to where somebody pauses the clock, with stops where observers want to look.
void Session::simulate_until(base::Cycle end) {
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

void Session::load() {
  loader::check_segments(program_, soc_.memory_ranges());
  for (const loader::Segment& segment : program_.segments)
    if (!segment.bytes.empty())
      soc_.write(segment.address, segment.bytes.data(), segment.bytes.size());
}

void Session::start() {
  soc_.launch(static_cast<std::uint32_t>(program_.entry));
  for (soc::RunObserver* observer : observers_) observer->begin(soc_.clock().now());
}

Outcome Session::run(const Progress& progress) {
  start();
  for (base::Cycle end = kSlice; advance(end) == Rest::kGoing; end += kSlice)
    if (progress) progress(soc_.clock().now());
  return finish();
}

soc::RunControl::Rest Session::advance(base::Cycle end) {
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

soc::RunControl::Rest Session::rest_after(base::Cycle end) {
  const base::ClockDomain& clock = soc_.clock();
  const base::Cycle limit = soc_.params().run.max_cycles;
  if (tohost_code_) return Rest::kEnded;
  if (faulted_) return Rest::kFault;
  if (clock.asleep()) return soc_.any_warp_running() || !soc_.idle() ? Rest::kDeadlock : Rest::kEnded;
  if (halted_) return Rest::kGoing;
  if (limit != 0 && end == limit) return Rest::kCycleLimit;
  return hang_watch_.finding() != watchdog::HangWatch::Finding::kNone ? Rest::kLivelock : Rest::kGoing;
}

void Session::halt() {
  halted_ = true;
  soc_.clock().pause();
}

std::string Session::explain(Rest rest) {
  rest_ = rest;
  Outcome outcome;
  outcome.end = end_of(rest_);
  outcome.activity = hang_watch_.activity();
  return explain_end(soc_, outcome, program_, *sources_).text;
}

int Session::program_exit_code() {
  Outcome outcome;
  outcome.through_tohost = tohost_code_.has_value();
  outcome.guest_exit_code = tohost_code_ ? static_cast<std::uint32_t>(*tohost_code_) : exit_code_of(program_, soc_.cores()[0]->warp(0).registers.row(3)[0]);
  return outcome.exit_code();
}

End end_of(soc::RunControl::Rest rest) {
  using Rest = soc::RunControl::Rest;
  switch (rest) {
    case Rest::kFault: return End::kFault;
    case Rest::kDeadlock: return End::kDeadlock;
    case Rest::kLivelock: return End::kLivelock;
    case Rest::kCycleLimit: return End::kCycleLimit;
    default: return End::kFinished;
  }
}

Outcome Session::finish(bool killed) {
  const base::ClockDomain& clock = soc_.clock();
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
  for (base::Component* component : soc_.components()) component->settle_stats();
  outcome.cycles = clock.now();
  for (soc::RunObserver* observer : observers_) observer->end(outcome.cycles);
  outcome.faults = faults_;
  if (!outcome.through_tohost) outcome.guest_exit_code = exit_code_of(program_, soc_.cores()[0]->warp(0).registers.row(3)[0]);
  const soc::RegionProbe& region = soc_.region();
  outcome.has_markers = region.complete();
  outcome.kernel_cycles = outcome.has_markers ? region.last() - region.first() : outcome.cycles;
  check_accounts();
  return outcome;
}

/// Simulates until cycle `end` and serves the program's requests to the host on the way. Returns the exit
/// code when the program has ended through tohost.
std::optional<std::uint64_t> Session::run_slice(base::Cycle end) {
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

/// A program that ends without exit() leaves its global pointer there.
std::uint32_t exit_code_of(const loader::Program& program, std::uint32_t gp) {
  const loader::Symbol* untouched = program.find("__global_pointer");
  if (untouched == nullptr) untouched = program.find("__global_pointer$");
  return untouched != nullptr && untouched->address == gp ? 0 : gp;
}

/// Every account of every block must have charged each cycle of the run, and of the timed region, exactly
/// once.
void Session::check_accounts() {
  const base::StatWindow window = soc_.region().window();
  const base::Cycle length = soc_.region().complete() ? soc_.region().last() - soc_.region().first()
                                                      : soc_.clock().now();
  for (base::Component* component : soc_.components()) {
    for (const base::CycleAccount& account : component->stats().accounts()) {
      const std::uint64_t run = soc_.clock().now() - account.start();
      if (account.total() != run)
        throw std::logic_error(fmt::format("{}: the account '{}' sums to {} of {} cycles", component->name(),
                                           account.name(), account.total(), run));
      const std::vector<std::uint64_t> cycles = window.cycles(account);
      const std::uint64_t timed = std::accumulate(cycles.begin(), cycles.end(), std::uint64_t{0});
      if (timed != length)
        throw std::logic_error(fmt::format("{}: the account '{}' sums to {} of {} cycles of the timed region",
                                           component->name(), account.name(), timed, length));
    }
  }
}

const char* end_name(End end) {
  switch (end) {
    case End::kFinished: return "finished";
    case End::kFault: return "fault";
    case End::kDeadlock: return "deadlock";
    case End::kLivelock: return "livelock";
    case End::kCycleLimit: return "cycle_limit";
    case End::kKilled: return "killed";
  }
  return "?";
}

}  // namespace spica::run

// SPDX-License-Identifier: Apache-2.0
#include "platform/run/fast_session.h"

#include <algorithm>
#include <ctime>

#include "platform/loader/user_error.h"
#include "platform/run/fast_diagnosis.h"
#include "platform/watchdog/progress_monitor.h"

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
            program, console) {
  soc_.fault.bind(*this);
  soc_.console.bind(*this);
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

Outcome FastSession::run(const Session::Progress& progress) {
  soc_.launch(static_cast<std::uint32_t>(program_.entry));
  const auto started = std::chrono::steady_clock::now();
  const std::clock_t cpu_started = std::clock();
  Outcome outcome;
  outcome.end = run_to_end(outcome, progress);
  outcome.host_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  outcome.cpu_seconds = static_cast<double>(std::clock() - cpu_started) / CLOCKS_PER_SEC;
  console_.flush();
  outcome.cycles = soc_.now();
  outcome.faults = faults_;
  if (!outcome.through_tohost)
    outcome.guest_exit_code = exit_code_of(program_, soc_.warp_view(0, 0).registers->row(3)[0]);
  outcome.has_markers = soc_.has_region();
  outcome.kernel_cycles = outcome.has_markers ? soc_.region_cycles() : outcome.cycles;
  return outcome;
}

End FastSession::run_to_end(Outcome& outcome, const Session::Progress& progress) {
  const base::Cycle limit = soc_.params().run.max_cycles;
  base::ClockDomain& clock = soc_.clock();
  watchdog::ProgressMonitor monitor(soc_.params().run.hang_cycles);
  base::Cycle end = clock.now();
  for (;;) {
    end = std::max(end, clock.now()) + kSlice;
    if (limit != 0) end = std::min(end, limit);
    if (const auto code = run_slice(end)) {
      outcome.through_tohost = true;
      outcome.guest_exit_code = static_cast<std::uint32_t>(std::min<std::uint64_t>(*code, 0xFFFF'FFFF));
      return End::kFinished;
    }
    if (faulted_) return End::kFault;
    if (clock.asleep()) return soc_.any_warp_running() ? End::kDeadlock : End::kFinished;
    if (limit != 0 && clock.now() >= limit) return End::kCycleLimit;
    if (progress) progress(clock.now());
    const bool hangs = monitor.sample(clock.now(), soc_.work_done(), warp_states(soc_));
    // No new state since the last look: stores could still be the progress, and are counted from now on.
    soc_.count_stores(monitor.last_progress() != clock.now());
    if (hangs) return End::kLivelock;
  }
}

/// Simulates until cycle `end` and serves the program's requests to the host on the way. Returns the exit
/// code when the program has ended through tohost.
std::optional<std::uint64_t> FastSession::run_slice(base::Cycle end) {
  base::ClockDomain& clock = soc_.clock();
  for (;;) {
    clock.run_until(std::min(end, host_.due()));
    if (faulted_ || host_.due() == base::kNever) return std::nullopt;
    if (clock.now() < host_.due() && !clock.asleep()) {
      if (clock.now() >= end) return std::nullopt;
      continue;
    }
    const auto code = host_.serve([this](const protocol::GuestFault& fault) { report(fault); });
    if (code || faulted_) return code;
  }
}

}  // namespace spica::run

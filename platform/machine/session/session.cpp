// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <sstream>
#include <stdexcept>

#include "models/base/checkpoint.h"
#include "models/base/invariant.h"
#include "models/protocol/ports/console_if.h"
#include "models/protocol/ports/fault_if.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/session/stack_guard.h"
#include "platform/machine/soc/blame.h"
#include "platform/machine/soc/build_machine.h"
#include "platform/machine/soc/keys.h"

namespace spica::session {

namespace {

// How often the run looks up from simulating: for progress, hangs and limits.
constexpr base::Cycle kSlice = 20'000, kFastSlice = 100'000;
// With a user-supplied block, which may keep ticking when all else has ended: a run without markers then ends at one of
// these checks.
constexpr base::Cycle kForeignSlice = 100;
// Instructions of the last look in the fast mode, whose turns may be longer: some windows of the machine as shipped,
// and about a second with a recorder attached.
constexpr std::uint64_t kLastLook = 5'000'000;

/// Does something with the machine. An error in a user-supplied block is thrown as SlotRefusal.
template <class Action>
void guarded(soc::AssembledMachine& machine, Action&& action) {
  const auto blame = [&](const std::exception& error) { soc::blame_slot(machine, error); };
  try {
    action();
  } catch (const std::bad_alloc&) {  // of the host
    throw;
  } catch (const base::BrokenInvariant&) {
    throw;
  } catch (const std::exception& error) {
    blame(error);
    throw;
  } catch (...) {
    const std::runtime_error error("it throws something other than a std::exception");
    blame(error);
    throw error;
  }
}

HostAccess access_to(soc::Machine& machine) {
  return {[&machine](std::uint64_t a, unsigned char* to, std::uint64_t n) { return machine.read(a, to, n); },
          [&machine](std::uint64_t a, const unsigned char* from, std::uint64_t n) {
            return machine.write(a, from, n);
          },
          [&machine] { return machine.now(); },
          [&machine] { machine.pause(); },
          [&machine](std::uint64_t begin, std::uint64_t end, protocol::Reservations::Watcher watcher) {
            machine.watch_stores(begin, end, std::move(watcher));
          },
          machine.map()};
}

/// No block and no user-supplied module has plans.
bool nothing_comes(soc::Machine& machine) {
  return machine.clock().asleep() && !sc_core::sc_pending_activity();
}

/// Something is to come, and only our own blocks can have planned it. False in the fast mode.
bool own_plans(soc::AssembledMachine& machine) {
  const soc::SocParams& params = machine.params();
  if (params.run.mode == soc::Mode::kFast || machine.clock().asleep()) return false;
  return !params.host.present && !params.main_memory.external && machine.foreign_components().empty();
}

/// Cycles between two looks.
base::Cycle slice_of(const soc::AssembledMachine& machine) {
  if (machine.params().run.mode == soc::Mode::kFast) return kFastSlice;
  return machine.foreign_components().empty() ? kSlice : kForeignSlice;
}

/// gp of warp 0, lane 0, core 0. A program that ends without exit() leaves its global pointer there.
std::uint32_t exit_code(soc::Machine& machine, const loader::Program& program) {
  const std::uint32_t gp = machine.warp_view(0, 0).registers->row(3)[0];
  const loader::Symbol* untouched = program.find("__global_pointer");
  if (untouched == nullptr) untouched = program.find("__global_pointer$");
  return untouched != nullptr && untouched->address == gp ? 0 : gp;
}

}  // namespace

/// What the machine's ports `fault` and `console` are bound to.
class Session::Receiver final : public protocol::FaultIf, public protocol::ConsoleIf {
 public:
  Receiver(FaultLog& faults, ConsoleCollector& console) : faults_(faults), console_(console) {}

  void report(const protocol::GuestFault& fault) override { faults_.report(fault); }
  void put(const protocol::Origin& origin, unsigned lane, const char* characters, unsigned count) override {
    console_.put(origin, lane, characters, count);
  }

 private:
  FaultLog& faults_;
  ConsoleCollector& console_;
};

Session::Session(const soc::SocParams& params, const loader::Program& program, ConsoleCollector& console)
    : program_(program),
      faults_(program, [this] { machine_->pause(); }),
      receiver_(std::make_unique<Receiver>(faults_, console)),
      machine_(build(params)),
      console_(console),
      host_(access_to(*machine_), program, console),
      sampler_([this] {
        if (measured_ != nullptr) measured_->catch_up();
      }) {
  observe(sampler_);  // before the observers that get its readings
}

std::unique_ptr<soc::AssembledMachine> Session::build(const soc::SocParams& params) {
  if (params.host.present || params.main_memory.external)
    throw input::UserError(fmt::format(
        "{} is for machines inside your own simulation, which binds it (docs/for-integrators.md); here it "
        "must be false",
        params.host.present ? "host.present" : soc::keys::kExternalMemory));
  soc::BuiltMachine built = soc::build_machine("platform", params, params.run.mode);
  measured_ = built.measured;
  built.machine->fault.bind(*receiver_);
  built.machine->console.bind(*receiver_);
  return std::move(built.machine);
}

Session::~Session() = default;

soc::Machine& Session::machine() { return *machine_; }

void Session::observe(soc::RunObserver& observer) {
  observers_.push_back(&observer);
  machine_->observe_markers(observer);
}

void Session::find_hangs(HangFinder& finder) {
  hangs_ = &finder;
  observers_.insert(observers_.begin(), &finder);
}

/// Simulates up to `end`, or to where the clock is paused, with stops where observers want to look.
void Session::simulate_until(base::Cycle end) {
  base::ClockDomain& clock = machine_->clock();
  for (;;) {
    base::Cycle edge = base::kNever;
    for (const soc::RunObserver* observer : observers_) edge = std::min(edge, observer->next_edge());
    const base::Cycle stop = std::min(edge, end);
    bool was_paused = false;
    guarded(*machine_, [&] { was_paused = clock.run_until(stop); });
    if (faults_.faulted() || halted_ || clock.now() < stop || nothing_comes(*machine_)) return;
    if (edge <= end)
      for (soc::RunObserver* observer : observers_)
        if (observer->next_edge() == edge) observer->at_edge(edge);
    if (was_paused || edge >= end) return;
  }
}

void Session::load() {
  loader::check_segments(program_, soc::memory_ranges(machine_->map()));
  guarded(*machine_, [this] {
    for (const loader::Segment& segment : program_.segments)
      if (!segment.bytes.empty())
        machine_->write(segment.address, segment.bytes.data(), segment.bytes.size());
  });
  if (firmware_ != nullptr) machine_->load_firmware(*firmware_);
  if (const auto guard = stack_guard(program_)) machine_->guard_stacks(*guard);
}

void Session::start() {
  if (started_) return;  // it resumes from a saved state
  started_ = true;
  if (launch_.queues) machine_->launch(*launch_.queues, launch_.model);
  else if (launch_.grid) machine_->launch(*launch_.grid);
  else machine_->launch(static_cast<std::uint32_t>(program_.entry));
  for (soc::RunObserver* observer : observers_) observer->begin(machine_->clock().now());
}

std::string Session::save() {
  std::ostringstream out;
  base::Checkpoint checkpoint(out);
  soc::MachineState machine = machine_->save();
  checkpoint(machine);
  own_state(checkpoint);
  sampler_.checkpoint(checkpoint);
  return out.str();
}

void Session::restore(const std::string& state) {
  std::istringstream in(state);
  base::Checkpoint checkpoint(in);
  soc::MachineState machine;
  checkpoint(machine);
  machine_->restore(machine);
  own_state(checkpoint);
  rest_ = RunState::kGoing;
  tohost_end_.reset();
  first_cycle_ = machine.fast == fast() ? 0 : machine.cycle;
  if (hangs_ != nullptr) hangs_->restart(machine.cycle);
  if (!started_)
    for (soc::RunObserver* observer : observers_) observer->begin(machine.cycle);
  const bool same_mode = machine.fast == fast();  // otherwise measurement starts here
  if (same_mode && !sampler_.checkpoint(checkpoint) && !fast() && measured_->region().has_begun())
    throw input::UserError(
        "the checkpoint was written after a begin marker by a run that measured less than this one; write "
        "it again with --energy");
  started_ = true;
}

void Session::own_state(base::Checkpoint& checkpoint) { checkpoint(faults_, standstill_, host_, console_); }

/// An error in a user-supplied block and an internal error also end the run.
bool Session::run_piece(base::Cycle end) {
  try {
    if (!started_) start();
    return advance(end) == RunState::kGoing;
  } catch (const soc::SlotRefusal& error) {
    errors_.refuse(error.what());
    return false;
  } catch (const input::UserError&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    errors_.fail(*machine_, error.what());
    return false;
  }
}

void Session::Errors::refuse(const std::string& what) {
  if (block.empty()) block = what;
}

void Session::Errors::fail(soc::Machine& machine, const std::string& what) {
  if (!internal.empty()) return;  // what comes after the first one only follows from it
  const base::Component* ticking = machine.clock().ticking();
  internal = fmt::format("{}in cycle {}: {}",
                         ticking != nullptr ? fmt::format("block {}, ", ticking->name()) : std::string(),
                         machine.now(), what);
}

Session::RunState Session::run_to(base::Cycle end, const std::function<bool()>& done) {
  const base::Cycle slice = slice_of(*machine_);
  for (base::Cycle reached = machine_->clock().now(); reached < end;) {
    reached = std::min(end, reached + slice);
    if (!run_piece(reached)) {
      const bool failed = !errors_.internal.empty() || !errors_.block.empty();
      return failed ? RunState::kFault : rest_;
    }
    if (done && done()) break;
    reached = std::max(reached, machine_->clock().now());  // a round of the fast mode may go past it
  }
  return RunState::kGoing;
}

Outcome Session::run(const Progress& progress) {
  const base::Cycle slice = slice_of(*machine_);
  // In the cycle mode at the same cycles wherever the run begins; a round of the fast mode may go past the end of a
  // slice.
  const auto next = [&](base::Cycle cycle) { return fast() ? cycle + slice : (cycle / slice + 1) * slice; };
  for (base::Cycle end = next(machine_->clock().now()); run_piece(end);
       end = next(std::max(end, machine_->clock().now())))
    if (progress && !progress(machine_->clock().now())) {
      // A last look at what the warps do, for the report.
      const base::Cycle now = machine_->clock().now();
      machine_->stop_after(kLastLook);
      interrupted_ =
          hangs_ == nullptr || run_piece(now + hangs_->look_now(now)) || rest_ == RunState::kLivelock;
      break;
    }
  return finish();
}

soc::RunControl::RunState Session::advance(base::Cycle end) {
  const auto started = std::chrono::steady_clock::now();
  const std::clock_t cpu_started = std::clock();
  const base::Cycle limit = machine_->params().run.max_cycles;
  if (limit != 0) end = std::min(end, limit);
  halted_ = false;
  machine_->resume();
  if (hangs_ != nullptr) hangs_->forget();
  tohost_end_ = run_slice(end);
  rest_ = rest_after(end);
  spent_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  spent_.cpu_clocks += std::clock() - cpu_started;
  return rest_;
}

soc::RunControl::RunState Session::rest_after(base::Cycle end) {
  const base::ClockDomain& clock = machine_->clock();
  const base::Cycle limit = machine_->params().run.max_cycles;
  if (tohost_end_) return RunState::kEnded;
  if (faults_.faulted()) return RunState::kFault;
  if (machine_->finished()) return RunState::kEnded;  // a user-supplied block may keep ticking
  if (nothing_comes(*machine_) || standstill_.lasts(*machine_, clock.now(), own_plans(*machine_)))
    return RunState::kDeadlock;
  if (halted_) return RunState::kGoing;
  if (limit != 0 && end == limit) return RunState::kCycleLimit;
  return hangs_ != nullptr && hangs_->found() ? RunState::kLivelock : RunState::kGoing;
}

void Session::halt() {
  halted_ = true;
  machine_->pause();
}

int Session::program_exit_code() {
  Outcome outcome;
  outcome.through_tohost = tohost_end_ && !tohost_end_->exit_call;
  outcome.guest_exit_code =
      tohost_end_ ? static_cast<std::uint32_t>(tohost_end_->code) : exit_code(*machine_, program_);
  return outcome.program_code();
}

End end_of(soc::RunControl::RunState rest) {
  using RunState = soc::RunControl::RunState;
  switch (rest) {
    case RunState::kFault: return End::kFault;
    case RunState::kDeadlock: return End::kDeadlock;
    case RunState::kLivelock: return End::kLivelock;
    case RunState::kCycleLimit: return End::kCycleLimit;
    default: return End::kFinished;
  }
}

Outcome Session::finish(bool killed) {
  Outcome outcome;
  outcome.end = killed && rest_ != RunState::kFault ? End::kKilled : end_of(rest_);
  if (interrupted_) outcome.end = End::kInterrupted;
  const bool by_host = tohost_end_ && !killed;
  if (by_host) {
    outcome.through_tohost = !tohost_end_->exit_call;
    outcome.guest_exit_code =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(tohost_end_->code, 0xFFFF'FFFF));
  }
  outcome.host_seconds = spent_.seconds;
  outcome.cpu_seconds = static_cast<double>(spent_.cpu_clocks) / CLOCKS_PER_SEC;
  console_.flush();
  const auto attempt = [this](auto&& action) {
    try {
      action();
    } catch (const soc::SlotRefusal& error) {
      errors_.refuse(error.what());
    } catch (const std::logic_error& error) {
      errors_.fail(*machine_, error.what());
    }
  };
  attempt([this] { guarded(*machine_, [this] { machine_->settle(); }); });
  outcome.cycles = machine_->now() - first_cycle_;
  for (soc::RunObserver* observer : observers_)
    attempt([&] { observer->end(first_cycle_ + outcome.cycles); });
  if (!errors_.block.empty()) {  // what fails behind it only follows from it
    outcome.end = End::kBlockError;
    outcome.failure = errors_.block;
  } else if (!errors_.internal.empty()) {
    outcome.end = End::kInternalError;
    outcome.failure = errors_.internal;
  }
  outcome.faults = faults_.all();
  outcome.unreported = faults_.unreported();
  if (!by_host) outcome.guest_exit_code = exit_code(*machine_, program_);
  const std::optional<base::Cycle> region = machine_->region_cycles();
  outcome.has_markers = region.has_value();
  outcome.kernel_cycles = region.value_or(outcome.cycles);
  return outcome;
}

/// Simulates until cycle `end` and serves the program's requests to the host on the way. Returns the exit
/// code when the program has ended through tohost.
std::optional<HostInterface::End> Session::run_slice(base::Cycle end) {
  base::ClockDomain& clock = machine_->clock();
  for (;;) {
    simulate_until(std::min(end, host_.due()));
    if (faults_.faulted() || halted_ || machine_->stopped_after() || host_.due() == base::kNever)
      return std::nullopt;
    if (clock.now() < host_.due() && !clock.asleep()) {
      if (clock.now() >= end) return std::nullopt;
      continue;
    }
    const auto code = host_.serve([this](const protocol::GuestFault& fault) { faults_.report(fault); });
    if (code || faults_.faulted()) return code;
  }
}

}  // namespace spica::session

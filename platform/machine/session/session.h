// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/protocol/host_queues/kernel_queue.h"
#include "models/protocol/host_queues/work_group.h"
#include "platform/machine/loader/program.h"
#include "platform/machine/session/console_collector.h"
#include "platform/machine/session/fault_log.h"
#include "platform/machine/session/hang_finder.h"
#include "platform/machine/session/host_interface.h"
#include "platform/machine/session/outcome.h"
#include "platform/machine/session/standstill.h"
#include "platform/machine/soc/run_control.h"
#include "platform/machine/soc/run_observer.h"
#include "platform/machine/soc/sampler.h"
#include "platform/machine/soc/soc_params.h"

namespace spica::base {
class Checkpoint;
}
namespace spica::soc {
class AssembledMachine;
class MeasuredMachine;
}  // namespace spica::soc

namespace spica::session {

/// The end of a run whose machine stopped for this reason.
End end_of(soc::RunControl::RunState rest);

/// Runs one program on one machine, in the mode set by `run.mode`: loads it and runs it to its end. One per process,
/// because SystemC elaborates once.
///
/// Can be embedded in any program (testbenches/unit/session/embedded.cpp): it prints nothing, ends no process and
/// changes no signal handling. Faults and ends are in the Outcome, guest output in `console`, all other results in
/// machine() and the observers.
///
/// run() is start(), advance() until the end, finish(); a debugger uses the same steps.
class Session final : public soc::RunControl {
 public:
  /// `console` receives the guest's output line by line. The program must outlive the session.
  Session(const soc::SocParams& params, const loader::Program& program, ConsoleCollector& console);
  ~Session() override;

  /// What the cycle mode measures; only in that mode.
  soc::MeasuredMachine& measured() { return *measured_; }
  /// machine() with its blocks.
  soc::AssembledMachine& assembled() { return *machine_; }
  bool fast() const { return measured_ == nullptr; }
  const loader::Program& program() const { return program_; }

  /// Sets the program named by `command_processor.firmware`. Call before load(); it must outlive the session.
  void use_firmware(const loader::Program& firmware) { firmware_ = &firmware; }
  /// Loads the program into memory. Throws UserError if a segment is outside memory.
  void load();

  /// Adds an observer of the run; it must outlive the session.
  void observe(soc::RunObserver& observer);

  /// Lets `finder` end the run when the program hangs. Call before the run; the finder must outlive it. Without one, a
  /// program that only spins ends at `run.max_cycles`.
  void find_hangs(HangFinder& finder);

  /// Samples the machine over time; add series before the run.
  soc::Sampler& sampler() { return sampler_; }

  /// Called at intervals with the current cycle, for progress lines. False ends the run.
  using Progress = std::function<bool(base::Cycle)>;
  /// Runs from reset to the end; call once. After an internal error the statistics so far are kept.
  Outcome run(const Progress& progress = {});

  /// Runs to cycle `end`, from reset the first time; run() may follow. Returns early if `done` is true after
  /// a pause of the machine's clock. kGoing: the run has not ended; otherwise call finish(). kFault also
  /// after an internal error.
  RunState run_to(base::Cycle end, const std::function<bool()>& done = {});

  /// Runs the program as this grid of work groups. Call before start().
  void run_grid(const protocol::GridLaunch& grid) { launch_.grid = grid; }
  /// The grid that it runs; empty: another program.
  const std::optional<protocol::GridLaunch>& grid() const { return launch_.grid; }
  /// Runs queues of kernels that are already in memory; none: the machine starts with nothing to do. Call
  /// before start().
  void run_queues(std::vector<protocol::QueueSetup> queues, std::uint32_t model = 0) {
    launch_.queues = std::move(queues);
    launch_.model = model;
  }
  /// Starts the program: all cores at its entry, or the grid, or the queues. Does nothing after restore().
  void start();
  /// Replaces start() by a saved state of the same program and machine. A fast-mode state can resume in the cycle mode.
  void restore(const std::string& state) override;
  std::string save() override;

  /// The outcome, after the last advance(). `killed`: the user ended the run.
  Outcome finish(bool killed = false);

  // soc::RunControl
  soc::Machine& machine() override;
  RunState advance(base::Cycle end) override;
  void halt() override;
  const std::vector<protocol::GuestFault>& faults() const override { return faults_.all(); }
  int program_exit_code() override;

 private:
  /// Work to launch: a grid or queues; otherwise all cores start.
  struct Launch {
    std::optional<protocol::GridLaunch> grid;
    std::optional<std::vector<protocol::QueueSetup>> queues;
    std::uint32_t model = 0;  // address of the queues' concurrency model
  };
  /// The first error of each kind; empty: none.
  struct Errors {
    void fail(soc::Machine& machine, const std::string& what);
    void refuse(const std::string& what);

    std::string internal;
    std::string block;  // in a user-supplied block
  };
  /// Host time of the simulation.
  struct Spent {
    double seconds = 0;
    std::clock_t cpu_clocks = 0;
  };

  /// Bound to the machine; not here, because it would bring SystemC to all who use this header.
  class Receiver;

  bool run_piece(base::Cycle end);
  void simulate_until(base::Cycle end);
  std::optional<HostInterface::End> run_slice(base::Cycle end);
  RunState rest_after(base::Cycle end);
  void own_state(base::Checkpoint& checkpoint);
  std::unique_ptr<soc::AssembledMachine> build(const soc::SocParams& params);

  soc::MeasuredMachine* measured_ = nullptr;  // nullptr: the fast mode
  const loader::Program& program_;
  FaultLog faults_;
  std::unique_ptr<Receiver> receiver_;
  std::unique_ptr<soc::AssembledMachine> machine_;
  const loader::Program* firmware_ = nullptr;  // nullptr: none
  ConsoleCollector& console_;
  HostInterface host_;
  soc::Sampler sampler_;
  Launch launch_;
  bool started_ = false;
  base::Cycle first_cycle_ = 0;  // the first measured cycle
  HangFinder* hangs_ = nullptr;  // nullptr: none
  std::vector<soc::RunObserver*> observers_;
  RunState rest_ = RunState::kGoing;
  std::optional<HostInterface::End> tohost_end_;
  bool halted_ = false;  // halt() was called in this advance()
  Standstill standstill_;
  bool interrupted_ = false;  // ended from outside
  Errors errors_;
  Spent spent_;
};

}  // namespace spica::session

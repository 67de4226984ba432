// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/protocol/console_if.h"
#include "models/protocol/fault_if.h"
#include "models/protocol/kernel_queue.h"
#include "models/protocol/work_group.h"
#include "platform/machine/loader/program.h"
#include "platform/machine/loader/source_map.h"
#include "platform/machine/session/host_interface.h"
#include "platform/machine/session/outcome.h"
#include "platform/machine/soc/blame.h"
#include "platform/machine/soc/run_control.h"
#include "platform/machine/soc/run_observer.h"
#include "platform/machine/soc/sampler.h"
#include "platform/machine/soc/soc_params.h"
#include "platform/observe/report/console_collector.h"
#include "platform/observe/watchdog/hang_watch.h"

namespace spica::base {
class Checkpoint;
}
namespace spica::soc {
class FastSoc;
class Soc;
}  // namespace spica::soc

namespace spica::session {

/// The end of a run whose machine stopped for this reason.
End end_of(soc::RunControl::Rest rest);

/// Runs one program on one machine, in the mode set by `run.mode`: loads it, runs it to its end, and explains the end.
/// One per process, because SystemC elaborates once.
///
/// Can be embedded in any program (testbenches/unit/session/embedded.cpp): it prints nothing, ends no process and
/// changes no signal handling. Faults and ends are in the Outcome, guest output in `console`, all other results in
/// machine() and the observers.
///
/// run() is start(), advance() until the end, finish(); a debugger uses the same steps.
class Session final : public sc_core::sc_module,
                      public soc::RunControl,
                      private protocol::FaultIf,
                      private protocol::ConsoleIf {
 public:
  /// `console` receives the guest's output line by line. The program must outlive the session.
  Session(const soc::SocParams& params, const loader::Program& program, report::ConsoleCollector& console);

  /// The machine of the cycle mode; only in that mode.
  soc::Soc& soc() { return *soc_; }
  /// The machine of the fast mode; only in that mode.
  soc::FastSoc& fast_soc() { return *fast_soc_; }
  bool fast() const { return fast_soc_ != nullptr; }
  const loader::Program& program() const { return program_; }

  /// Sets the program named by `command_processor.firmware`. Call before load(); it must outlive the session.
  void use_firmware(const loader::Program& firmware) { firmware_ = &firmware; }
  /// Loads the program into memory. Throws UserError if a segment is outside memory.
  void load();

  /// Adds an observer of the run; it must outlive the session.
  void observe(soc::RunObserver& observer);

  /// Samples the machine over time; add series before the run.
  soc::Sampler& sampler() { return sampler_; }

  /// Called now and then with the current cycle, for progress lines. False ends the run.
  using Progress = std::function<bool(base::Cycle)>;
  /// Runs from reset to the end; call once. After an internal error the statistics so far are kept.
  Outcome run(const Progress& progress = {});

  /// Warnings about loops that may never end, found since the last call.
  std::vector<std::string> take_warnings(const loader::SourceMap& sources);

  /// Runs to cycle `end`, from reset the first time; run() may follow. False: the run has ended, call finish().
  bool run_to(base::Cycle end);

  /// Runs the program as this grid of work groups. Call before start().
  void run_grid(const protocol::GridLaunch& grid) { grid_ = grid; }
  /// Runs queues of kernels that are already in memory. Call before start().
  void run_queues(std::vector<protocol::QueueSetup> queues, std::uint32_t model = 0) {
    queues_ = std::move(queues);
    model_ = model;
  }
  /// Starts the program: all cores at its entry, or the grid, or the queues. Does nothing after restore().
  void start();
  /// Replaces start() by a saved state of the same program and machine. A fast-mode state can resume in the cycle mode.
  void restore(const std::string& state) override;
  std::string save() override;

  /// The outcome, after the last advance(). `killed`: the user ended the run.
  Outcome finish(bool killed = false);

  // soc::RunControl; explanations use the source map given here
  soc::Machine& machine() override { return *machine_; }
  Rest advance(base::Cycle end) override;
  void halt() override;
  const std::vector<protocol::GuestFault>& faults() const override { return faults_; }
  int program_exit_code() override;
  std::string explain(Rest rest) override;
  void explain_with(const loader::SourceMap& sources) { sources_ = &sources; }

 private:
  void report(const protocol::GuestFault& fault) override;
  void put(const protocol::Origin& origin, unsigned lane, const char* characters, unsigned count) override;
  template <class Action>
  void guarded(Action&& action);
  void fail(const std::string& what);
  void refuse(const soc::SlotRefusal& error);
  bool run_piece(base::Cycle end);
  void simulate_until(base::Cycle end);
  std::optional<HostInterface::End> run_slice(base::Cycle end);
  base::Cycle slice() const;  // cycles between two hang checks
  Rest rest_after(base::Cycle end);
  bool nothing_comes() const;
  bool own_plans() const;
  bool stands(base::Cycle now);
  std::uint32_t exit_code();
  void own_state(base::Checkpoint& checkpoint);
  std::unique_ptr<soc::Machine> build(const soc::SocParams& params);
  HostAccess host_access();

  soc::Soc* soc_ = nullptr;  // only one of the two is set: that of machine_
  soc::FastSoc* fast_soc_ = nullptr;
  std::unique_ptr<soc::Machine> machine_;
  const loader::Program& program_;
  const loader::Program* firmware_ = nullptr;  // nullptr: none
  report::ConsoleCollector& console_;
  HostInterface host_;
  watchdog::HangWatch hang_watch_;
  soc::Sampler sampler_;
  std::vector<protocol::GuestFault> faults_;
  std::uint64_t unreported_ = 0;  // warnings and notes beyond the limit
  std::set<std::pair<protocol::FaultKind, std::uint32_t>> warned_;  // kind and pc of each
  std::optional<protocol::GridLaunch> grid_;  // launched at the start,
  std::vector<protocol::QueueSetup> queues_;  // or these; otherwise all cores start
  std::uint32_t model_ = 0;  // address of the queues' concurrency model
  bool started_ = false;
  base::Cycle begun_ = 0;  // the first measured cycle
  bool faulted_ = false;
  std::vector<soc::RunObserver*> observers_;
  Rest rest_ = Rest::kGoing;
  std::optional<HostInterface::End> tohost_end_;
  bool halted_ = false;  // halt() was called in this advance()
  std::uint64_t instructions_ = 0, work_ = 0;  // counts of warps and of units at the last check
  base::Cycle idle_since_ = 0;  // neither count has grown since
  bool interrupted_ = false;  // ended from outside
  std::string failure_;  // internal error; empty: none
  std::string block_error_;  // the first error in a user-supplied block
  double host_seconds_ = 0;
  std::clock_t cpu_clocks_ = 0;
  const loader::SourceMap* sources_ = nullptr;
};

}  // namespace spica::session

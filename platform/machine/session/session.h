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

/// How a run ended whose machine rests like this.
End end_of(soc::RunControl::Rest rest);

/// One program on one machine, in the mode that `run.mode` names: loads, runs to its end, and explains the end. One
/// per process, because SystemC elaborates once.
///
/// It can live in any program (testbenches/unit/session/embedded.cpp is one): it prints nothing, ends no process, and
/// touches no signal; faults and ends are in the Outcome, the guest's output in `console`, everything else in machine()
/// and in what observers have seen.
///
/// run() is start(), advance() until the end, finish(); a debugger does the same in its own steps.
class Session final : public sc_core::sc_module,
                      public soc::RunControl,
                      private protocol::FaultIf,
                      private protocol::ConsoleIf {
 public:
  /// `console` receives the guest's output line by line. The program must outlive the session.
  Session(const soc::SocParams& params, const loader::Program& program, report::ConsoleCollector& console);

  /// The machine of the cycle mode; only there.
  soc::Soc& soc() { return *soc_; }
  /// The machine of the fast mode; only there.
  soc::FastSoc& fast_soc() { return *fast_soc_; }
  bool fast() const { return fast_soc_ != nullptr; }
  const loader::Program& program() const { return program_; }

  /// What `command_processor.firmware` names; before load(). It must outlive the session.
  void use_firmware(const loader::Program& firmware) { firmware_ = &firmware; }
  /// Fills memory with the program. Throws UserError when a segment is outside memory.
  void load();

  /// Lets `observer` look at the machine during the run; it must outlive the session.
  void observe(soc::RunObserver& observer);

  /// What is read of the machine over time; series are added before the run.
  soc::Sampler& sampler() { return sampler_; }

  /// Called now and then with the cycle reached; for progress lines. False: the run is to end here.
  using Progress = std::function<bool(base::Cycle)>;
  /// Runs from reset to the end. Once. An internal error is an end as well: what the blocks have counted is kept.
  Outcome run(const Progress& progress = {});

  /// Loops found since the last call that may never end, as warnings; while it runs.
  std::vector<std::string> take_warnings(const loader::SourceMap& sources);

  /// Runs on to cycle `end`, from reset the first time; run() can follow. False: it ends here, finish() reports how.
  bool run_to(base::Cycle end);

  /// The program is to run as this grid of work groups; before start().
  void run_grid(const protocol::GridLaunch& grid) { grid_ = grid; }
  /// Queues of kernels that are in memory by then are to run; before start().
  void run_queues(std::vector<protocol::QueueSetup> queues, std::uint32_t model = 0) {
    queues_ = std::move(queues);
    model_ = model;
  }
  /// Starts the program: all cores are at its entry, or the grid is launched, or the queues are. Nothing after
  /// restore().
  void start();
  /// The state is of a run of the same program on the same machine; it takes the place of start(). One of the fast mode
  /// may resume in the cycle mode.
  void restore(const std::string& state) override;
  std::string save() override;

  /// How it ended, after the last advance(); `killed`: the user wants no more.
  Outcome finish(bool killed = false);

  // soc::RunControl; the explanation of an end needs the map of sources given here
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
  base::Cycle slice() const;  // cycles between two looks
  Rest rest_after(base::Cycle end);
  bool nothing_comes() const;
  bool own_plans() const;
  bool stands(base::Cycle now);
  std::uint32_t exit_code();
  void own_state(base::Checkpoint& checkpoint);
  std::unique_ptr<soc::Machine> build(const soc::SocParams& params);
  HostAccess host_access();

  soc::Soc* soc_ = nullptr;  // one of the two: what machine_ is
  soc::FastSoc* fast_soc_ = nullptr;
  std::unique_ptr<soc::Machine> machine_;
  const loader::Program& program_;
  const loader::Program* firmware_ = nullptr;  // null: there is none
  report::ConsoleCollector& console_;
  HostInterface host_;
  watchdog::HangWatch hang_watch_;
  soc::Sampler sampler_;
  std::vector<protocol::GuestFault> faults_;
  std::uint64_t unreported_ = 0;  // warnings and notes that came after too many
  std::set<std::pair<protocol::FaultKind, std::uint32_t>> warned_;  // and where
  std::optional<protocol::GridLaunch> grid_;  // to launch,
  std::vector<protocol::QueueSetup> queues_;  // or these; else all cores start
  std::uint32_t model_ = 0;  // concurrency model of the queues: its address
  bool started_ = false;
  base::Cycle begun_ = 0;  // the machine's cycle where what is measured begins
  bool faulted_ = false;
  std::vector<soc::RunObserver*> observers_;
  Rest rest_ = Rest::kGoing;
  std::optional<HostInterface::End> tohost_end_;
  bool halted_ = false;  // by halt(), in this advance()
  std::uint64_t instructions_ = 0, work_ = 0;  // of the warps, of the units: at the last look
  base::Cycle idle_since_ = 0;  // neither has grown since then
  bool interrupted_ = false;  // the run was ended from outside
  std::string failure_;  // an internal error; empty: none
  std::string block_error_;  // the first error in a user-supplied block
  double host_seconds_ = 0;
  std::clock_t cpu_clocks_ = 0;
  const loader::SourceMap* sources_ = nullptr;
};

}  // namespace spica::session

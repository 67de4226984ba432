// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/protocol/console_if.h"
#include "models/protocol/fault_if.h"
#include "platform/loader/program.h"
#include "platform/report/console_collector.h"
#include "platform/soc/run_observer.h"
#include "platform/run/host_interface.h"
#include "platform/soc/soc.h"

namespace spica::run {

/// How a run ended.
enum class End : std::uint8_t {
  kFinished,    // all warps ended and everything is drained, or the program said so in tohost
  kFault,       // the guest made a mistake
  kDeadlock,    // warps still run, and nothing can ever happen again
  kLivelock,    // warps still run, but only spin
  kCycleLimit,  // run.max_cycles reached
};

struct Outcome {
  End end = End::kFinished;
  std::uint32_t guest_exit_code = 0;   // gp of warp 0, lane 0, core 0 (facts 1.5), or what tohost said
  bool through_tohost = false;         // the program ended the run by a store to tohost
  base::Cycle cycles = 0;              // of the whole run
  base::Cycle kernel_cycles = 0;       // between the markers; the whole run when there are none
  bool has_markers = false;
  double host_seconds = 0;  // wall time of the simulation
  double cpu_seconds = 0;  // CPU time of the simulation
  std::vector<protocol::GuestFault> faults;  // notes and warnings too, in order

  bool good() const { return end == End::kFinished; }
  /// What the process should exit with: the guest's own code, or 1 when the run did not finish. A code in
  /// tohost is the number of a test: any but 0 is a failure.
  int exit_code() const {
    if (!good()) return 1;
    return through_tohost ? guest_exit_code != 0 : static_cast<int>(guest_exit_code & 0xFF);
  }
};

/// "finished", "fault", ... as in stats.json.
const char* end_name(End end);

/// The exit code of a program that ends with `gp` in warp 0, lane 0 of core 0.
std::uint32_t exit_code_of(const loader::Program& program, std::uint32_t gp);

/// One program on one machine: loads, runs to its end, and explains the end. One per process, because
/// SystemC elaborates once.
class Session final : public sc_core::sc_module,
                      private protocol::FaultIf,
                      private protocol::ConsoleIf {
 public:
  /// `console` receives the guest's output line by line. The program must outlive the session.
  Session(const soc::SocParams& params, const loader::Program& program,
          report::ConsoleCollector& console);

  soc::Soc& soc() { return soc_; }
  const loader::Program& program() const { return program_; }

  /// Fills memory with the program. Throws UserError when a segment lies outside memory.
  void load();

  /// Lets `observer` look at the machine during the run; it must outlive the session.
  void observe(soc::RunObserver& observer);

  /// Called now and then with the cycle reached; for progress lines.
  using Progress = std::function<void(base::Cycle)>;
  /// Runs from reset to the end. Once.
  Outcome run(const Progress& progress = {});

 private:
  void report(const protocol::GuestFault& fault) override;
  void put(const protocol::Origin& origin, unsigned lane, const char* characters,
           unsigned count) override;
  void simulate_until(base::Cycle end);
  std::optional<std::uint64_t> run_slice(base::Cycle end);
  void check_accounts();

  soc::Soc soc_;
  const loader::Program& program_;
  report::ConsoleCollector& console_;
  HostInterface host_;
  std::vector<protocol::GuestFault> faults_;
  bool faulted_ = false;
  std::vector<soc::RunObserver*> observers_;
};

}  // namespace spica::run

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "platform/run/session.h"
#include "platform/soc/fast_soc.h"

namespace spica::run {

/// Session for the fast mode: one program on one machine, loosely timed.
class FastSession final : public sc_core::sc_module,
                          public soc::RunControl,
                          private protocol::FaultIf,
                          private protocol::ConsoleIf {
 public:
  FastSession(const soc::SocParams& params, const loader::Program& program, report::ConsoleCollector& console);

  soc::FastSoc& soc() { return soc_; }
  /// Lets `observer` look at the machine during the run; it must outlive the session. Edges are where a round of
  /// all cores ends.
  void observe(soc::RunObserver& observer);
  /// Fills memory with the program. Throws UserError when a segment lies outside memory.
  void load();
  /// Runs from reset to the end. Once.
  Outcome run(const Session::Progress& progress = {});
  /// Lets the program begin, and says how it ended; see Session.
  void start();
  Outcome finish(bool killed = false);

  // soc::RunControl
  soc::Machine& machine() override { return soc_; }
  Rest advance(base::Cycle end) override;
  void halt() override;
  const std::vector<protocol::GuestFault>& faults() const override { return faults_; }
  int program_exit_code() override;
  std::string explain(Rest rest) override;
  void explain_with(const loader::SourceMap& sources) { sources_ = &sources; }

 private:
  void report(const protocol::GuestFault& fault) override;
  void put(const protocol::Origin& origin, unsigned lane, const char* characters, unsigned count) override;
  void simulate_until(base::Cycle end);
  std::optional<std::uint64_t> run_slice(base::Cycle end);
  Rest rest_after(base::Cycle end);
  std::uint32_t exit_code();

  soc::FastSoc soc_;
  const loader::Program& program_;
  report::ConsoleCollector& console_;
  HostInterface host_;
  watchdog::HangWatch hang_watch_;
  std::vector<soc::RunObserver*> observers_;
  std::vector<protocol::GuestFault> faults_;
  bool faulted_ = false;
  bool halted_ = false;  // by halt(), in this advance()
  Rest rest_ = Rest::kGoing;
  std::optional<std::uint64_t> tohost_code_;
  double host_seconds_ = 0;
  std::clock_t cpu_clocks_ = 0;
  const loader::SourceMap* sources_ = nullptr;
};

}  // namespace spica::run

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "platform/run/session.h"
#include "platform/soc/fast_soc.h"

namespace spica::run {

/// Session for the fast mode: one program on one machine, loosely timed.
class FastSession final : public sc_core::sc_module,
                          private protocol::FaultIf,
                          private protocol::ConsoleIf {
 public:
  FastSession(const soc::SocParams& params, const loader::Program& program, report::ConsoleCollector& console);

  soc::FastSoc& soc() { return soc_; }
  /// Fills memory with the program. Throws UserError when a segment lies outside memory.
  void load();
  /// Runs from reset to the end. Once.
  Outcome run(const Session::Progress& progress = {});

 private:
  void report(const protocol::GuestFault& fault) override;
  void put(const protocol::Origin& origin, unsigned lane, const char* characters, unsigned count) override;
  std::optional<std::uint64_t> run_slice(base::Cycle end);
  End run_to_end(Outcome& outcome, const Session::Progress& progress);

  soc::FastSoc soc_;
  const loader::Program& program_;
  report::ConsoleCollector& console_;
  HostInterface host_;
  std::vector<protocol::GuestFault> faults_;
  bool faulted_ = false;
};

}  // namespace spica::run

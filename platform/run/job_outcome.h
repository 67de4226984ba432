// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platform/machine/session/outcome.h"

namespace spica::job {

/// CPU time of the host in addition to the simulation, in seconds.
struct HostSeconds {
  double elaboration = 0;
  double startup = 0;
};

/// The outcome of a job's run, with the results of its checks.
struct JobOutcome : session::Outcome {
  std::uint64_t hazards = 0;        // found by --check hazards
  std::uint64_t memory_errors = 0;  // found by --check memory
  bool is_projected = false;  // cycles are those of the whole run, projected from a sample
  bool is_whole = true;  // false: cycles and counts are those after a checkpoint of the fast mode

  /// True if no check has found anything.
  bool clean() const { return hazards == 0 && memory_errors == 0; }
  /// The exit code for the process: the program's own, or 1 if the run did not finish or has findings, 2 after an error
  /// in a user-supplied block, 3 after an internal error.
  int exit_code() const {
    if (end == session::End::kInternalError) return 3;
    if (end == session::End::kBlockError) return 2;
    if (!good()) return 1;
    if (!clean() && guest_exit_code == 0) return 1;
    return program_code();
  }
};

}  // namespace spica::job

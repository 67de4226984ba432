// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "platform/machine/session/outcome.h"

namespace spica::job {

/// What the host spent in addition to simulating, in seconds of CPU time.
struct HostSeconds {
  double elaboration = 0;
  double startup = 0;
};

/// How the run of a job ended, and what its checks found.
struct JobOutcome : session::Outcome {
  std::uint64_t hazards = 0;        // found by --check hazards
  std::uint64_t memory_errors = 0;  // found by --check memory

  /// No check has found anything.
  bool clean() const { return hazards == 0 && memory_errors == 0; }
  /// What the process should exit with: the program's own code, or 1 when the run did not finish or has hazards, 2
  /// after an error in a user-supplied block, 3 after an internal error.
  int exit_code() const {
    if (end == session::End::kInternalError) return 3;
    if (end == session::End::kBlockError) return 2;
    if (!good()) return 1;
    if (!clean() && guest_exit_code == 0) return 1;
    return program_code();
  }
};

}  // namespace spica::job

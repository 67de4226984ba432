// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/types.h"
#include "models/protocol/payload/guest_fault.h"

namespace spica::session {

/// How a run ended.
enum class End : std::uint8_t {
  kFinished,    // all warps ended and no work is in flight, or the program ended the run through tohost
  kFault,       // a guest fault
  kDeadlock,    // warps run, but no event can ever happen again
  kLivelock,    // warps run, but only spin
  kCycleLimit,  // run.max_cycles reached
  kKilled,      // the user ended it in the debugger
  kInterrupted,    // by a signal
  kBlockError,     // an error in a block that a slot added
  kInternalError,  // an internal error
};

struct Outcome {
  End end = End::kFinished;
  std::uint32_t guest_exit_code =
      0;   // gp of warp 0, lane 0, core 0 (runtime src/vx_start.S), or the value from tohost
  bool through_tohost = false;         // the program ended the run by an odd value in tohost
  base::Cycle cycles = 0;              // cycles of the whole run
  base::Cycle kernel_cycles = 0;       // cycles between the markers; the whole run if there are none
  bool has_markers = false;
  double host_seconds = 0;  // wall time of the simulation
  double cpu_seconds = 0;  // CPU time of the simulation
  std::vector<protocol::GuestFault> faults;  // faults, warnings and notes in order
  std::uint64_t unreported = 0;                  // number of further warnings and notes
  std::string interrupted_by;                // source of the interruption, if known
  std::string failure;                       // block error or internal error: where and what

  bool good() const { return end == End::kFinished; }
  /// True if the machine as a whole can no longer be queried.
  bool broken() const { return end == End::kBlockError || end == End::kInternalError; }
  /// The result of a program that ended, 0..255; 0: success. A code in tohost is the number of a test; any but 0 is a
  /// failure.
  int program_code() const {
    return through_tohost ? guest_exit_code != 0 : static_cast<int>(guest_exit_code & 0xFF);
  }
};

/// "finished", "fault", ... as in stats.json.
const char* end_name(End end);

}  // namespace spica::session

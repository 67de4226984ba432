// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/types.h"
#include "models/protocol/guest_fault.h"
#include "platform/observe/watchdog/spin_recorder.h"

namespace spica::session {

/// How a run ended.
enum class End : std::uint8_t {
  kFinished,    // all warps ended and everything is drained, or the program said so in tohost
  kFault,       // a guest fault
  kDeadlock,    // warps still run, and nothing can ever happen again
  kLivelock,    // warps still run, but only spin
  kCycleLimit,  // run.max_cycles reached
  kKilled,      // the user ended it in the debugger
  kInterrupted,    // by a signal
  kBlockError,     // an error in a block that a slot names
  kInternalError,  // an internal error
};

struct Outcome {
  End end = End::kFinished;
  std::uint32_t guest_exit_code =
      0;   // gp of warp 0, lane 0, core 0 (runtime src/vx_start.S), or what tohost said
  bool through_tohost = false;         // the program ended the run by an odd value in tohost
  base::Cycle cycles = 0;              // of the whole run
  base::Cycle kernel_cycles = 0;       // between the markers; the whole run when there are none
  bool has_markers = false;
  double host_seconds = 0;  // wall time of the simulation
  double cpu_seconds = 0;  // CPU time of the simulation
  std::vector<protocol::GuestFault> faults;  // notes and warnings too, in order
  std::uint64_t unreported = 0;                  // warnings and notes beyond those
  std::string interrupted_by;                // what asked for the end, if it is known
  std::string failure;                       // of a block or internal: where and what
  std::vector<watchdog::WarpActivity> activity;  // live-lock: what each warp spins on, by core and warp

  bool good() const { return end == End::kFinished; }
  /// Nothing can be asked of the machine as a whole any more.
  bool broken() const { return end == End::kBlockError || end == End::kInternalError; }
  /// What a program that ended says of itself, 0..255; 0: all is well. A code in tohost is the number of a test: any
  /// but 0 is a failure.
  int program_code() const {
    return through_tohost ? guest_exit_code != 0 : static_cast<int>(guest_exit_code & 0xFF);
  }
};

/// "finished", "fault", ... as in stats.json.
const char* end_name(End end);

}  // namespace spica::session

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace spica::debug {

/// Events at which a machine can be asked to stop, apart from breakpoints and watchpoints.
enum class Event : std::uint8_t { kBarrier, kMove, kCommand };
inline constexpr unsigned kEvents = 3;

/// The reason of a stop, and the warp that gdb should show.
struct Stop {
  enum class Kind : std::uint8_t {
    kNone,        // running
    kAttached,    // gdb has connected, or has asked
    kStepped,     // a step is finished
    kBreakpoint,  // `watch` is '0' or '1'
    kWatchpoint,  // `watch` is '2', '3' or '4'
    kEvent,       // an event of monitor break
    kInterrupt,   // interrupted by the user
    kHeld,        // running warps wait for held warps
    kHang,        // the program makes no progress
    kFault,       // final
    kReplayed,    // the place to which the run was to return is reached
    kBegin,       // the start of the recorded history
  };
  Kind kind = Kind::kNone;
  bool has_warp = false;  // false: any warp
  unsigned warp = 0;      // number within the machine
  char watch = 0;
  bool done = false;  // kWatchpoint: the access is complete; otherwise it is the warp's next action
  std::uint32_t lanes = 0;  // lanes concerned: one of them is shown; 0: none
  Event event = Event::kBarrier;  // of kEvent
  std::uint32_t address = 0;  // of a watchpoint
  int signal = 5;             // gdb's number; 5: SIGTRAP
  std::string text;           // for the user, lines; may be empty
};

}  // namespace spica::debug

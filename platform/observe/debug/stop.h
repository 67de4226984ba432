// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace spica::debug {

/// What a machine can be asked to stop at, apart from breakpoints and watchpoints.
enum class Event : std::uint8_t { kBarrier, kDma, kMatrix };
inline constexpr unsigned kEvents = 3;

/// Why the machine has stopped, and which warp gdb should look at.
struct Stop {
  enum class Kind : std::uint8_t {
    kNone,        // it goes
    kAttached,    // gdb has come, or has asked
    kStepped,     // a step is finished
    kBreakpoint,  // `watch` is '0' or '1'
    kWatchpoint,  // `watch` is '2', '3' or '4'
    kEvent,       // what monitor break asked for
    kInterrupt,   // the user wants it
    kHeld,        // warps that may go wait for warps that may not
    kHang,        // the program gets nowhere
    kFault,       // final
    kReplayed,    // the place is reached to which the run was to go back
    kBegin,       // nothing is known of what was before
  };
  Kind kind = Kind::kNone;
  bool has_warp = false;  // else any
  unsigned warp = 0;      // number over the whole machine
  char watch = 0;
  bool done = false;  // kWatchpoint: the access is over; else it is the next thing the warp does
  std::uint32_t lanes = 0;  // that the stop is about: one of them is shown; 0: about none
  Event event = Event::kBarrier;  // of kEvent
  std::uint32_t address = 0;  // of a watchpoint
  int signal = 5;             // gdb's number; 5: SIGTRAP
  std::string text;           // for the user, lines; may be empty
};

}  // namespace spica::debug

// SPDX-License-Identifier: Apache-2.0
// Signal handling of this process. Signals belong to the process, so this state is global instead of belonging to an
// object.
#pragma once

#include <functional>

namespace spica::base {
class ClockDomain;
}
namespace spica::soc {
class Machine;
}

namespace spica::job {

/// Ctrl-C (SIGINT), SIGTERM and SIGHUP. Without a SignalGuard, they end the process immediately with 128 + the number
/// of the signal. While a SignalGuard exists, the first one is only recorded, so that a run can end in order; the
/// second one ends the process immediately.
class Interrupt {
 public:
  /// Call at the start of the program. Signals that are ignored (background jobs of shell scripts) stay ignored.
  static void install();
  /// The received signal; 0: none.
  static int signal();
  /// Records a signal that was received in another way than by the handler.
  static void note(int number);
  /// 130, 143 or 129 after a signal, else `otherwise`; an internal error in `otherwise` takes precedence.
  static int exit_code(int otherwise);
  /// "Ctrl-C (SIGINT)", "SIGTERM", "SIGHUP, ...".
  static const char* name();

  /// While it exists, there are results to save: a signal requests `machine`, if given, to stop.
  class SignalGuard {
   public:
    explicit SignalGuard(soc::Machine* machine = nullptr);
    ~SignalGuard();
    SignalGuard(const SignalGuard&) = delete;
    SignalGuard& operator=(const SignalGuard&) = delete;
  };
};

/// Crashes: SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT and std::terminate print the error with its block and cycle, and
/// end the process with exit code 3.
class CrashReport {
 public:
  static void install();
  /// The clock whose blocks are ticking; nullptr: none.
  static void watch(const base::ClockDomain* clock);
};

}  // namespace spica::job

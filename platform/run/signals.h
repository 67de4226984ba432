// SPDX-License-Identifier: Apache-2.0
// What signals do to this process. Signals belong to the process, so what is here is the one state
// that is not an object's own.
#pragma once

#include <functional>

namespace spica::base {
class ClockDomain;
}
namespace spica::soc {
class Machine;
}

namespace spica::job {

/// Ctrl-C (SIGINT), SIGTERM and SIGHUP. Without anything to keep they end the process at once, with 128 +
/// the number of the signal. While a SignalGuard exists, the first one is only noted, so that a run can end
/// in order; the second one ends the process at once.
class Interrupt {
 public:
  /// From the beginning of the program on. Signals that are ignored (a job of a shell script in the
  /// background) stay ignored.
  static void install();
  /// The signal that has come; 0: none.
  static int signal();
  /// One that was taken in another way than by the handler.
  static void note(int number);
  /// 130, 143 or 129 when a signal has come, else `otherwise`, which takes precedence when it reports an
  /// internal error.
  static int exit_code(int otherwise);
  /// "Ctrl-C (SIGINT)", "SIGTERM", "SIGHUP, ...".
  static const char* name();

  /// While it exists there are results to keep: a signal then asks `machine`, if any, to stop.
  class SignalGuard {
   public:
    explicit SignalGuard(soc::Machine* machine = nullptr);
    ~SignalGuard();
    SignalGuard(const SignalGuard&) = delete;
    SignalGuard& operator=(const SignalGuard&) = delete;
  };
};

/// Crashes: SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT and std::terminate print what happened, in which
/// block and cycle, and end the process with exit code 3.
class CrashReport {
 public:
  static void install();
  /// The clock whose blocks tick from now on; nullptr: none.
  static void watch(const base::ClockDomain* clock);
};

}  // namespace spica::job

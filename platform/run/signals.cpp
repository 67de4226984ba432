// SPDX-License-Identifier: Apache-2.0
#include "platform/run/signals.h"

#include <execinfo.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string_view>

#include "models/base/clock_domain.h"
#include "models/base/component.h"
#include "platform/machine/soc/machine.h"

namespace spica::job {

namespace {

std::atomic<int> interrupt_signal{0};
std::atomic<unsigned> keepers{0};
std::atomic<soc::Machine*> interrupted_machine{nullptr};
std::atomic<const base::ClockDomain*> watched_clock{nullptr};

extern "C" void on_interrupt(int number) {
  int none = 0;
  if (keepers == 0 || !interrupt_signal.compare_exchange_strong(none, number)) _exit(128 + number);
  if (soc::Machine* machine = interrupted_machine) machine->interrupt();
}

/// Text on stderr, by means that a signal handler may use.
class RawText {
 public:
  RawText& operator<<(std::string_view text) {
    static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
    return *this;
  }
  RawText& operator<<(std::uint64_t number) {
    char digits[20];
    unsigned at = sizeof digits;
    do digits[--at] = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    return *this << std::string_view(digits + at, sizeof digits - at);
  }
};

const char* crash_name(int number) {
  switch (number) {
    case SIGSEGV: return "SIGSEGV, an access to unmapped memory";
    case SIGBUS: return "SIGBUS, an access to unmapped memory";
    case SIGFPE: return "SIGFPE, an invalid division";
    case SIGILL: return "SIGILL, an instruction that this processor does not support";
    default: return "SIGABRT";
  }
}

/// Reports where the simulation was and ends the process.
[[noreturn]] void die() {
  RawText out;
  if (const base::ClockDomain* clock = watched_clock) {
    if (const base::Component* block = clock->ticking()) out << "In block " << block->name() << ", cycle ";
    else out << "Between two ticks, cycle ";
    out << std::uint64_t{clock->now()} << ".\n";
  }
  void* frames[32];
  ::backtrace_symbols_fd(frames, ::backtrace(frames, 32), STDERR_FILENO);
  out << "This is a bug in Spica, not in your program.\n";
  _exit(3);
}

extern "C" void on_crash(int number) {
  RawText() << "\nspica: internal error: " << crash_name(number) << ".\n";
  die();
}

[[noreturn]] void on_terminate() {
  RawText out;
  out << "\nspica: internal error: ";
  try {
    if (const std::exception_ptr exception = std::current_exception()) std::rethrow_exception(exception);
    out << "std::terminate";
  } catch (const std::exception& error) {
    out << error.what();
  } catch (...) {
    out << "an unknown exception";
  }
  out << ".\n";
  die();
}

void handle(int number, void (*handler)(int), int flags) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, nullptr);
}

}  // namespace

void Interrupt::install() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old{};
    sigaction(number, nullptr, &old);
    if (old.sa_handler != SIG_IGN) handle(number, on_interrupt, SA_RESTART);
  }
}

int Interrupt::signal() { return interrupt_signal; }

void Interrupt::note(int number) {
  int none = 0;
  interrupt_signal.compare_exchange_strong(none, number);
}

int Interrupt::exit_code(int otherwise) {
  return signal() != 0 && otherwise != 3 ? 128 + signal() : otherwise;
}

const char* Interrupt::name() {
  switch (signal()) {
    case SIGINT: return "Ctrl-C (SIGINT)";
    case SIGHUP: return "SIGHUP, the end of the terminal";
    default: return "SIGTERM";
  }
}

Interrupt::SignalGuard::SignalGuard(soc::Machine* machine) {
  ++keepers;
  if (machine != nullptr) interrupted_machine = machine;
}

Interrupt::SignalGuard::~SignalGuard() {
  if (--keepers == 0) interrupted_machine = nullptr;
}

void CrashReport::install() {
  // A handler needs its own stack in case the stack has overflowed.
  static char stack[1 << 16];
  stack_t alternative{};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  sigaltstack(&alternative, nullptr);
  void* frame = nullptr;
  ::backtrace(&frame, 1);  // loads what it needs before it is needed
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    handle(number, on_crash, SA_ONSTACK | SA_RESETHAND);
  std::set_terminate(on_terminate);
}

void CrashReport::watch(const base::ClockDomain* clock) { watched_clock = clock; }

}  // namespace spica::job

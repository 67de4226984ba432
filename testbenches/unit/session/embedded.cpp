// SPDX-License-Identifier: Apache-2.0
// A program of somebody else that runs a machine inside itself. It knows two headers of the platform, and prints
// nothing when all is well: neither may the session.
#include <cstdio>
#include <string>

#include "platform/machine/session/session.h"
#include "platform/observe/watchdog/hang_watch.h"
#include "testbenches/support/assembler.h"
#include "testbenches/unit/session/program.h"

namespace {

using namespace spica;
using namespace spica::testbench::rv;

constexpr std::uint32_t kEntry = 0x8000'0000, kData = 0x8001'0000;
constexpr base::Cycle kWindow = 16;

/// Looks at the machine every kWindow cycles.
class Looks final : public soc::RunObserver {
 public:
  base::Cycle next_edge() const override { return (looks_ + 1) * kWindow; }
  void at_edge(base::Cycle cycle) override {
    ++looks_;
    in_time_ = in_time_ && cycle == looks_ * kWindow;
  }
  void end(base::Cycle cycle) override { end_ = cycle; }

  base::Cycle looks_ = 0, end_ = 0;
  bool in_time_ = true;
};

/// Stores 42, leaves 7 as exit code, and ends.
loader::Program program() {
  return testbench::program_of(kEntry,
                               {addi(5, 0, 42), lui(4, kData >> 12), sw(5, 4, 0), addi(3, 0, 7), tmc(0)});
}

int failures = 0;
void check(bool good, const char* what) {
  if (good) return;
  std::printf("not so: %s\n", what);
  ++failures;
}

}  // namespace

int main(int, char* argv[]) {
  const bool fast = std::string(argv[1]) == "fast";
  soc::SocParams params;
  params.cluster.cores = 1;
  params.run.mode = fast ? soc::Mode::kFast : soc::Mode::kCycle;
  const loader::Program code = program();
  session::ConsoleCollector console;
  session::Session session(params, code, console);
  watchdog::HangWatch hang_watch(session.machine());
  session.find_hangs(hang_watch);
  Looks looks;
  session.observe(looks);
  session.load();
  const session::Outcome outcome = session.run();

  check(outcome.good(), "the run ended well");
  check(outcome.program_code() == 7, "the program's exit code is 7");
  check(outcome.faults.empty(), "there are no faults");
  check(outcome.cycles != 0 && outcome.cycles == session.machine().now(),
        "the run took the machine's cycles");
  check(session.machine().warp_instructions() == 5, "five instructions were executed");
  std::uint32_t stored = 0;
  check(session.machine().read(kData, reinterpret_cast<unsigned char*>(&stored), 4), "memory can be read");
  check(stored == 42, "the program has stored 42");
  check(looks.end_ == outcome.cycles, "observers are told of the end");
  if (!fast)
    check(looks.looks_ == (outcome.cycles - 1) / kWindow && looks.in_time_, "observers look in time");
  return failures;
}

/// SystemC's library wants it to exist.
int sc_main(int, char*[]) { return 1; }

// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "platform/machine/session/session.h"
#include "platform/observe/watchdog/hang_watch.h"
#include "testbenches/support/assembler.h"
#include "testbenches/support/catch.h"
#include "testbenches/unit/session/program.h"

using namespace spica;
using namespace spica::testbench::rv;

namespace {

constexpr std::uint32_t kEntry = 0x8000'0000, kPrintBuffer = 0xFF01'0000;

/// Prints a line, then counts for ever.
loader::Program endless() {
  return testbench::program_of(
      kEntry, {addi(5, 0, '\n'), lui(4, kPrintBuffer >> 12), sw(5, 4, 0), addi(6, 6, 1), beq(0, 0, -4)});
}

}  // namespace

TEST_CASE(
    "an interrupt in the longest turn of the fast mode ends the run within a few million instructions") {
  soc::SocParams params;
  params.cluster.cores = 1;
  params.run.mode = soc::Mode::kFast;
  params.run.quantum = 1'000'000'000;
  params.run.hang_cycles = 1'000'000'000'000;
  params.run.spin_cycles = 0;
  const loader::Program code = endless();
  session::ConsoleCollector console;
  session::Session session(params, code, console);
  watchdog::HangWatch hang_watch(session.machine());
  session.find_hangs(hang_watch);
  console.listen([&](const std::string&) { session.machine().interrupt(); });
  session.load();
  const session::Outcome outcome = session.run([](base::Cycle) { return false; });
  CHECK(outcome.end == session::End::kInterrupted);
  CHECK(session.machine().warp_instructions() < 10'000'000);
}

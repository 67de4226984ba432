// SPDX-License-Identifier: Apache-2.0
#include "models/isa/machine_mode.h"

#include "models/isa/csr.h"
#include "testbenches/support/catch.h"

namespace spica::isa {

namespace {
constexpr std::uint32_t kMieBit = 1u << 3, kMpieBit = 1u << 7, kMppBits = 3u << 11;

std::uint32_t value(const MachineMode& machine, std::uint32_t number) { return machine.read(number).value(); }
}  // namespace

TEST_CASE("after reset every register of machine mode reads as the published core shows it") {
  const MachineMode machine;
  CHECK(machine.privilege() == Privilege::kMachine);
  CHECK_FALSE(machine.handler_installed());
  for (std::uint32_t number = 0; number < 4096; ++number) {
    const auto held = machine.read(number);
    if (held.has_value() && number != csr::kMcounteren) CHECK(*held == 0);
  }
}

TEST_CASE("a trap saves where it came from and mret goes back there") {
  MachineMode machine;
  machine.write(csr::kMtvec, 0x8000'0100);
  machine.write(csr::kMstatus, kMieBit);
  CHECK(machine.enter(Cause::kMisalignedLoad, 0x8000'0040, 0x1235) == 0x8000'0100);
  CHECK(value(machine, csr::kMcause) == 4);
  CHECK(value(machine, csr::kMepc) == 0x8000'0040);
  CHECK(value(machine, csr::kMtval) == 0x1235);
  CHECK(value(machine, csr::kMstatus) == (kMpieBit | kMppBits));
  CHECK(machine.traps() == 1);
  CHECK(machine.last_pc() == 0x8000'0040);
  CHECK(machine.leave() == 0x8000'0040);
  CHECK(machine.privilege() == Privilege::kMachine);
  CHECK(value(machine, csr::kMstatus) == (kMieBit | kMpieBit));  // MPP is the lowest mode now
}

TEST_CASE("mret enters the mode in MPP, and a trap from there says so") {
  MachineMode machine;
  machine.write(csr::kMtvec, 0x8000'0100);
  machine.write(csr::kMepc, 0x8000'2003);
  CHECK(machine.leave() == 0x8000'2000);  // instructions are aligned
  CHECK(machine.privilege() == Privilege::kUser);
  machine.enter(Cause::kUserCall, 0x8000'2000, 0);
  CHECK(machine.privilege() == Privilege::kMachine);
  CHECK((value(machine, csr::kMstatus) & kMppBits) == 0);
}

TEST_CASE("exceptions go to the base of mtvec in vectored mode too") {
  MachineMode machine;
  machine.write(csr::kMtvec, 0x8000'0103);
  CHECK(value(machine, csr::kMtvec) == 0x8000'0101);
  CHECK(machine.enter(Cause::kBreakpoint, 0, 0) == 0x8000'0100);
}

TEST_CASE("writing 0 to mtvec takes the handler away") {
  MachineMode machine;
  machine.write(csr::kMtvec, 0x8000'0100);
  CHECK(machine.handler_installed());
  machine.write(csr::kMtvec, 0);
  CHECK_FALSE(machine.handler_installed());
}

TEST_CASE("fields keep legal values only") {
  MachineMode machine;
  machine.write(csr::kMstatus, 0xFFFF'FFFF);
  CHECK(value(machine, csr::kMstatus) == 0x8000'7888);
  machine.write(csr::kMstatus, 1u << 11);  // supervisor
  CHECK(value(machine, csr::kMstatus) == 0);
  machine.write(csr::kMie, 0xFFFF'FFFF);
  CHECK(value(machine, csr::kMie) == 0x888);
  for (const std::uint32_t number :
       {csr::kSatp, csr::kMedeleg, csr::kMideleg, csr::kMip, csr::kPmpcfg0, csr::kPmpaddr0, csr::kMnstatus}) {
    machine.write(number, 0xFFFF'FFFF);
    CHECK(value(machine, number) == 0);
  }
}

TEST_CASE("mstatus.FS counts from the first write of mstatus on") {
  constexpr std::uint32_t kFs = 3u << 13, kInitial = 1u << 13, kClean = 2u << 13, kSd = 1u << 31;
  MachineMode machine;
  CHECK_FALSE(machine.watches_floats());
  CHECK(machine.use_floats(true));  // never written: floats work, and nothing shows
  machine.write(csr::kMtvec, 0x8000'0100);
  machine.enter(Cause::kBreakpoint, 0, 0);  // a trap changes mstatus, but is no write of the program
  machine.leave();
  CHECK(machine.use_floats(true));
  CHECK((value(machine, csr::kMstatus) & kFs) == 0);

  machine.write(csr::kMstatus, kMieBit);
  CHECK(machine.watches_floats());
  CHECK_FALSE(machine.use_floats(false));
  CHECK_FALSE(machine.use_floats(true));
  CHECK(value(machine, csr::kMstatus) == kMieBit);

  for (const std::uint32_t on : {kInitial, kClean}) {
    machine.write(csr::kMstatus, on);
    CHECK(machine.use_floats(false));
    CHECK(value(machine, csr::kMstatus) == on);
    CHECK(machine.watches_floats());
    CHECK(machine.use_floats(true));
    CHECK(value(machine, csr::kMstatus) == (kSd | kFs));
    CHECK_FALSE(machine.watches_floats());  // dirty: nothing more to note
  }
}

TEST_CASE("an access is allowed when the register exists, in this mode and this direction") {
  MachineMode machine;
  CHECK(machine.allows(csr::kMstatus, true));
  CHECK(machine.allows(csr::kHartId, false));
  CHECK_FALSE(machine.allows(csr::kHartId, true));
  CHECK_FALSE(machine.allows(csr::kCycle, true));
  CHECK(machine.allows(csr::kMcycle, true));
  CHECK(machine.allows(csr::kMcycleHigh, true));
  CHECK_FALSE(machine.allows(0xB01, false));  // between mcycle and minstret there is nothing
  CHECK_FALSE(machine.allows(0xB81, false));
  CHECK_FALSE(machine.allows(0x7C0, false));
  CHECK_FALSE(machine.allows(0x100, false));  // sstatus: there is no supervisor
  machine.leave();                            // to user mode
  CHECK_FALSE(machine.allows(csr::kMstatus, false));
  CHECK_FALSE(machine.allows(csr::kHartId, false));
  CHECK_FALSE(machine.allows(csr::kMcycle, false));
  CHECK_FALSE(machine.allows(csr::kSatp, false));
  CHECK(machine.allows(csr::kFcsr, true));
  CHECK(machine.allows(csr::kCycle, false));
  CHECK(machine.allows(csr::kInstretHigh, false));
}

TEST_CASE("the registers of the SIMT extension belong to every mode") {
  MachineMode machine;
  for (int user = 0; user < 2; ++user) {
    for (const std::uint32_t number :
         {csr::kLaneId, csr::kActiveWarps, csr::kBootArgument, csr::kLanes, csr::kCores}) {
      CHECK(machine.allows(number, false));
      CHECK_FALSE(machine.allows(number, true));
    }
    CHECK(machine.allows(csr::kAccelerator, true));
    machine.leave();
  }
}

TEST_CASE("mcounteren closes single counters to user mode") {
  MachineMode machine;
  machine.write(csr::kMcounteren, 0b101);
  machine.leave();
  CHECK(machine.allows(csr::kCycle, false));
  CHECK_FALSE(machine.allows(csr::kTime, false));
  CHECK_FALSE(machine.allows(csr::kTimeHigh, false));
  CHECK(machine.allows(csr::kInstret, false));
}

}  // namespace spica::isa

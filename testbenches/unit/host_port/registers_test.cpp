// SPDX-License-Identifier: Apache-2.0
#include "models/host_port/registers.h"

#include "testbenches/support/catch.h"

using namespace spica;
using host_port::HostPortParams;
using host_port::Registers;
using Action = Registers::Action;

namespace {

Registers built() { return Registers(HostPortParams{}); }

protocol::GuestFault fault() {
  protocol::GuestFault fault{};
  fault.kind = protocol::FaultKind::kIllegalInstruction;
  fault.severity = protocol::Severity::kFault;
  fault.origin.pc = 0x8000'0004;
  fault.origin.core = 2;
  fault.origin.warp = 1;
  return fault;
}

}  // namespace

TEST_CASE("nothing runs and nothing interrupts at first") {
  const Registers registers = built();
  CHECK(registers.read(HOST_PORT_ID, 0) == HOST_PORT_ID_VALUE);
  CHECK(registers.read(HOST_PORT_STATUS, 0) == 0u);
  CHECK(registers.read(HOST_PORT_INTERRUPT_ENABLE, 0) == 0u);
  CHECK(registers.read(HOST_PORT_CORES, 0) == 4u);
  CHECK_FALSE(registers.interrupts());
}

TEST_CASE("what is written can be read where it is state, and asks for an action where it is a doorbell") {
  Registers registers = built();
  CHECK(registers.write(HOST_PORT_ENTRY, 0x8000'0000) == Action::kNone);
  CHECK(registers.read(HOST_PORT_ENTRY, 0) == 0x8000'0000u);
  CHECK(registers.write(HOST_PORT_LAUNCH, 0) == Action::kLaunch);
  CHECK(registers.write(HOST_PORT_RESET, 0) == Action::kReset);
  for (const unsigned offset : {HOST_PORT_LAUNCH, HOST_PORT_RESET, HOST_PORT_REGISTERS_END})
    CHECK_FALSE(registers.read(offset, 0));
  for (const unsigned offset : {HOST_PORT_ID, HOST_PORT_STATUS, HOST_PORT_EXIT_CODE, HOST_PORT_REGISTERS_END})
    CHECK(registers.write(offset, 1) == Action::kRefused);
}

TEST_CASE("the count of cycles runs from the doorbell to the end, over 32 bits") {
  Registers registers = built();
  registers.launched(100);
  CHECK(registers.read(HOST_PORT_CYCLES_LO, 130) == 30u);
  CHECK(registers.write(HOST_PORT_LAUNCH, 1) == Action::kRefused);
  registers.ended(100 + 0x1'0000'0007, 3);
  CHECK(registers.read(HOST_PORT_CYCLES_LO, ~0ull) == 7u);
  CHECK(registers.read(HOST_PORT_CYCLES_HI, ~0ull) == 1u);
  CHECK(registers.read(HOST_PORT_EXIT_CODE, 0) == 3u);
  CHECK(registers.write(HOST_PORT_LAUNCH, 1) == Action::kLaunch);
}

TEST_CASE("an end interrupts once it is enabled, until bit 0 is written") {
  Registers registers = built();
  registers.launched(0);
  registers.ended(10, 0);
  CHECK_FALSE(registers.interrupts());
  registers.write(HOST_PORT_INTERRUPT_ENABLE, 1);
  CHECK(registers.interrupts());
  registers.write(HOST_PORT_INTERRUPT_PENDING, 2);
  CHECK(registers.interrupts());
  registers.write(HOST_PORT_INTERRUPT_PENDING, 1);
  CHECK_FALSE(registers.interrupts());
}

TEST_CASE("a fault shows where it was, and needs a reset before the next launch") {
  Registers registers = built();
  registers.write(HOST_PORT_ENTRY, 64);
  registers.write(HOST_PORT_INTERRUPT_ENABLE, 1);
  registers.launched(0);
  registers.faulted(10, fault());
  CHECK(registers.interrupts());
  CHECK(registers.read(HOST_PORT_STATUS, 0) == unsigned{HOST_PORT_STATUS_FAULTED});
  CHECK(registers.read(HOST_PORT_FAULT_KIND, 0) == 1u);
  CHECK(registers.read(HOST_PORT_FAULT_PC, 0) == 0x8000'0004u);
  CHECK(registers.read(HOST_PORT_FAULT_ADDRESS, 0) == 0u);
  CHECK(registers.read(HOST_PORT_FAULT_ORIGIN, 0) == 0x20100u);
  CHECK(registers.write(HOST_PORT_LAUNCH, 1) == Action::kRefused);
  registers.machine_reset();
  CHECK_FALSE(registers.interrupts());
  CHECK(registers.read(HOST_PORT_FAULT_KIND, 0) == 0u);
  CHECK(registers.read(HOST_PORT_ENTRY, 0) == 64u);  // the host's own stay
  CHECK(registers.write(HOST_PORT_LAUNCH, 1) == Action::kLaunch);
  registers.reset();
  CHECK(registers.read(HOST_PORT_ENTRY, 0) == 0u);
  CHECK(registers.read(HOST_PORT_INTERRUPT_ENABLE, 0) == 0u);
}

// SPDX-License-Identifier: Apache-2.0
// A host in the same simulation that puts kernels into queues of the command processor and rings its doorbells.

#include "models/command_processor/command_processor_regs.h"
#include "models/protocol/host_queues/packets.h"
#include "testbenches/support/catch.h"
#include "testbenches/unit/soc/host_system.h"

using namespace spica;
using namespace spica::testbench;
using protocol::KernelObject;
using protocol::Packet;

namespace {

constexpr std::uint32_t kObject = 0x8002'0000, kSignal = 0x8003'0000, kRing = 0x8004'0000,
                        kRingBytes = 0x1000;
constexpr std::uint32_t kWindow = 0x2000'0000, kStride = 0x0100'0000, kSharedBase = 0xFF00'0000;

/// Adds 1 to the word that the packet's arguments are.
const std::vector<std::uint32_t> kAddsOne = {csrrs(4, 0x340, 0), lw(6, 4, 0), addi(6, 6, 1), sw(6, 4, 0),
                                             tmc(0)};

soc::SocParams with_queues() {
  soc::SocParams params = hosted();
  params.dispatcher.present = params.command_processor.present = true;
  return params;
}

struct Host {
  Processor& cpu;
  const soc::SocParams params = with_queues();

  template <class Bytes>
  void put(std::uint32_t address, Bytes bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += 4) {
      std::uint32_t word = 0;
      std::memcpy(&word, &bytes[at], sizeof word);
      cpu.write(address + static_cast<std::uint32_t>(at), word);
    }
  }
  /// A register of a queue, by way of a cluster.
  std::uint64_t place(unsigned cluster, unsigned queue, std::uint32_t offset) const {
    return kWindow + kStride * cluster + (params.command_processor.registers_base - kSharedBase) +
           std::uint64_t{queue} * COMMAND_PROCESSOR_QUEUE_BYTES + offset;
  }
  void set_up() {
    for (std::size_t i = 0; i < kAddsOne.size(); ++i)
      cpu.write(kCode + 4 * static_cast<std::uint32_t>(i), kAddsOne[i]);
    put(kObject, KernelObject{kCode, kCode, 0, 1, 0}.encode());
  }
  /// Packet `number` of a queue: adds 1 to word `word`, with a signal of its own.
  void packet(unsigned queue, unsigned number, unsigned word) {
    Packet packet;
    packet.block = packet.grid = {8, 1, 1};
    packet.object = kObject;
    packet.arguments = kWord + 4 * word;
    packet.signal = kSignal + 64 * queue + 8 * number;
    cpu.write(packet.signal, 1);
    cpu.write(packet.signal + 4, 0);
    put(kRing + queue * kRingBytes + 64 * number, packet.encode());
  }
  void wait_for(unsigned queue, unsigned number) {
    for (int i = 0; i < 1000 && cpu.read(kSignal + 64 * queue + 8 * number) != 0; ++i)
      sc_core::wait(100, sc_core::SC_NS);
    CHECK(cpu.read(kSignal + 64 * queue + 8 * number) == 0);
  }
};

template <class Machine>
void rings_doorbells() {
  System<Machine> system(
      [](auto& s, Processor& cpu) {
        Host host{cpu};
        host.set_up();
        // Two kernels of a queue, then two more, by way of the other cluster; and one of another queue meanwhile.
        for (unsigned number = 0; number < 4; ++number) host.packet(3, number, 0);
        host.packet(7, 0, 1);
        cpu.write(host.place(0, 3, COMMAND_PROCESSOR_BASE), kRing + 3 * kRingBytes);
        cpu.write(host.place(0, 3, COMMAND_PROCESSOR_PACKETS), 4);
        cpu.write(host.place(0, 3, COMMAND_PROCESSOR_DOORBELL), 2);
        host.wait_for(3, 1);
        CHECK(cpu.read(kWord) == 2);
        CHECK(cpu.read(host.place(1, 3, COMMAND_PROCESSOR_READ)) == 2);
        cpu.write(host.place(1, 7, COMMAND_PROCESSOR_BASE), kRing + 7 * kRingBytes);
        cpu.write(host.place(1, 7, COMMAND_PROCESSOR_PACKETS), 1);
        cpu.write(host.place(1, 3, COMMAND_PROCESSOR_DOORBELL), 4);
        cpu.write(host.place(1, 7, COMMAND_PROCESSOR_DOORBELL), 1);
        host.wait_for(3, 3);
        host.wait_for(7, 0);
        CHECK(cpu.read(kWord) == 4);
        CHECK(cpu.read(kWord + 4) == 1);
        CHECK(s.machine.kernel_runs().size() == 5);
        CHECK(s.owner.faults.empty());

        // What a doorbell cannot say: fewer packets, more than the ring holds; and a register that is none.
        std::uint32_t value = 3;
        const auto write = [&](std::uint64_t address) {
          return cpu.access(tlm::TLM_WRITE_COMMAND, address, &value, 4);
        };
        CHECK(write(host.place(0, 3, COMMAND_PROCESSOR_DOORBELL)) == tlm::TLM_COMMAND_ERROR_RESPONSE);
        value = 9;
        CHECK(write(host.place(0, 3, COMMAND_PROCESSOR_DOORBELL)) == tlm::TLM_COMMAND_ERROR_RESPONSE);
        CHECK(write(host.place(0, 3, 0x1C)) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
        CHECK(cpu.read(host.place(0, 3, COMMAND_PROCESSOR_DOORBELL)) == 4);
      },
      with_queues());
  system.run();
}

template <class Machine>
void rings_for_a_bad_packet() {
  System<Machine> system(
      [](auto& s, Processor& cpu) {
        Host host{cpu};
        host.set_up();
        cpu.write(kRing, 0);  // of no type
        cpu.write(host.place(0, 0, COMMAND_PROCESSOR_BASE), kRing);
        cpu.write(host.place(0, 0, COMMAND_PROCESSOR_PACKETS), 1);
        cpu.write(host.place(0, 0, COMMAND_PROCESSOR_DOORBELL), 1);
        sc_core::wait(2, sc_core::SC_US);
        REQUIRE(s.owner.faults.size() == 1);
        CHECK(s.owner.faults.front().kind == protocol::FaultKind::kBadPacket);
        CHECK(cpu.reg(HOST_PORT_STATUS) == HOST_PORT_STATUS_FAULTED);
        CHECK(cpu.reg(HOST_PORT_FAULT_KIND) == static_cast<unsigned>(protocol::FaultKind::kBadPacket) + 1);
        cpu.set(HOST_PORT_RESET, 1);
        CHECK(cpu.reg(HOST_PORT_STATUS) == 0);
        host.packet(0, 0, 0);
        cpu.write(host.place(0, 0, COMMAND_PROCESSOR_BASE), kRing);
        cpu.write(host.place(0, 0, COMMAND_PROCESSOR_PACKETS), 1);
        cpu.write(host.place(0, 0, COMMAND_PROCESSOR_DOORBELL), 1);
        host.wait_for(0, 0);
        CHECK(cpu.read(kWord) == 1);
      },
      with_queues());
  system.run();
}

}  // namespace

TEST_CASE("cycle mode: a host puts kernels into queues and rings their doorbells") {
  rings_doorbells<soc::Soc>();
}
TEST_CASE("fast mode: a host puts kernels into queues and rings their doorbells") {
  rings_doorbells<soc::FastSoc>();
}
TEST_CASE("cycle mode: a bad packet of a host is a fault that it sees, and a reset mends") {
  rings_for_a_bad_packet<soc::Soc>();
}
TEST_CASE("fast mode: a bad packet of a host is a fault that it sees, and a reset mends") {
  rings_for_a_bad_packet<soc::FastSoc>();
}

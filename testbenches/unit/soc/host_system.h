// SPDX-License-Identifier: Apache-2.0
// A machine, a processor that drives it through its host port, and what is around them.
#pragma once

#include <cstring>
#include <functional>

#include "models/host_port/host_port_regs.h"
#include "platform/machine/soc/fast_soc.h"
#include "platform/machine/soc/soc.h"
#include "testbenches/support/assembler.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/strangers.h"

namespace spica::testbench {

using namespace rv;
using sc_core::sc_time;

inline constexpr std::uint32_t kCode = 0x8000'0000, kWord = 0x8001'0000;

/// Adds 1 to a word of global memory and to one of shared memory, `turns` times, and ends with 5 in gp.
inline std::vector<std::uint32_t> counts(int turns) {
  return {lui(4, kWord >> 12),
          lui(8, 0xFF000),
          addi(5, 0, turns),
          lw(6, 4, 0),
          addi(6, 6, 1),
          sw(6, 4, 0),
          lw(7, 8, 0),
          addi(7, 7, 1),
          sw(7, 8, 0),
          addi(5, 5, -1),
          bne(5, 0, -28),
          addi(3, 0, 5),
          tmc(0)};
}
/// Loads from an address where nothing is, while other cores turn for ever.
inline const std::vector<std::uint32_t> kWrong = {csrrs(2, 0xCC2, 0), bne(2, 0, 12), lui(4, 0x10000),
                                                  lw(5, 4, 16), beq(0, 0, 0)};

struct Owner final : sc_core::sc_module, protocol::FaultIf, protocol::ConsoleIf {
  explicit Owner(const sc_core::sc_module_name& name) : sc_module(name) {}
  void report(const protocol::GuestFault& fault) override { faults.push_back(fault); }
  void put(const protocol::Origin&, unsigned, const char*, unsigned) override {}
  std::vector<protocol::GuestFault> faults;
};

inline soc::SocParams hosted() {
  soc::SocParams params;
  params.cluster.cores = 2;
  params.clusters = 2;
  params.host.present = true;
  return params;
}

/// A processor that does what it is told, through b_transport.
struct Processor final : sc_core::sc_module {
  Processor(const sc_core::sc_module_name& name, std::function<void(Processor&)> what)
      : sc_module(name), script_(std::move(what)) {
    SC_HAS_PROCESS(Processor);
    SC_THREAD(run);
  }
  void run() {
    script_(*this);
    ended = true;
  }
  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, void* data,
                                  unsigned bytes) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    sc_time delay;
    out->b_transport(payload, delay);
    wait(delay);
    return payload.get_response_status();
  }
  void write(std::uint64_t address, std::uint32_t value) {
    REQUIRE(access(tlm::TLM_WRITE_COMMAND, address, &value, 4) == tlm::TLM_OK_RESPONSE);
  }
  std::uint32_t read(std::uint64_t address) {
    std::uint32_t value = 0;
    REQUIRE(access(tlm::TLM_READ_COMMAND, address, &value, 4) == tlm::TLM_OK_RESPONSE);
    return value;
  }
  /// Without time and traces in caches.
  std::uint32_t peek(std::uint64_t address) {
    std::uint32_t value = 0;
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    CHECK(out->transport_dbg(payload) == 4);
    return value;
  }
  std::uint32_t reg(unsigned offset) { return read(0x1000'0000 + offset); }
  void set(unsigned offset, std::uint32_t value) { write(0x1000'0000 + offset, value); }
  void load(std::vector<std::uint32_t> program) {
    const auto bytes = static_cast<unsigned>(4 * program.size());
    REQUIRE(access(tlm::TLM_WRITE_COMMAND, kCode, program.data(), bytes) == tlm::TLM_OK_RESPONSE);
    set(HOST_PORT_ENTRY, kCode);
  }

  tlm_utils::simple_initiator_socket<Processor> out{"out"};
  bool ended = false;

 private:
  std::function<void(Processor&)> script_;
};

/// A machine and what is around it.
template <class Machine>
struct System {
  System(std::function<void(System&, Processor&)> what, const soc::SocParams& params = hosted(),
         const sc_time& period = sc_core::SC_ZERO_TIME)
      : machine("machine", params, period),
        processor("processor", [this, what](Processor& cpu) { what(*this, cpu); }) {
    machine.fault.bind(owner);
    machine.console.bind(owner);
    processor.out.bind(machine.host().in);
    machine.host().done.bind(done);
    machine.host().reset.bind(reset);
  }
  void run() {
    sc_core::sc_start(10, sc_core::SC_MS);
    CHECK(processor.ended);
    CHECK_NOTHROW(machine.settle());  // all accounts close, resets or not
  }
  /// From the doorbell to the interrupt.
  std::uint32_t launch(Processor& cpu) {
    cpu.set(HOST_PORT_INTERRUPT_ENABLE, 1);
    cpu.set(HOST_PORT_LAUNCH, 1);
    if (!done.read()) sc_core::wait(done.posedge_event());
    const std::uint32_t cycles = cpu.reg(HOST_PORT_CYCLES_LO);
    cpu.set(HOST_PORT_INTERRUPT_PENDING, 1);
    return cycles;
  }
  std::uint32_t shared(Processor& cpu, unsigned cluster) {
    return cpu.read(0x2000'0000 + cluster * 0x0100'0000u);
  }

  Owner owner{"owner"};
  sc_core::sc_signal<bool> done{"done"}, reset{"reset"};
  Machine machine;
  Processor processor;
};

}  // namespace spica::testbench

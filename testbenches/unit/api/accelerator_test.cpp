// SPDX-License-Identifier: Apache-2.0
#include <spica/accelerator.h>

#include <algorithm>
#include <cstring>

#include "models/host_port/host_port_regs.h"
#include "testbenches/support/assembler.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/strangers.h"

using namespace spica::testbench::rv;
using sc_core::SC_NS;
using spica::Accelerator;

namespace {

constexpr std::uint64_t kRegisters = 0x1000'0000, kProgram = 0x8000'0000;

/// Stores `program`, starts it, waits for the interrupt, and reads a word.
struct Host final : sc_core::sc_module {
  Host(const sc_core::sc_module_name& name, std::vector<std::uint32_t> code, std::uint64_t from)
      : sc_module(name), program(std::move(code)), address(from) {
    SC_HAS_PROCESS(Host);
    SC_THREAD(run);
  }
  void run() {
    access(tlm::TLM_WRITE_COMMAND, kProgram, program.data(), static_cast<unsigned>(4 * program.size()));
    std::uint32_t entry = kProgram, one = 1;
    access(tlm::TLM_WRITE_COMMAND, kRegisters + HOST_PORT_ENTRY, &entry, 4);
    access(tlm::TLM_WRITE_COMMAND, kRegisters + HOST_PORT_INTERRUPT_ENABLE, &one, 4);
    access(tlm::TLM_WRITE_COMMAND, kRegisters + HOST_PORT_LAUNCH, &one, 4);
    if (!interrupt.read()) wait(interrupt.posedge_event());
    access(tlm::TLM_READ_COMMAND, kRegisters + HOST_PORT_STATUS, &status, 4);
    access(tlm::TLM_READ_COMMAND, address, &result, 4);
  }
  void access(tlm::tlm_command command, std::uint64_t at, void* data, unsigned bytes) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(at);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    sc_core::sc_time delay;
    out->b_transport(payload, delay);
    wait(delay);
    CHECK(payload.is_response_ok());
  }

  tlm_utils::simple_initiator_socket<Host> out{"out"};
  sc_core::sc_signal<bool> interrupt{"interrupt"};
  std::vector<std::uint32_t> program;
  const std::uint64_t address;
  std::uint32_t status = 0, result = 0;
};

/// 42 at kProgram + 0x800.
const std::vector<std::uint32_t> kStores = {addi(5, 0, 42), lui(4, 0x80001), sw(5, 4, -2048), tmc(0)};

void stores(const char* mode) {
  Accelerator gpu("gpu", "virgo", {std::string("run.mode=") + mode}, sc_core::sc_time(2, SC_NS));
  Host host("host_model", kStores, kProgram + 0x800);
  host.out.bind(gpu.host);
  gpu.done.bind(host.interrupt);
  sc_core::sc_start();
  CHECK(host.status == HOST_PORT_STATUS_DONE);
  CHECK(host.result == 42);
  CHECK(gpu.cycles() > 0);
  CHECK(gpu.statistic("instructions") > 0);
  const std::vector<std::string> names = gpu.statistics();
  CHECK(std::count(names.begin(), names.end(), "host_port.reads") == (std::string(mode) == "cycle"));
  if (std::string(mode) == "cycle") {
    CHECK(gpu.statistic("host_port.reads") == 2);
    CHECK(gpu.statistic("host_port.launches") == 1);
    CHECK(gpu.statistic("cluster_0.core_0.warp_instructions") > 0);
  }
}

}  // namespace

TEST_CASE("an accelerator in a simulation of somebody else runs a program, cycle mode") { stores("cycle"); }
TEST_CASE("an accelerator in a simulation of somebody else runs a program, fast mode") { stores("fast"); }

TEST_CASE("an accelerator tells of faults, with time and place") {
  Accelerator gpu("gpu", "virgo", {"cluster.cores=1"});
  std::vector<spica::Fault> faults;
  gpu.on_fault([&faults](const spica::Fault& fault) { faults.push_back(fault); });
  Host host("host_model", {lui(4, 0x10000), lw(5, 4, 0), tmc(0)}, kProgram);
  host.out.bind(gpu.host);
  gpu.done.bind(host.interrupt);
  sc_core::sc_start();
  CHECK(host.status == HOST_PORT_STATUS_FAULTED);
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].severity == spica::Fault::Severity::kFault);
  CHECK(faults[0].pc == kProgram + 4);
  CHECK(faults[0].address == 0x1000'0000);
  CHECK(faults[0].cycle != 0);
  CHECK_THAT(faults[0].text, Catch::Contains("core 0, warp 0"));
}

TEST_CASE("an accelerator runs in a memory that its integrator binds") {
  Accelerator gpu("gpu", "virgo", {"main_memory.external=true", "cluster.cores=2"});
  stranger::LooseMemory memory("memory", sc_core::sc_time(30, SC_NS));
  Host host("host_model", kStores, kProgram + 0x800);
  host.out.bind(gpu.host);
  gpu.memory().bind(memory.in);
  gpu.done.bind(host.interrupt);
  sc_core::sc_start();
  CHECK(host.result == 42);
  CHECK(memory.bytes[0x800] == 42);
  CHECK(memory.reads + memory.writes > 0);
}

TEST_CASE("what is wrong with an accelerator's parameters is an Error with all of it") {
  CHECK_THROWS_WITH(Accelerator("a", "virgo", {"cluster.coers=4"}),
                    Catch::Contains("did you mean \"cores\""));
  CHECK_THROWS_WITH(Accelerator("b", "virgo", {"run.mode=fast", "main_memory.external=true"}),
                    Catch::Contains("use run.mode cycle"));
  CHECK_THROWS_WITH(Accelerator("c", "virgo", {"host.registers_base=0x90000000"}),
                    Catch::Contains("must be outside of memory"));
  CHECK_THROWS_WITH(Accelerator("d", "virgo", {"host.window_stride=4096"}),
                    Catch::Contains("window_stride at least 131072"));
  Accelerator gpu("gpu");
  CHECK_THROWS_WITH(gpu.memory(), Catch::Contains("main_memory.external=true"));
  CHECK_THROWS_WITH(gpu.statistic("instuctions"), Catch::Contains("did you mean"));
  CHECK_THAT(gpu.configuration(), Catch::Contains("present: true"));
}

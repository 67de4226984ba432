// SPDX-License-Identifier: Apache-2.0
// A loosely timed processor launches a kernel on the machine, waits for its interrupt, and reads the result.
#include <spica/accelerator.h>
#include <spica/models/host_port/host_port_regs.h>
#include <spica/platform/machine/loader/program.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/tlm_quantumkeeper.h>

#include <iostream>

struct Processor : sc_core::sc_module {
  static constexpr std::uint64_t kRegisters = 0x10000000, kArguments = 0x9FFF0000;
  static constexpr auto kRead = tlm::TLM_READ_COMMAND, kWrite = tlm::TLM_WRITE_COMMAND;
  static constexpr std::uint32_t kCount = 1000, kA = 0xA0000000, kB = 0xA1000000, kSum = 0xC0000000;
  tlm_utils::simple_initiator_socket<Processor> out{"out"};
  sc_core::sc_in<bool> interrupt{"interrupt"};
  SC_CTOR(Processor) { SC_THREAD(run); }
  void access(tlm::tlm_command command, std::uint64_t address, void* data, unsigned bytes) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    sc_core::sc_time delay = keeper.get_local_time();
    out->b_transport(payload, delay);
    keeper.set(delay);
    if (payload.is_response_error()) SC_REPORT_FATAL(name(), payload.get_response_string().c_str());
    if (keeper.need_sync()) keeper.sync();
  }
  void set(unsigned offset, std::uint32_t value) { access(kWrite, kRegisters + offset, &value, 4); }
  std::uint32_t get(unsigned offset) {
    std::uint32_t value = 0;
    access(kRead, kRegisters + offset, &value, 4);
    return value;
  }
  void run() {
    keeper.set_global_quantum(sc_core::sc_time(1, sc_core::SC_US));
    keeper.reset();
    for (spica::loader::Segment& part : kernel.segments)
      access(kWrite, part.address, part.bytes.data(), unsigned(part.bytes.size()));
    set(HOST_PORT_ENTRY, static_cast<std::uint32_t>(kernel.entry));
    set(HOST_PORT_INTERRUPT_ENABLE, 1);
    right = sums(1) && sums(2);
  }
  bool sums(std::uint32_t factor) {
    std::vector<std::uint32_t> a(kCount), b(kCount), sum(kCount);
    for (std::uint32_t i = 0; i < kCount; ++i) a[i] = i, b[i] = factor * i;
    keeper.inc(kCount * sc_core::sc_time(1, sc_core::SC_NS));
    std::uint32_t arguments[] = {kCount, 0, kA, 0, kB, 0, kSum, 0};  // of vecadd: u32 n, flags, u64 a, b, c
    access(kWrite, kA, a.data(), 4 * kCount);
    access(kWrite, kB, b.data(), 4 * kCount);
    access(kWrite, kArguments, arguments, sizeof arguments);
    set(HOST_PORT_LAUNCH, 1);
    keeper.sync();
    if (!interrupt.read()) wait(interrupt.posedge_event());
    keeper.reset();
    access(kRead, kSum, sum.data(), 4 * kCount);
    std::cout << "status " << get(HOST_PORT_STATUS) << " after " << get(HOST_PORT_CYCLES_LO) << " cycles\n";
    set(HOST_PORT_INTERRUPT_PENDING, 1);
    for (std::uint32_t i = 0; i < kCount; ++i) b[i] += a[i];
    return sum == b;
  }
  spica::loader::Program kernel;
  tlm_utils::tlm_quantumkeeper keeper;
  bool right = false;
};

int sc_main(int, char* argv[]) {
  spica::Accelerator gpu("gpu", "virgo", {std::string("run.mode=") + argv[2]});
  gpu.on_output([](const std::string& line) { std::cout << line << "\n"; });
  Processor processor("processor");
  processor.kernel = spica::loader::load_elf(argv[1]);
  sc_core::sc_signal<bool> done;
  processor.out.bind(gpu.host), gpu.done.bind(done), processor.interrupt.bind(done);
  sc_core::sc_start();
  return processor.right ? 0 : 1;
}

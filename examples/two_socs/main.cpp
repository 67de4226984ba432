// SPDX-License-Identifier: Apache-2.0
// Two machines side by side in one SystemC simulation, each with its own clock and its own program.
#include <spica/platform/machine/loader/program.h>
#include <spica/platform/machine/soc/soc.h>
#include <spica/platform/machine/soc/soc_config.h>

#include <exception>
#include <iostream>
#include <string>
#include <systemc>
#include <vector>

using namespace spica;

/// A machine, its program, and what a machine needs of its owner: a receiver of faults and of printed text.
struct System : sc_core::sc_module, protocol::FaultIf, protocol::ConsoleIf {
  System(const sc_core::sc_module_name& name, const soc::SocParams& params, const std::string& elf)
      : sc_module(name), machine("machine", params) {
    machine.fault.bind(*this);
    machine.console.bind(*this);
    const loader::Program program = loader::load_elf(elf);
    loader::check_segments(program, soc::memory_ranges(machine.map()));
    for (const loader::Segment& segment : program.segments)
      machine.write(segment.address, segment.bytes.data(), segment.bytes.size());
    entry = static_cast<std::uint32_t>(program.entry);
  }

  void report(const protocol::GuestFault& fault) override { text += "fault: " + fault.detail + "\n"; }
  void put(const protocol::Origin&, unsigned, const char* characters, unsigned count) override {
    for (unsigned i = 0; i < count; ++i)
      if (characters[i] != '\0') text += characters[i];
  }

  bool show() {
    const double us = (machine.clock().period() * static_cast<double>(machine.now())).to_seconds() * 1e6;
    std::cout << name() << " has ended after " << machine.now() << " cycles, " << us << " us, and printed\n"
              << text;
    return machine.finished() && text.find("PASS") != std::string::npos;
  }

  soc::Soc machine;
  std::uint32_t entry = 0;
  std::string text;
};

soc::SocParams parameters(const std::vector<std::string>& overrides, const std::string& configs) {
  soc::SocParams params;
  config::apply(config::load("virgo", overrides, configs), params);
  return params;
}

int sc_main(int, char* argv[]) {
  try {
    System one("one", parameters({"cluster.cores=8"}, argv[1]), argv[2]);
    System two("two", parameters({"cluster.cores=2", "clock_mhz=1000"}, argv[1]), argv[2]);
    for (System* system : {&one, &two}) system->machine.launch(system->entry);
    sc_core::sc_start();  // until neither has anything left to do
    const bool one_is_right = one.show(), two_is_right = two.show();
    return one_is_right && two_is_right ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}

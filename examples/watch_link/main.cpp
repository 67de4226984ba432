// SPDX-License-Identifier: Apache-2.0
// Monitors on links of the machine, put there by a configuration file.
#include <spica/spica.h>

#include <iostream>
#include <string>

int main(int, char* argv[]) {
  try {
    spica::Machine machine(argv[1]);  // watched.yaml
    machine.load(argv[2]);
    const spica::Outcome outcome = machine.run();
    if (!outcome.good()) throw spica::Error(outcome.report);
    for (const char* core : {"0", "1"}) {
      const std::string watch = std::string("cluster_0.watch_") + core;
      const auto count = [&](const char* counter) { return machine.statistic(watch + counter); };
      const auto loads = count(".reads"), stores = count(".writes");
      std::cout << "core " << core << ": " << loads << " loads, " << stores << " stores, "
                << count(".latency") / (loads + stores) << " cycles each\n";
    }
  } catch (const spica::Error& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Runs a kernel of one's own on a shipped machine, and looks at what it has done.
#include <spica/spica.h>

#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

int main(int, char* argv[]) {
  constexpr std::uint64_t kIn = 0xA0000000, kOut = 0xC0000000;
  std::vector<std::uint32_t> in(1000);
  for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = i;
  try {
    spica::Machine machine("virgo", {"cluster.cores=4"});
    machine.load(argv[1]);
    machine.arguments("u32:" + std::to_string(in.size()) + ",u32:0,u64:0xA0000000,u64:0xC0000000");
    machine.write(kIn, in);
    machine.on_output([](const std::string& line) { std::cout << "the kernel says: " << line << "\n"; });

    const spica::Outcome outcome = machine.run();
    std::cout << outcome.report;
    if (!outcome.good()) return 1;

    const auto out = machine.read<std::uint32_t>(kOut, in.size());
    for (std::uint32_t i = 0; i < in.size(); ++i)
      if (out[i] != i * i) {
        std::cout << "out[" << i << "] is " << out[i] << "\n";
        return 1;
      }
    std::cout << "right, after " << outcome.cycles << " cycles; core 0 executed "
              << machine.statistic("cluster_0.core_0.warp_instructions") << " warp instructions\n";
  } catch (const spica::Error& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
  return 0;
}

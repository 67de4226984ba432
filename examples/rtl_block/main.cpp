// SPDX-License-Identifier: Apache-2.0
// Is the RTL as fast as the model says? The same program with the model and with the RTL in the slot of the machine, in
// both modes: all sums must be the same.
#include <spica/run.h>

#include <cstdio>

using namespace spica;

static Result run_with(char* files[], const std::string& kind, const std::string& mode) {
  Options options;
  options.configuration = files[1];
  options.settings = {"slots.0.kind=" + kind, "run.mode=" + mode};
  options.outputs = {"sums"};
  options.allow_plugins = true;
  return run(files[2], options);
}

int main(int, char* files[]) {
  const Result model = run_with(files, "product_model", "cycle"),
               rtl = run_with(files, "product_rtl", "cycle");
  const auto row = [&](const char* what, std::uint64_t ours, std::uint64_t theirs) {
    std::printf("%-22s %8llu %8llu %+6.1f %%\n", what, static_cast<unsigned long long>(ours),
                static_cast<unsigned long long>(theirs),
                100 * (static_cast<double>(theirs) / static_cast<double>(ours) - 1));
  };
  std::printf("%-22s %8s %8s\n", "", "model", "RTL");
  row("cycles of the product", model.kernel_cycles, rtl.kernel_cycles);
  for (const std::string name : {"busy_cycles", "wait_cycles"})
    row(name.c_str(), model.statistics.at("cluster_0.product." + name),
        rtl.statistics.at("cluster_0.product." + name));

  bool same = model.good() && rtl.good() && rtl.get<int>("sums") == model.get<int>("sums");
  for (const std::string kind : {"product_model", "product_rtl"}) {
    const Result fast = run_with(files, kind, "fast");
    same = same && fast.good() && fast.get<int>("sums") == model.get<int>("sums");
  }
  std::printf("sums of both, in both modes: %s\n", same ? "the same, and right" : "different, or wrong");
  return same ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
// Cycles and a statistic over a parameter: a machine per value, each in a process of its own, all at the same time.
#include <spica/spica.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

struct Row {
  std::uint64_t cycles = 0, memory_reads = 0;
};

/// One run. An error is printed on stderr; the row is then all zero.
Row run(const std::string& setting) {
  Row row;
  try {
    spica::Machine machine("virgo", {setting});
    machine.load("reduce");
    const spica::Outcome outcome = machine.run();
    std::fputs(outcome.report.c_str(), stderr);
    if (outcome.good()) row = {outcome.kernel_cycles, machine.statistic("main_memory.reads")};
  } catch (const spica::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  return row;
}

struct Child {
  std::string setting;
  int pipe[2] = {-1, -1};
  pid_t process = -1;
};

/// Starts a run; its row comes through the pipe.
Child start(const std::string& setting) {
  Child child;
  child.setting = setting;
  if (pipe(child.pipe) != 0 || (child.process = fork()) < 0) return child;
  if (child.process == 0) {
    const Row row = run(setting);
    _exit(write(child.pipe[1], &row, sizeof row) == sizeof row ? 0 : 1);
  }
  close(child.pipe[1]);
  return child;
}

int main() {
  std::vector<Child> children;
  for (const char* cores : {"1", "2", "4", "8"})
    children.push_back(start(std::string("cluster.cores=") + cores));
  std::puts("setting,cycles,memory_reads");
  bool good = true;
  for (const Child& child : children) {
    Row row;
    const bool came = child.process > 0 && read(child.pipe[0], &row, sizeof row) == sizeof row;
    if (child.process > 0) waitpid(child.process, nullptr, 0);
    good = good && came && row.cycles != 0;
    std::printf("%s,%llu,%llu\n", child.setting.c_str(), static_cast<unsigned long long>(row.cycles),
                static_cast<unsigned long long>(row.memory_reads));
  }
  return good ? 0 : 1;
}

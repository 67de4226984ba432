// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/bench/host_counter.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "platform/base/input/user_error.h"
#include "platform/run/signals.h"

namespace spica::bench {

namespace {

/// One counter of the processor, for one process and what it starts.
class PerfCounter {
 public:
  /// `pid` 0: this process, from now on; another one: from its next exec() on.
  PerfCounter(std::uint64_t event, pid_t pid) {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.config = event;
    attributes.exclude_kernel = attributes.exclude_hv = 1;
    attributes.inherit = 1;
    attributes.disabled = attributes.enable_on_exec = pid != 0;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    file_ = static_cast<int>(syscall(SYS_perf_event_open, &attributes, pid, -1, -1, PERF_FLAG_FD_CLOEXEC));
    error_ = file_ < 0 ? errno : 0;
  }
  ~PerfCounter() {
    if (file_ >= 0) close(file_);
  }
  PerfCounter(const PerfCounter&) = delete;
  PerfCounter& operator=(const PerfCounter&) = delete;

  int error() const { return error_; }
  /// Brought to the whole time where the counter was shared with others; 0: it never counted.
  double read_value() const {
    struct {
      std::uint64_t value, enabled, running;
    } now{};
    if (file_ < 0 || read(file_, &now, sizeof now) != sizeof now || now.running == 0) return 0;
    return static_cast<double>(now.value) * static_cast<double>(now.enabled) /
           static_cast<double>(now.running);
  }

 private:
  int file_ = -1, error_ = 0;
};

/// Why the processor's counters are of no use here; empty: they are.
std::string perf_problem() {
  const PerfCounter counter(PERF_COUNT_HW_INSTRUCTIONS, 0);
  if (counter.error() == EACCES || counter.error() == EPERM)
    return "not allowed here, 'sysctl kernel.perf_event_paranoid=2' (as root) allows it";
  if (counter.error() != 0)
    return fmt::format(
        "this host has no hardware counters for the measurement "
        "({})",
        std::strerror(counter.error()));
  volatile unsigned turns = 10'000;
  while (turns != 0) turns = turns - 1;
  return counter.read_value() < 10'000 ? "the hardware counters of this host always read 0" : "";
}

std::string find_program(const char* name) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string file = folder + "/" + name;
    if (!folder.empty() && folder.front() == '/' && access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

void check(const job::ChildResult& process, const std::vector<std::string>& arguments) {
  if (job::Interrupt::signal() != 0) throw input::UserError("interrupted");
  if (process.exit_code == 0) return;
  std::string command = "spica";
  for (const std::string& argument : arguments) command += " " + argument;
  throw std::runtime_error(
      fmt::format("a measured run failed, exit code {}: {}", process.exit_code, command));
}

}  // namespace

HostCounter::HostCounter(const std::string& method, std::string folder) : folder_(std::move(folder)) {
  const std::string perf = method == "callgrind" ? "not asked" : perf_problem();
  if (perf.empty()) return;
  if (method != "perf") valgrind_ = find_program("valgrind");
  if (!valgrind_.empty()) return;
  std::string why;
  if (method != "callgrind") why = "perf: " + perf;
  if (method != "perf")
    why += (why.empty() ? "" : "; ") + std::string("callgrind: there is no valgrind (apt install valgrind)");
  throw input::UserError("host instructions cannot be counted: " + why);
}

unsigned HostCounter::jobs() const {
  // Cycles depend on what else runs, instructions do not.
  return valgrind_.empty() ? 1 : std::max(1u, std::thread::hardware_concurrency());
}

std::vector<CountedRun> HostCounter::run(const std::vector<std::vector<std::string>>& lists,
                                         const std::function<void(std::size_t)>& progress) const {
  return valgrind_.empty() ? run_perf(lists, progress) : run_callgrind(lists, progress);
}

std::vector<CountedRun> HostCounter::run_perf(const std::vector<std::vector<std::string>>& lists,
                                              const std::function<void(std::size_t)>& progress) const {
  using Pair = std::pair<std::unique_ptr<PerfCounter>, std::unique_ptr<PerfCounter>>;
  std::vector<Pair> counters(lists.size());
  job::ChildStart how;
  how.prepare = [&](std::size_t index, pid_t child) {
    counters[index] = {std::make_unique<PerfCounter>(PERF_COUNT_HW_INSTRUCTIONS, child),
                       std::make_unique<PerfCounter>(PERF_COUNT_HW_CPU_CYCLES, child)};
  };
  const std::vector<job::ChildResult> children = job::run_self_many(lists, jobs(), progress, how);
  std::vector<CountedRun> runs(lists.size());
  for (std::size_t i = 0; i < lists.size(); ++i) {
    check(children[i], lists[i]);
    runs[i].process = children[i];
    runs[i].cost.instructions = counters[i].first->read_value();
    if (runs[i].cost.instructions == 0)
      throw input::UserError("perf did not measure a run; try again with --count callgrind");
    const double cycles = counters[i].second->read_value();
    if (cycles != 0) runs[i].cost.cycles = cycles;
  }
  return runs;
}

std::vector<CountedRun> HostCounter::run_callgrind(const std::vector<std::vector<std::string>>& lists,
                                                   const std::function<void(std::size_t)>& progress) const {
  const auto file = [&](std::size_t index) { return fmt::format("{}/callgrind.{}", folder_, index); };
  job::ChildStart how;
  how.runner = [&](std::size_t index) {
    return std::vector<std::string>{valgrind_, "--tool=callgrind", "--callgrind-out-file=" + file(index)};
  };
  const std::vector<job::ChildResult> children = job::run_self_many(lists, jobs(), progress, how);
  std::vector<CountedRun> runs(lists.size());
  for (std::size_t i = 0; i < lists.size(); ++i) {
    check(children[i], lists[i]);
    runs[i].process = children[i];
    runs[i].cost.instructions = callgrind_total(file(i));
  }
  return runs;
}

double HostCounter::callgrind_total(const std::string& path) {
  std::ifstream stream(path);
  double total = 0;
  for (std::string line; std::getline(stream, line);)
    if (line.rfind("totals: ", 0) == 0) total += std::stod(line.substr(8));
  if (total == 0) throw std::runtime_error("callgrind counted nothing");
  return total;
}

}  // namespace spica::bench

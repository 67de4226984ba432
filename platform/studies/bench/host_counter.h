// SPDX-License-Identifier: Apache-2.0
// The host cost of a run, counted instead of timed: the same on a busy and on an idle machine.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "platform/run/child_process.h"

namespace spica::bench {

/// Work of the host in user mode, of all threads of a process over its whole life.
struct HostCost {
  double instructions = 0;
  std::optional<double> cycles;  // not available with every counting method
};

struct CountedRun {
  job::ChildResult process;
  HostCost cost;
};

/// Runs this program with other arguments and counts.
class HostCounter {
 public:
  /// `method`: "perf" (the processor's counters), "callgrind" (valgrind), or "auto", the first one that works on this
  /// host. Throws UserError with the missing part. `folder`: for temporary files.
  HostCounter(const std::string& method, std::string folder);

  /// "perf" or "callgrind".
  const char* name() const { return valgrind_.empty() ? "perf" : "callgrind"; }
  /// The number of runs that can be counted at the same time without interference.
  unsigned jobs() const;

  /// Results are in the order of the lists. Throws UserError if interrupted, std::runtime_error if a run fails.
  /// `progress(done)`: as in run_self_many().
  std::vector<CountedRun> run(const std::vector<std::vector<std::string>>& lists,
                              const std::function<void(std::size_t)>& progress = {}) const;

  /// The sum that callgrind wrote to its file. Throws std::runtime_error if there is none.
  static double callgrind_total(const std::string& path);

 private:
  std::vector<CountedRun> run_perf(const std::vector<std::vector<std::string>>& lists,
                                   const std::function<void(std::size_t)>& progress) const;
  std::vector<CountedRun> run_callgrind(const std::vector<std::vector<std::string>>& lists,
                                        const std::function<void(std::size_t)>& progress) const;

  std::string folder_;
  std::string valgrind_;  // path; empty: counts with perf
};

}  // namespace spica::bench

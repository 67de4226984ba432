// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "platform/base/json/value.h"
#include "platform/machine/loader/memory_range.h"
#include "platform/machine/loader/program.h"
#include "platform/machine/loader/source_map.h"
#include "platform/machine/soc/machine.h"
#include "platform/machine/soc/soc_params.h"
#include "platform/observe/watchdog/spin_recorder.h"
#include "platform/run/host_errors.h"
#include "platform/run/job_outcome.h"

namespace spica::job {

/// What is known when a run is over, for the report about what went wrong in it.
struct EndedRun {
  soc::Machine& machine;
  const soc::SocParams& params;
  const loader::Program& program;
  const loader::SourceMap& sources;
  const JobOutcome& outcome;
  const std::vector<watchdog::WarpActivity>& activity;  // what was seen of each warp last
  std::vector<loader::MemoryRange> filled;  // memory that had values before the run
  bool has_printed = false;                 // the program
};

/// Says on stderr what went wrong, and why as far as that can be known: faults, hangs, internal errors. `configs_dir`,
/// if any: says also which of the configurations in it the program seems to be written for. Returns what stats.json
/// says about a hang; null: it did not hang.
json::Value print_problems(const EndedRun& run, const std::filesystem::path* configs_dir,
                           HostErrors& host_errors);

}  // namespace spica::job

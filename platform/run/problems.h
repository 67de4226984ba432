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

/// The data for a report on the problems of a finished run.
struct EndedRun {
  soc::Machine& machine;
  const soc::SocParams& params;
  const loader::Program& program;
  const loader::SourceMap& sources;
  const JobOutcome& outcome;
  const std::vector<watchdog::WarpActivity>& activity;  // last observed activity of each warp
  std::vector<loader::MemoryRange> filled;  // memory initialised before the run
  bool has_printed = false;                 // the program has printed something
};

/// Reports problems and their likely causes on stderr: faults, hangs, internal errors. `configs_dir`, if given: also
/// names its configurations for which the program seems to be built. Returns the description of a hang for stats.json;
/// null: no hang.
json::Value print_problems(const EndedRun& run, const std::filesystem::path* configs_dir,
                           HostErrors& host_errors);

}  // namespace spica::job

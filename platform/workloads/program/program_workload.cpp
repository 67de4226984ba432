// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/program/program_workload.h"

#include "platform/base/config/describe.h"
#include "platform/run/job.h"
#include "platform/run/measurements.h"
#include "platform/run/printed.h"
#include "platform/run/results.h"
#include "platform/workloads/figures.h"

namespace spica::workloads {

config::Field ProgramWorkload::options() { return config::describe(asked, "run", "a bare-metal program"); }

Dependencies ProgramWorkload::depends_on(const std::function<soc::SocParams()>&) const {
  return {{}, {{"elf", places_.program(asked.elf)}}};
}

void ProgramWorkload::choose(job::JobOptions& job) {
  job.config = asked.config;
  job.elf = places_.program(asked.elf);
  job.elf_for = [this](const soc::SocParams& params) { return places_.program(asked.elf, params); };
  job.arguments = asked.arguments;
  job.grid = {asked.kernel, asked.grid, asked.block, asked.shared};
  job.samples = asked.samples;
}

Figures ProgramWorkload::figures(job::Job& job, const job::JobOutcome&) {
  Figures figures;
  figures.run = job::own_figures(job.facts());
  figures.tables = job::launch_table(job.facts().measurements);
  return figures;
}

}  // namespace spica::workloads

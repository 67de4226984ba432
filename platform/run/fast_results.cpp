// SPDX-License-Identifier: Apache-2.0
#include "platform/run/fast_results.h"

#include <nlohmann/json.hpp>

#include "platform/machine/session/session.h"
#include "platform/machine/soc/assembled_machine.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/observe/report/provenance.h"
#include "platform/observe/report/statistics.h"
#include "platform/run/fidelity.h"
#include "platform/run/launches.h"
#include "platform/run/measurements.h"
#include "platform/run/results.h"
#include "platform/run/run_facts.h"

namespace spica::job {

json::Value fast_run_results(const RunFacts& run, const RunFigures& figures) {
  json::Value document;
  document["mode"] = "fast";
  document.update(common_results(run, figures));
  document["cycles_are_estimates"] = true;
  if (!run.hang.is_null()) document["hang"] = run.hang;
  return document;
}

json::Value fast_block_results(const RunFacts& run) {
  const soc::AssembledMachine& machine = run.session.assembled();
  std::vector<report::NamedStats> blocks;  // those of Spica have no statistics here
  for (base::Component* component : machine.foreign_components())
    blocks.push_back({machine.short_name(*component), &component->stats()});
  return report::statistics_json(blocks, nullptr);
}

json::Value fast_results(const RunFacts& run, const RunFigures& figures) {
  json::Value document;
  document["schema"] = kStatsSchema;
  document.update(fast_run_results(run, figures));
  auto cores = json::Value::array();
  for (const soc::CoreCounts& core : run.session.assembled().core_counts())
    cores.push_back({{"core", core.core},
                     {"warp_instructions", core.warp_instructions},
                     {"thread_instructions", core.lane_instructions},
                     {"traps", core.traps}});
  document["cores"] = std::move(cores);
  if (json::Value blocks = fast_block_results(run); !blocks.empty()) document["stats"] = std::move(blocks);
  if (run.measurements.launches() != nullptr)
    document["launch_account"] = run.measurements.launches()->json(nullptr);
  document["host_seconds"] = run.outcome.host_seconds;
  document["warp_instructions_per_second"] =
      run.outcome.host_seconds > 0
          ? static_cast<double>(run.session.machine().warp_instructions()) / run.outcome.host_seconds
          : 0;
  document["host"] = {{"elaboration_seconds", run.host.elaboration},
                      {"startup_seconds", run.host.startup},
                      {"simulation_cpu_seconds", run.outcome.cpu_seconds}};
  document["provenance"] = report::provenance_json(
      run.options.command_line, run.program,
      config::canonical_text(config::effective(run.params, run.source)), run.options.seed);
  document["configuration"] = configuration_json(run.params, run.source, run.configs_dir);
  document["fidelity"] = fidelity_json(run, document);
  return document;
}

}  // namespace spica::job

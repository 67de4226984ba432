// SPDX-License-Identifier: Apache-2.0
#include "platform/run/results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "models/protocol/ports/traffic_table.h"
#include "platform/machine/session/session.h"
#include "platform/machine/soc/measured_machine.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/observe/area/area_report.h"
#include "platform/observe/energy/energy_report.h"
#include "platform/observe/energy/totals.h"
#include "platform/observe/report/kinds.h"
#include "platform/observe/report/provenance.h"
#include "platform/observe/report/statistics.h"
#include "platform/run/fast_results.h"
#include "platform/run/fidelity.h"
#include "platform/run/launches.h"
#include "platform/run/limiter.h"
#include "platform/run/measurements.h"
#include "platform/run/run_facts.h"
#include "platform/run/sampled_run.h"
#include "platform/run/signals.h"
#include "platform/run/timeline.h"

namespace spica::job {

using Json = json::Value;

/// What both modes have. The cycles of the fast mode are estimates.
Json common_results(const RunFacts& run, const RunFigures& figures) {
  Json document = Json::object();
  document["cycles"] = run.outcome.kernel_cycles;
  document["time_us"] = static_cast<double>(run.outcome.kernel_cycles) / run.params.core_mhz();
  document["utilisation"] = figures.utilisation && !run.session.fast() ? Json(*figures.utilisation) : Json();
  document["multiply_adds"] = figures.multiply_adds ? Json(*figures.multiply_adds) : Json();
  document["verified"] = figures.verified ? Json(*figures.verified) : Json();
  document["instructions"] = run.session.machine().warp_instructions();
  document["thread_instructions"] = run.session.machine().lane_instructions();
  document["simulated_cycles"] = run.outcome.cycles;
  document["end"] = session::end_name(run.outcome.end);
  if (run.outcome.end == session::End::kInterrupted) document["signal"] = Interrupt::signal();
  if (run.outcome.broken()) document[session::end_name(run.outcome.end)] = run.outcome.failure;
  document["exit_code"] = run.outcome.guest_exit_code;
  for (const auto& [key, value] : figures.details.items()) document[key] = value;
  if (const SampledRun* sample = run.measurements.sample()) {
    document["projected"] = run.outcome.is_projected;
    if (run.outcome.is_projected) {
      const auto cycles = static_cast<double>(run.outcome.kernel_cycles), half = sample->cycles_half_width();
      document["cycles_low"] = cycles - half;
      document["cycles_high"] = cycles + half;
    }
    document["instructions"] = sample->warp_instructions();
    document["thread_instructions"] = sample->lane_instructions();
    document["sample"] = sample->json();
  }
  return document;
}

namespace {

/// The names of the files with the energies of events: runs with the same files have the same errors.
std::string table_of_energies(const soc::SocParams& params) {
  const auto name = [](const std::string& file) { return std::filesystem::path(file).stem().string(); };
  const std::string device =
      params.main_memory.has_device_energies() ? name(params.main_memory.dram.energy) : "";
  return name(params.power.table) + (device.empty() ? "" : ", " + device);
}

Json cycle_run_results(const RunFacts& run, const RunFigures& figures) {
  Json document;
  document["mode"] = "cycle";
  document.update(common_results(run, figures));
  if (run.measurements.energy() != nullptr) {
    if (!run.outcome.is_projected)
      for (const auto& [name, value] : run.measurements.recorder()->figures()) document[name] = value;
    document.update(energy::plain_json(energy::totals(*run.measurements.energy(), figures.multiply_adds)));
    document["energy_table"] = table_of_energies(run.params);
    document["energy_notes"] = fmt::format("{}", fmt::join(run.measurements.energy()->notes(), "; "));
  }
  if (run.measurements.area() != nullptr) document["area_mm2"] = run.measurements.area()->mm2.nominal;
  if (!run.hang.is_null()) document["hang"] = run.hang;
  document["limiter"] = run.outcome.good() ? Json(limiter(run.session.measured())) : Json();
  return document;
}

/// The statistics of all blocks, and the timed region if it is complete.
struct CountedBlocks {
  explicit CountedBlocks(soc::MeasuredMachine& machine) : window(machine.region().window()) {
    for (base::Component* component : machine.components())
      groups.push_back({machine.short_name(*component), &component->stats()});
    if (machine.region().complete()) region = &window;
  }
  CountedBlocks(const CountedBlocks&) = delete;
  CountedBlocks& operator=(const CountedBlocks&) = delete;

  std::vector<report::NamedStats> groups;
  const base::StatWindow window;
  const base::StatWindow* region = nullptr;  // nullptr: the whole run
};

/// {block: {row, column, unit, values: [[by column] by row]}} of all blocks that count it.
Json traffic_json(soc::MeasuredMachine& machine) {
  Json all = Json::object();
  for (base::Component* component : machine.components()) {
    const auto* counted = dynamic_cast<const protocol::TrafficCounted*>(component);
    if (counted == nullptr) continue;
    const protocol::TrafficTable& table = counted->traffic();
    Json::array_t rows;
    for (auto row = table.bytes().begin(); row != table.bytes().end();
         row += static_cast<std::ptrdiff_t>(table.columns()))
      rows.emplace_back(Json::array_t(row, row + static_cast<std::ptrdiff_t>(table.columns())));
    all[machine.short_name(*component)] = {{"row", table.row()},
                                           {"column", table.column()},
                                           {"unit", base::unit_name(base::Unit::kBytes)},
                                           {"values", std::move(rows)}};
  }
  return all;
}

Json cycle_results(const RunFacts& run, const RunFigures& figures) {
  soc::MeasuredMachine& machine = run.session.measured();
  Json document;
  document["schema"] = kStatsSchema;
  document.update(cycle_run_results(run, figures));
  Json channels = Json::object(), parts = Json::object();
  if (run.outcome.good()) {
    for (const ChannelUse& channel : channel_use(machine)) channels[channel.name] = channel.full;
    for (const PartTime& one : time_by_part(machine)) parts[one.part] = one.share;
  }
  document["channels"] = std::move(channels);
  document["time_by_part"] = std::move(parts);
  document["reasons"] = Json::object();
  for (const base::Reason& reason : reason_meanings())
    document["reasons"][std::string(reason.name)] = std::string(reason.waits_for);
  document["region"] = machine.region().complete() ? Json{{"begin_marker", machine.region().first()},
                                                          {"end_marker", machine.region().last()}}
                                                   : Json();
  const double seconds = run.outcome.host_seconds;
  document["host_seconds"] = seconds;
  document["simulated_cycles_per_second"] =
      seconds > 0 ? static_cast<double>(run.outcome.cycles) / seconds : 0;
  document["host"] = {{"elaboration_seconds", run.host.elaboration},
                      {"startup_seconds", run.host.startup},
                      {"simulation_cpu_seconds", run.outcome.cpu_seconds}};
  document["provenance"] = report::provenance_json(
      run.options.command_line, run.program,
      config::canonical_text(config::effective(run.params, run.source)), run.options.seed);
  if (!run.options.out.empty())  // where the files of the command line are, from there
    document["provenance"]["folder"] =
        std::filesystem::relative(std::filesystem::current_path(), run.options.out).string();
  document["machine"] = machine_json(machine);
  document["network"] = network_json(run.params);
  const std::optional<Waves> waves = waves_of(run.options.grid, run.program, run.params);
  document["work_groups"] = waves ? Json(waves->groups) : Json();
  document["work_groups_at_once"] = waves ? Json(waves->at_once) : Json();
  document["configuration"] = configuration_json(run.params, run.source, run.configs_dir);
  const CountedBlocks counted(machine);
  document["kinds"] = report::kinds_json(counted.groups, counted.region);
  document["stats"] = report::statistics_json(counted.groups, counted.region);
  document["traffic"] = traffic_json(machine);
  document["fidelity"] = fidelity_json(run, document);
  if (run.measurements.launches() != nullptr && run.measurements.sample() == nullptr)
    document["launch_account"] = run.measurements.launches()->json(run.measurements.energy());
  document["timeline"] = run.measurements.timeline()->json();
  return document;
}

}  // namespace

Json run_results(const RunFacts& run, const RunFigures& figures) {
  return run.session.fast() ? fast_run_results(run, figures) : cycle_run_results(run, figures);
}

Json block_results(const RunFacts& run) {
  if (run.session.fast()) return fast_block_results(run);
  const CountedBlocks counted(run.session.measured());
  return report::statistics_json(counted.groups, counted.region);
}

Json results(const RunFacts& run, const RunFigures& figures) {
  return run.session.fast() ? fast_results(run, figures) : cycle_results(run, figures);
}

}  // namespace spica::job

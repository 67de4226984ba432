// SPDX-License-Identifier: Apache-2.0
// What a job writes into stats.json.
#include "platform/energy/energy_report.h"
#include "platform/json/value.h"
#include "platform/report/provenance.h"
#include "platform/report/statistics.h"
#include "platform/run/job.h"
#include "platform/run/limiter.h"
#include "platform/run/run_facts.h"
#include "platform/run/session.h"
#include "platform/run/timeline.h"
#include "platform/soc/fast_soc.h"
#include "platform/soc/soc.h"

namespace spica::run {

using Json = json::Value;

/// What both modes have. The cycles of the fast mode are estimates.
void Job::add_common_results(Json& document, const RunFigures& figures) const {
  document["cycles"] = outcome_.kernel_cycles;
  document["utilisation"] = figures.utilisation && !fast() ? Json(*figures.utilisation) : Json();
  document["verified"] = figures.verified ? Json(*figures.verified) : Json();
  document["instructions"] = warp_instructions();
  document["thread_instructions"] = thread_instructions();
  document["simulated_cycles"] = outcome_.cycles;
  document["end"] = end_name(outcome_.end);
  if (outcome_.end == End::kInterrupted) document["signal"] = Interrupt::signal();
  if (outcome_.end == End::kInternalError) document["internal_error"] = outcome_.failure;
  document["exit_code"] = outcome_.guest_exit_code;
  for (const auto& [key, value] : figures.details.items()) document[key] = value;
}

Json Job::results(const RunFigures& figures, const std::string& config_text) {
  soc::Soc& machine = session_->soc();
  std::vector<report::NamedStats> blocks;
  for (base::Component* component : machine.components())
    blocks.push_back({machine.short_name(*component), &component->stats()});

  Json document;
  document["mode"] = "cycle";
  add_common_results(document, figures);
  if (energy_ != nullptr) {
    const energy::SpanEnergy& window = energy_->window();
    document["warp_instructions"] = recorder_->statistic("core", "warp_instructions");
    document["register_file_accesses"] =
        recorder_->statistic("core", "register_reads") + recorder_->statistic("core", "register_writes");
    document["active_power_mw"] = window.active_mw.nominal;
    document["active_energy_uj"] = window.active_uj.nominal;
  }
  if (!hang_.is_null()) document["hang"] = hang_;
  document["limiter"] = outcome_.good() ? Json(limiter(machine)) : Json();
  document["reasons"] = Json::object();
  for (const auto& [reason, waits_for] : reason_meanings())
    document["reasons"][std::string(reason)] = std::string(waits_for);
  document["region"] = machine.region().complete()
                           ? Json{{"begin", machine.region().first()}, {"end", machine.region().last()}}
                           : Json();
  const double seconds = outcome_.host_seconds;
  document["host_seconds"] = seconds;
  document["simulated_cycles_per_second"] = seconds > 0 ? static_cast<double>(outcome_.cycles) / seconds : 0;
  document["host"] = {{"elaboration_seconds", elaboration_seconds_},
                      {"startup_seconds", startup_seconds_},
                      {"simulation_cpu_seconds", outcome_.cpu_seconds}};
  document["provenance"] =
      report::provenance_json(options_.command_line, program_, config_text, options_.seed);
  document["machine"] = machine_json(machine);
  document["configuration"] = configuration_json(params_, source_, configs_dir_);
  const base::StatWindow region = machine.region().window();
  document["stats"] = report::statistics_json(blocks, machine.region().complete() ? &region : nullptr);
  document["timeline"] = timeline_->json(outcome_.cycles);
  return document;
}

Json Job::fast_results(const RunFigures& figures, const std::string& config_text) {
  Json document;
  document["mode"] = "fast";
  add_common_results(document, figures);
  document["cycles_are_estimates"] = true;
  if (!hang_.is_null()) document["hang"] = hang_;
  Json cores = Json::array();
  for (const auto* core : session_->fast_soc().cores())
    cores.push_back({{"core", core->identity().core},
                     {"warp_instructions", core->warp_instructions()},
                     {"thread_instructions", core->lane_instructions()},
                     {"traps", core->traps()}});
  document["cores"] = std::move(cores);
  document["host_seconds"] = outcome_.host_seconds;
  document["warp_instructions_per_second"] =
      outcome_.host_seconds > 0 ? static_cast<double>(warp_instructions()) / outcome_.host_seconds : 0;
  document["host"] = {{"elaboration_seconds", elaboration_seconds_},
                      {"startup_seconds", startup_seconds_},
                      {"simulation_cpu_seconds", outcome_.cpu_seconds}};
  document["provenance"] =
      report::provenance_json(options_.command_line, program_, config_text, options_.seed);
  document["configuration"] = configuration_json(params_, source_, configs_dir_);
  return document;
}

}  // namespace spica::run

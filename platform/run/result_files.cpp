// SPDX-License-Identifier: Apache-2.0
#include "platform/run/result_files.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "platform/base/config/config.h"
#include "platform/base/input/file.h"
#include "platform/base/input/printable.h"
#include "platform/machine/soc/soc_params.h"
#include "platform/observe/energy/energy_json.h"
#include "platform/observe/report/html_report.h"
#include "platform/observe/report/statistics.h"
#include "platform/run/files.h"
#include "platform/run/host_errors.h"
#include "platform/run/measurements.h"
#include "platform/run/record.h"
#include "platform/run/results.h"

namespace spica::job {

namespace {

std::string effective_config(const RunFacts& run) {
  std::ostringstream text;
  config::dump(text, run.params, run.source);
  return text.str();
}

/// "virgo-dma 256x256x256" of a matrix product, the model of a network, else the program's file name.
std::string report_name(const RunFacts& run, const RunFigures& figures) {
  if (figures.details.contains("model")) return figures.details.at("model").get<std::string>();
  if (!figures.details.contains("size"))
    return input::printable(std::filesystem::path(run.options.elf).stem().string());
  return figures.details.at("design").get<std::string>() + " " +
         figures.details.at("size").get<std::string>();
}

void append_record(const RunFacts& run, const RunFigures& figures) {
  const RecordOptions& options = run.options.record;
  append_line(options.file, record_text(record(run, figures, statistics_of(options)), options));
}

}  // namespace

json::Value write_results(const RunFacts& run, const RunFigures& figures, HostErrors& host_errors) {
  const JobOptions& options = run.options;
  if (!options.wants_results()) return {};
  if (!options.record.file.empty()) host_errors.attempt([&] { append_record(run, figures); });
  if (options.out.empty() && options.report.empty()) return {};
  const std::string config_text = effective_config(run);
  json::Value document, energy;
  if (!host_errors.attempt([&] { document = results(run, figures); }))
    document = common_results(run, figures);
  if (const auto* report = run.measurements.energy(); report != nullptr && options.shows_energy())
    host_errors.attempt(
        [&] { energy = energy::energy_json(*report, run.sources, run.program, figures.multiply_adds); });
  if (!options.report.empty())
    host_errors.attempt([&] {
      report::write_html_report(options.report, {{report_name(run, figures), document, config_text, energy}});
    });
  if (options.out.empty()) return document;
  const auto write = [&](const std::string& name, const std::string& text) {
    write_result(options, name, text, host_errors);
  };
  write("stats.json", report::json_text(document));
  write("config.yaml", config_text);
  if (!energy.is_null()) write("energy.json", report::json_text(energy));
  write("console.txt", run.console);
  return document;
}

void write_result(const JobOptions& options, const std::string& name, const std::string& text,
                  HostErrors& host_errors) {
  host_errors.attempt([&] { input::write_text((std::filesystem::path(options.out) / name).string(), text); });
}

}  // namespace spica::job

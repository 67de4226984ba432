// SPDX-License-Identifier: Apache-2.0
#include "platform/cli/instruments.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/cli/launch_debugger.h"
#include "platform/cli/paths.h"
#include "platform/machine/session/session.h"
#include "platform/observe/energy/energy_json.h"
#include "platform/observe/profile/profile_json.h"
#include "platform/observe/report/html_report.h"
#include "platform/observe/report/statistics.h"
#include "platform/run/checks.h"
#include "platform/run/files.h"
#include "platform/run/host_errors.h"
#include "platform/run/job_options.h"
#include "platform/run/launches.h"
#include "platform/run/measurements.h"
#include "platform/run/result_files.h"
#include "platform/run/results.h"
#include "platform/run/trace_context.h"

namespace spica::cli {

namespace {

class RunInstruments final : public api::Instruments {
 public:
  RunInstruments(const Observation& observation, const api::Observed& run)
      : options_(options_of(observation, run)),
        run_(run),
        checks_(options_.checks, options_.suppressions, run.params, run.program, run.sources,
                run.session.machine()),
        measurements_((job::Measurements::check_mode(options_, run.params), options_), run.params,
                      run.program, run.sources, run.session, configs_dir()) {
    if (observation.debugged_launch == 0) return;
    debugger_.emplace(run.session, observation.debugged_launch);
    debugger_->add(run.program);
  }

  void add(const loader::Program& program) override {
    checks_.add(program);
    if (debugger_) debugger_->add(program);
  }
  void initialised(std::uint64_t address, std::uint64_t bytes) override {
    checks_.initialised(address, bytes);
  }

  void describe_kernels(const session::StreamPlan& plan) override { measurements_.describe_kernels(plan); }
  void name_kernels(std::function<std::string(const protocol::KernelRun&)> name) override {
    names_ = name;
    measurements_.describe_kernels([name = std::move(name)](const protocol::KernelRun& run) {
      trace::KernelText text;
      text.name = text.kernel = name(run);
      return text;
    });
  }

  bool wants_control() const override { return debugger_ && debugger_->is_due(); }
  soc::RunControl::RunState carry_on() override { return debugger_->run(run_.sources, names_); }

  std::vector<std::pair<std::string, std::string>> finish(const session::Outcome& outcome) override {
    std::vector<std::pair<std::string, std::string>> documents;
    job::JobOutcome checked;
    static_cast<session::Outcome&>(checked) = outcome;
    std::ostringstream text;
    checks_.finish(
        checked,
        [&](const std::string& file, const std::string& json) { documents.emplace_back(file, json); }, text);
    documents.emplace_back("findings.txt", checked.clean() ? "" : text.str());
    job::HostErrors host_errors;
    measurements_.finish(!checked.broken(), host_errors);
    if (host_errors.exit_code(0) == 2)
      throw input::UserError("the trace was not written; the reason is on standard error");
    if (measurements_.launches() != nullptr)
      documents.emplace_back("launches.json",
                             report::json_text(measurements_.launches()->json(measurements_.energy())));
    write_files(checked);
    if (measurements_.profile() != nullptr)
      documents.emplace_back("profile.json",
                             report::json_text(profile::profile_json(*measurements_.profile())));
    if (measurements_.energy() != nullptr)
      documents.emplace_back("energy.json",
                             report::json_text(energy::energy_json(*measurements_.energy(), run_.sources,
                                                                   run_.program, std::nullopt)));
    return documents;
  }

 private:
  /// stats.json and the report; their account by launch has all that a device ran.
  void write_files(const job::JobOutcome& outcome) const {
    if (!options_.wants_results()) return;
    job::make_folder(options_.out);
    job::HostErrors host_errors;
    const json::Value hang;
    job::write_results({options_,
                        run_.source,
                        run_.params,
                        run_.program,
                        run_.sources,
                        configs_dir(),
                        run_.session,
                        measurements_,
                        outcome,
                        run_.console.text(),
                        hang,
                        {}},
                       {}, host_errors);
    if (host_errors.exit_code(0) != 0)
      throw input::UserError("the results were not written; the reason is on standard error");
  }

  static job::JobOptions options_of(const Observation& observation, const api::Observed& run) {
    const std::vector<std::string> known{"hazards", "memory"};
    for (const std::string& check : observation.checks)
      if (std::find(known.begin(), known.end(), check) == known.end())
        throw input::UserError(
            fmt::format("'{}' is not a check; allowed: hazards, memory", input::printable(check)));
    job::JobOptions options;
    options.config = run.configuration;
    options.elf = run.program.path;
    options.checks = observation.checks;
    options.suppressions = observation.suppressions;
    options.trace.traces = observation.traces;
    options.profiles = observation.profile;
    options.energy = observation.energy;
    options.launches = options.grid_later = observation.launches;
    options.out = observation.out;
    options.report = observation.report;
    options.command_line = observation.command_line;
    options.workload = "run";
    if (!options.report.empty()) report::check_html_report(options.report);
    return options;
  }

  const job::JobOptions options_;
  const api::Observed run_;
  job::Checks checks_;
  job::Measurements measurements_;
  std::function<std::string(const protocol::KernelRun&)> names_;
  std::optional<LaunchDebugger> debugger_;
};

}  // namespace

std::unique_ptr<api::Instruments> make_instruments(const Observation& observation, const api::Observed& run) {
  return std::make_unique<RunInstruments>(observation, run);
}

}  // namespace spica::cli

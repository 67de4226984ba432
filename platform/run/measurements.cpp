// SPDX-License-Identifier: Apache-2.0
#include "platform/run/measurements.h"

#include <fmt/format.h>

#include <iostream>
#include <map>

#include "models/protocol/ports/read_watch_if.h"
#include "platform/base/input/file.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/loader/kernels.h"
#include "platform/machine/loader/memory_range.h"
#include "platform/machine/session/session.h"
#include "platform/machine/soc/assembled_machine.h"
#include "platform/machine/soc/keys.h"
#include "platform/machine/soc/measured_machine.h"
#include "platform/observe/area/area_report.h"
#include "platform/observe/area/table_file.h"
#include "platform/observe/energy/accelergy_files.h"
#include "platform/observe/energy/activity_file.h"
#include "platform/observe/energy/energy_report.h"
#include "platform/observe/profile/profile.h"
#include "platform/observe/trace/tracer.h"
#include "platform/run/files.h"
#include "platform/run/host_errors.h"
#include "platform/run/job_outcome.h"
#include "platform/run/launches.h"
#include "platform/run/profile_files.h"
#include "platform/run/sampled_run.h"
#include "platform/run/timeline.h"
#include "platform/run/trace_context.h"

namespace spica::job {

Measurements::Measurements(const JobOptions& options, const soc::SocParams& params,
                           const loader::Program& program, const loader::SourceMap& sources,
                           session::Session& session, const std::filesystem::path& configs_dir)
    : options_(options), params_(params), program_(program), sources_(sources), session_(session) {
  if (options_.wants_results() && !session_.fast()) {
    timeline_ = std::make_unique<Timeline>(session_.measured(), session_.sampler());
  }
  if (options_.shows_area() || options_.measures_energy())
    area_table_ = std::make_unique<power::AreaTable>(area::read_table(params_.power.area_table, configs_dir));
  if (options_.measures_energy()) watch_energy(configs_dir);
  else if (params_.power.only_used && options_.shows_area())
    throw input::UserError("power.only_used needs --energy, which records the used units");
  if (options_.shows_area())
    area_ = std::make_unique<area::AreaReport>(
        area::area_report(session_.measured(), *area_table_, params_.power));
  if (!options_.trace.traces.empty() || !options_.trace.filters.empty()) watch_traces();
  if (options_.wants_profile()) watch_profile();
  if (options_.wants_results() || options_.launches || !options_.sample.empty()) watch_launches();
}

Measurements::~Measurements() = default;

void Measurements::watch_first_load(const std::vector<loader::MemoryRange>& operands) {
  if (operands.empty() || session_.fast()) return;
  std::vector<protocol::ReadWatchIf::Range> ranges;
  for (const loader::MemoryRange& one : operands) ranges.push_back({one.address, one.address + one.bytes});
  soc::RegionProbe& region = session_.measured().region();
  if (auto* memory = session_.assembled().blocks().find<protocol::ReadWatchIf>(soc::keys::kMainMemory))
    memory->watch_reads(std::move(ranges), [&region] { return region.loaded(); });
}

void Measurements::check_mode(const JobOptions& options, const soc::SocParams& params) {
  if (params.run.mode != soc::Mode::kFast) return;
  std::string wanted;
  const auto needs_cycles = [&wanted](bool given, const char* option) {
    if (given) wanted += fmt::format("{}{}", wanted.empty() ? "" : ", ", option);
  };
  needs_cycles(!options.report.empty(), "--report");
  needs_cycles(options.energy, "--energy");
  needs_cycles(options.area, "--area");
  needs_cycles(options.lines, "--lines");
  needs_cycles(options.annotate, "annotate");
  needs_cycles(!options.activity.empty(), "--activity");
  needs_cycles(!options.accelergy.empty(), "--accelergy");
  needs_cycles(options.wants_profile(), "--profile");
  if (!wanted.empty())
    throw input::UserError(
        fmt::format("{}: needs the cycle mode; the fast mode (run.mode = fast) has no timing", wanted));
}

void Measurements::start_sample() {
  if (options_.sample.empty()) return;
  if (session_.fast())
    throw input::UserError("--sample: needs the cycle mode; the fast mode (run.mode = fast) has no timing");
  SampledRun::check_options(options_);
  if (has_streams_ || (!session_.grid() && !SampledRun::has_units(program_)))
    throw input::UserError(
        "--sample: the total work of this program is unknown; a sample needs one kernel that runs as a grid of work "
        "groups (run --grid, or a design with work groups), or a loop with simt_units() (sw/lib/include/simt.h)");
  sample_ = std::make_unique<SampledRun>(sample::parse_sample(options_.sample), session_, *launches_);
}

bool Measurements::sample_refused() const { return sample_ != nullptr && !sample_->refusal().empty(); }

void Measurements::check_sample() const {
  if (sample_refused())
    throw input::UserError(fmt::format("--sample: {}; leave out --sample", sample_->refusal()));
}

void Measurements::finish_sample(JobOutcome& outcome, HostErrors& host_errors) {
  if (sample_ == nullptr) return;
  if (!outcome.good() && !sample_->whole())
    std::cerr << fmt::format(
        "spica: --sample: the run did not finish, perhaps because a {} waits for one that was left out; try it without "
        "--sample.\n",
        session_.grid() ? "work group" : "unit");
  if (outcome.good())
    host_errors.attempt([&] {
      sample_->finish();
      is_projected_ = true;
    });
  if (!is_projected_) return;
  const auto add = [this](base::Cycle& cycles) {
    cycles = static_cast<base::Cycle>(static_cast<std::int64_t>(cycles) + sample_->added_cycles());
  };
  outcome.is_projected = !sample_->whole();
  if (sample_->whole()) return;
  add(outcome.cycles);
  add(outcome.kernel_cycles);
  if (recorder_ != nullptr) recorder_->project(sample_->added_events(recorder_->whole()));
}

void Measurements::watch_energy(const std::filesystem::path& configs_dir) {
  energy::Recorder::Options recording;
  recording.window = params_.power.window;
  recording.lines = options_.counts_lines();
  recorder_ = std::make_unique<energy::Recorder>(session_.measured(), session_.sampler(), recording);
  session_.observe(*recorder_);
  energies_ = energy::read_energies(params_, *area_table_, recorder_->activity(), configs_dir, energy::warn);
}

void Measurements::watch_traces() {
  trace::Context context = session_.fast() ? trace_context(session_.machine(), sources_)
                                           : trace_context(session_.measured(), sources_);
  tracer_ = std::make_unique<trace::Tracer>(options_.trace, std::move(context), program_);
  tracer_->sample_with(session_.sampler());
  session_.machine().watch(*tracer_);
  session_.observe(*tracer_);
}

void Measurements::describe_kernels(const session::StreamPlan& plan) {
  has_streams_ = true;
  describe_kernels(kernel_texts(plan));
}

void Measurements::describe_kernels(std::function<trace::KernelText(const protocol::KernelRun&)> text) {
  if (tracer_ != nullptr) tracer_->describe_kernels(text);
  if (launches_ != nullptr) launches_->describe(std::move(text));
}

const Launches* Measurements::launches() const {
  const bool any = session_.grid() || !session_.machine().kernel_runs().empty();
  return any ? launches_.get() : nullptr;
}

/// Of what has launches: queues of kernels, or a grid.
void Measurements::watch_launches() {
  const bool has_grid = !options_.grid.empty() || options_.grid_later;
  if (!params_.command_processor.present && !has_grid && options_.sample.empty()) return;
  launches_ = std::make_unique<Launches>(session_);
  if (energies_ != nullptr) launches_->measure_energy(recorder_->activity(), energies_->model());
}

void Measurements::watch_profile() {
  make_folder(options_.profile);
  profiler_ = std::make_unique<profile::Profiler>(session_.machine().core_count(),
                                                  static_cast<unsigned>(params_.cluster.core.warps));
  session_.machine().watch(*profiler_);
  session_.observe(*profiler_);
}

void Measurements::finish(bool complete, HostErrors& host_errors) {
  if (profiler_ != nullptr) host_errors.attempt([&] { finish_profile(complete); });
  if (tracer_ != nullptr) {
    for (const std::string& note : tracer_->notes()) std::cerr << "spica: " << note << ".\n";
    for (const std::string& failure : tracer_->failures()) host_errors.user(failure);
  }
  if (recorder_ != nullptr)
    host_errors.attempt([this] {
      energy_ = std::make_unique<energy::EnergyReport>(*recorder_, std::move(energies_), params_.power,
                                                       params_.cluster.tensor_style());
      if (area_ != nullptr)
        for (const energy::UnusedUnit& unit : energy_->unused())
          if (energy_->leaves_out(*unit.type)) area_->leave_out(unit.type->name);
    });
  if (launches_ != nullptr) {
    if (const auto& grid = session_.grid())
      for (const loader::Kernel& kernel : loader::kernels_of(program_).all)
        if (kernel.entry == grid->entry) launches_->name_grid(kernel.name);
    if (complete && sample() == nullptr) host_errors.attempt([this] { launches_->check(energy_.get()); });
  }
  if (energy_ != nullptr && !options_.activity.empty()) host_errors.attempt([this] { write_activity(); });
  if (energy_ != nullptr && !options_.accelergy.empty()) host_errors.attempt([this] { write_accelergy(); });
}

void Measurements::finish_profile(bool complete) {
  profile_ = std::make_unique<profile::Profile>(profile::make_profile(
      *profiler_, sources_, program_, params_.core_mhz(), params_.cluster.tensor_style()));
  if (complete) check_profile(*profile_, session_.measured());
  if (!options_.profile.empty())
    write_profile(options_.profile, *profile_, options_.profile_table,
                  std::filesystem::path(options_.elf).filename().string());
}

/// What the counts are of.
std::string Measurements::title() const {
  return input::printable(fmt::format("{} on {}", options_.elf, options_.config));
}

void Measurements::write_activity() const {
  const energy::Span window = recorder_->window();
  const std::string& file = options_.activity;
  const bool json = file.size() > 5 && file.compare(file.size() - 5, 5, ".json") == 0;
  input::write_text(file, json ? energy::activity_json(recorder_->activity(), window)
                               : energy::action_counts_yaml(recorder_->activity(), window, title()));
}

void Measurements::write_accelergy() const {
  make_folder(options_.accelergy);
  const power::Activity& activity = recorder_->activity();
  const auto write = [this](const char* name, const std::string& text) {
    input::write_text((std::filesystem::path(options_.accelergy) / name).string(), text);
  };
  std::map<std::string, double> mm2;
  for (const area::BlockArea& block : area_->blocks) mm2[block.name] = block.mm2.nominal;
  write("architecture.yaml", energy::architecture_yaml(activity, energy_->model().point()));
  write("spica.lib.yaml", energy::classes_yaml(activity));
  write("action_counts.yaml", energy::action_counts_yaml(activity, recorder_->window(), title()));
  write("ERT.yaml", energy::ert_yaml(activity, energy_->model()));
  write("ART.yaml", energy::art_yaml(activity, mm2));
}

std::string launch_table(const Measurements& measurements) {
  const Launches* launches = measurements.launches();
  return launches == nullptr ? "" : launches->table(measurements.energy());
}

}  // namespace spica::job

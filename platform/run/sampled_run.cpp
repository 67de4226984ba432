// SPDX-License-Identifier: Apache-2.0
#include "platform/run/sampled_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "models/protocol/payload/marker.h"
#include "platform/base/input/user_error.h"
#include "platform/base/text/number_format.h"
#include "platform/machine/loader/program.h"
#include "platform/machine/session/session.h"
#include "platform/machine/soc/assembled_machine.h"
#include "platform/machine/soc/measured_machine.h"
#include "platform/run/job_options.h"

namespace spica::job {

namespace {

// Places in a row of values.
constexpr std::size_t kCycles = 0, kEnergy = 1, kWarpInstructions = 2, kLaneInstructions = 3, kTypes = 4;

json::Value interval_json(const sample::Projected& one) {
  return {{"low", one.nominal - one.half_width()},
          {"nominal", one.nominal},
          {"high", one.nominal + one.half_width()},
          {"sampling", one.sampling},
          {"warm_up", one.bias}};
}

double relative(const sample::Projected& one) { return one.nominal > 0 ? one.half_width() / one.nominal : 0; }

}  // namespace

void SampledRun::check_options(const JobOptions& options) {
  std::vector<std::string> without;
  const auto refuse = [&without](bool given, const char* option) {
    if (given) without.emplace_back(option);
  };
  refuse(!options.checks.empty(), "--check");
  refuse(!options.trace.traces.empty(), "--trace");
  refuse(options.gdb_port.has_value(), "--gdb");
  refuse(options.wants_profile(), "--profile");
  refuse(options.lines, "--lines");
  refuse(options.annotate, "--annotate");
  refuse(!options.report.empty(), "--report");
  refuse(!options.accelergy.empty(), "--accelergy");
  refuse(!options.saves.empty(), "--save");
  refuse(!options.memory.empty(), "--save-memory");
  refuse(!options.samples.empty(), "--samples");
  refuse(!options.checkpoint.empty(), "--checkpoint");
  refuse(!options.from.empty(), "--from");
  if (without.empty()) return;
  throw input::UserError(fmt::format(
      "--sample: only a part of the work groups is simulated, so their events and results are incomplete: leave out {}",
      fmt::join(without, ", ")));
}

bool SampledRun::has_units(const loader::Program& program) {
  for (const loader::Segment& segment : program.segments) {
    if (!segment.executable) continue;
    for (std::size_t at = 0; at + 4 <= segment.bytes.size(); at += 4) {
      std::uint32_t word = 0;
      std::memcpy(&word, segment.bytes.data() + at, sizeof word);
      if (protocol::marks_units(word)) return true;
    }
  }
  return false;
}

SampledRun::SampledRun(const sample::SampleOptions& options, session::Session& session, Launches& launches)
    : options_(options),
      launches_(launches),
      queue_([&session] { session.measured().region().launches_changed(); }) {
  const soc::SocParams& params = session.machine().params();
  lines_of_level_2_ = static_cast<double>(params.l2.size_bytes) / static_cast<double>(params.l2.line_bytes);
  launches.follow([this]() -> const std::vector<protocol::KernelRun>& { return queue_.launches(); });
  if (session.grid()) sample_grid(*session.grid(), session);
  else sample_loop(session.measured());
}

/// `per_wave`: units that the machine does at once.
void SampledRun::begin(std::uint64_t units, std::uint64_t per_wave, const sample::WavePlan& plan) {
  sample_.emplace(
      units, per_wave, plan, options_, queue_, [this](std::size_t segment) { return metrics(segment); },
      [this](std::uint64_t waves) { return is_filled(waves); });
}

void SampledRun::sample_loop(soc::MeasuredMachine& machine) {
  loop_.emplace(queue_, [this](std::uint64_t units, std::uint64_t row) {
    const sample::WavePlan plan = sample::units_of_loop(row);
    std::string why =
        sample::WaveSample::refusal(units, fmt::format("the loop has {} units", units), plan, options_);
    if (why.empty()) begin(units, 1, plan);
    return why;
  });
  machine.region().follow(*loop_);
}

const std::string& SampledRun::refusal() const {
  static const std::string kNone;
  return loop_ ? loop_->refusal() : kNone;
}

void SampledRun::sample_grid(const protocol::GridLaunch& grid, session::Session& session) {
  const soc::SocParams& params = session.machine().params();
  unsigned clusters = 0;
  for (unsigned i = 0; i < params.clusters; ++i) clusters += grid.clusters.allows(i) ? 1 : 0;
  const std::uint64_t per_wave = params.occupancy(grid) * clusters;
  const std::uint64_t waves = grid.groups() / per_wave;
  const std::string what =
      fmt::format("the grid has {} work groups, the machine holds {} at once: {} whole waves", grid.groups(),
                  per_wave, waves);
  if (const std::string why = sample::WaveSample::refusal(waves, what, sample::kWavesOfGrid, options_);
      !why.empty())
    throw input::UserError("--sample: " + why + "; leave out --sample");
  const auto sequenced = session.assembled().blocks().all<protocol::GroupSequenced>();
  if (sequenced.empty())
    throw input::UserError("--sample: the machine has no dispatcher that can leave out work groups");
  begin(grid.groups(), per_wave, sample::kWavesOfGrid);
  sequenced.front()->follow(queue_);
}

std::vector<double> SampledRun::values(std::size_t segment, bool all) const {
  const auto counted = launches_.counted(static_cast<std::uint32_t>(segment));
  return counted ? values(*counted, all) : std::vector<double>();
}

std::vector<double> SampledRun::values(const Launches::Counted& counted, bool all) {
  std::vector<double> values{static_cast<double>(counted.cycles), counted.energy_uj};
  if (!all) return values;
  for (const std::uint64_t count : counted.counts) values.push_back(static_cast<double>(count));
  for (const std::uint64_t count : counted.events) values.push_back(static_cast<double>(count));
  return values;
}

std::optional<std::vector<double>> SampledRun::metrics(std::size_t segment) const {
  std::vector<double> row = values(segment, false);
  return row.empty() ? std::nullopt : std::optional(std::move(row));
}

/// The level 2 cache is in the state of the rest of the run: it was filled once and a half, or never will be half full.
/// `waves`: those since the begin.
bool SampledRun::is_filled(std::uint64_t waves) const {
  const soc::TypeSums& types = *launches_.types();
  const soc::TypeSums::Row row = types.read();
  const auto is_level_2 = [](const base::Channel& one) { return one.name == "level 2 cache"; };
  for (const base::BlockType* type : types.types()) {
    if (std::none_of(type->channels.begin(), type->channels.end(), is_level_2)) continue;
    const auto filled = static_cast<double>(types.counted(row, *type, {"fills"}));
    const double in_run = filled / static_cast<double>(waves) * static_cast<double>(sample_->waves());
    return filled >= 1.5 * lines_of_level_2_ || in_run < 0.5 * lines_of_level_2_;
  }
  return true;
}

/// Units that use atomic operations on memory may wait for, or share work with, others that were left out.
void SampledRun::refuse_dependent() const {
  const soc::TypeSums& types = *launches_.types();
  const soc::TypeSums::Row row = types.read();
  for (const base::BlockType* type : types.types()) {
    const bool is_shared =
        std::any_of(type->channels.begin(), type->channels.end(), [](const base::Channel& one) {
          return one.name == "shared memory";  // of one work group
        });
    if (!is_shared && types.counted(row, *type, {"atomics"}) != 0)
      throw input::UserError(fmt::format(
          "--sample: the kernel has atomic operations on memory, so {} may depend on others that were left "
          "out; leave out --sample",
          is_loop() ? "units" : "work groups"));
  }
}

void SampledRun::finish() {
  if (!sample_)
    throw input::UserError("--sample: the program has ended without a loop of units; leave out --sample");
  if (!whole()) refuse_dependent();
  if (sample_->cold())
    throw input::UserError(
        "--sample: the level 2 cache is still being filled after as many waves as max allows, so the rest of the run is "
        "not like them; give a larger max, or leave out --sample");
  projected_ = sample_->project([this](std::size_t segment) -> std::optional<std::vector<double>> {
    std::vector<double> row = values(segment, true);
    return row.empty() ? std::nullopt : std::optional(std::move(row));
  });
  simulated_.assign(projected_.size(), 0);
  for (std::size_t segment = 0; segment < queue_.launches().size(); ++segment) {
    const std::vector<double> row = values(segment, true);
    for (std::size_t i = 0; i < row.size(); ++i) simulated_[i] += row[i];
  }
  // Before the first unit and behind the last one.
  const std::vector<double> all = values(launches_.counted(), true);
  for (std::size_t i = 0; i < all.size(); ++i) {
    projected_[i].nominal += all[i] - simulated_[i];
    simulated_[i] = all[i];
  }
  has_energy_ = projected_[kEnergy].nominal > 0;
}

std::int64_t SampledRun::added_cycles() const {
  return std::llround(projected_[kCycles].nominal - simulated_[kCycles]);
}

double SampledRun::cycles_half_width() const { return projected_[kCycles].half_width(); }

energy::Span SampledRun::added_events(const energy::Span& whole) const {
  energy::Span span{0, 0, std::vector<double>(whole.counts.size())};
  span.end = static_cast<base::Cycle>(added_cycles());
  const std::vector<std::size_t>& columns = launches_.event_columns();
  const std::size_t first =
      projected_.size() - (columns.empty() ? 0 : 1 + *std::max_element(columns.begin(), columns.end()));
  for (std::size_t channel = 0; channel < columns.size(); ++channel) {
    const std::size_t i = first + columns[channel];
    if (simulated_[i] > 0)
      span.counts[channel] = whole.counts[channel] * (projected_[i].nominal / simulated_[i] - 1);
  }
  return span;
}

std::uint64_t SampledRun::warp_instructions() const {
  return static_cast<std::uint64_t>(std::llround(projected_[kWarpInstructions].nominal));
}
std::uint64_t SampledRun::lane_instructions() const {
  return static_cast<std::uint64_t>(std::llround(projected_[kLaneInstructions].nominal));
}

/// Of work groups or units, with warm-up.
double SampledRun::share_simulated() const {
  return static_cast<double>(queue_.taken()) / static_cast<double>(sample_->groups());
}

json::Value SampledRun::json() const {
  const std::vector<sample::Projected> metrics{projected_[kCycles], projected_[kEnergy]};
  json::Value document{{"unit", is_loop() ? "unit of a loop" : "wave of work groups"},
                       {"units", sample_->waves()},
                       {"units_measured", sample_->measured_waves()},
                       {"share_simulated", share_simulated()},
                       {"work_groups", is_loop() ? json::Value() : json::Value(sample_->groups())},
                       {"work_groups_simulated", is_loop() ? json::Value() : json::Value(queue_.taken())},
                       {"cycles_simulated", simulated_[kCycles]},
                       {"confidence", options_.confidence},
                       {"error_wanted", options_.error},
                       {"reached", sample_->reached(metrics)},
                       {"seed", options_.seed},
                       {"cycles", interval_json(projected_[kCycles])},
                       {"energy_uj", has_energy_ ? interval_json(projected_[kEnergy]) : json::Value()},
                       {"warp_instructions", interval_json(projected_[kWarpInstructions])},
                       {"thread_instructions", interval_json(projected_[kLaneInstructions])}};
  json::Value& counters = document["counters"] = json::Value::object();
  std::size_t i = kTypes;
  for (const std::string& name : launches_.types()->column_names())
    counters[name] = interval_json(projected_[i++]);
  return document;
}

std::vector<std::string> SampledRun::lines() const {
  const char* const parts = is_loop() ? "units" : "work groups";
  if (whole()) return {fmt::format("all {} {} simulated", text::grouped(sample_->groups()), parts)};
  std::vector<std::string> lines{
      fmt::format("{} of {} {} measured, {:.1f} % of the {} simulated; results not verified",
                  text::grouped(sample_->measured_waves()), text::grouped(sample_->waves()),
                  is_loop() ? "units" : "waves of work groups", 100 * share_simulated(), parts)};
  const auto add = [&](const char* what, const sample::Projected& one, const char* unit) {
    lines.push_back(fmt::format(
        "{} {:.4g}{} ± {:.2g} % ({:.2g} % sampling, {:.2g} % warm-up) at {:g} % confidence", what,
        one.nominal, unit, 100 * relative(one), one.nominal > 0 ? 100 * one.sampling / one.nominal : 0,
        one.nominal > 0 ? 100 * one.bias / one.nominal : 0, 100 * options_.confidence));
  };
  add("cycles", projected_[kCycles], "");
  if (has_energy_) add("energy", projected_[kEnergy], " uJ, between begin and end of the run,");
  if (!sample_->reached({projected_[kCycles], projected_[kEnergy]}))
    lines.push_back(fmt::format("the error of {:g} % was not reached; a larger max, or no --sample, may help",
                                100 * options_.error));
  return lines;
}

}  // namespace spica::job

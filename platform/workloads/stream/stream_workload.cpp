// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/stream/stream_workload.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "platform/base/config/describe.h"
#include "platform/machine/soc/soc_params.h"
#include "platform/run/job.h"
#include "platform/run/measurements.h"
#include "platform/run/printed.h"
#include "platform/run/results.h"
#include "platform/workloads/figures.h"
#include "platform/workloads/stream/stream_job.h"

namespace spica::workloads {

namespace {

constexpr std::size_t kRows = 40;  // of the table that is printed

}  // namespace

StreamWorkload::StreamWorkload(Places places) : places_(std::move(places)) {}
StreamWorkload::~StreamWorkload() = default;

config::Field StreamWorkload::options() {
  return config::describe(asked, "stream", "kernels in streams, with events between them");
}

config::Source StreamWorkload::source() const {
  return config::load(asked.file, {}, places_.configs, stream::kStreamFiles);
}

std::string StreamWorkload::machine() const {
  return asked.file.empty() ? asked.file : stream::stream_file_of(source()).config;
}

Dependencies StreamWorkload::depends_on(const std::function<soc::SocParams()>&) const {
  const stream::StreamFile file = stream::stream_file_of(source());
  Dependencies all{{}, {{"file", asked.file}, {"program", places_.program(file.program)}}};
  for (const std::string& load : file.load)
    all.files.emplace_back(fmt::format("load.{}", all.files.size()), load.substr(0, load.rfind('@')));
  for (const stream::CheckEntry& check : file.check)
    all.files.emplace_back(fmt::format("check.{}", all.files.size()), check.file);
  return all;
}

void StreamWorkload::check_options() const { stream::stream_file_of(source()); }

void StreamWorkload::choose(job::JobOptions& job) {
  source_ = source();
  const stream::StreamFile file = stream::stream_file_of(source_);
  job.config = file.config;
  job.overrides.insert(job.overrides.begin(), file.set.begin(), file.set.end());
  job.elf = places_.program(file.program);
  job.elf_for = [this, name = file.program](const soc::SocParams& params) {
    return places_.program(name, params);
  };
  job.loads.insert(job.loads.begin(), file.load.begin(), file.load.end());
  job.saves.insert(job.saves.begin(), file.save.begin(), file.save.end());
  job.grid_later = true;
  job.launches = true;
}

void StreamWorkload::prepare(job::Job& job) {
  const stream::StreamFile file = stream::stream_file_of(source_);
  checks_ = file.check.size();
  streams_ = std::make_unique<stream::StreamJob>(job, file, source_);
}

void StreamWorkload::check(job::Job&, const job::JobOutcome& outcome) {
  if (checks_ == 0 || outcome.guest_exit_code != 0) return;
  wrong_ = streams_->differences();
  is_checked_ = true;
}

Figures StreamWorkload::figures(job::Job& job, const job::JobOutcome&) {
  Figures figures;
  figures.run = job::own_figures(job.facts());
  figures.run.details["streams"] = streams_->figures();
  if (is_checked_) figures.run.verified = wrong_.empty();
  if (const std::string open = streams_->unfinished(); !open.empty()) figures.problems = "\nStreams\n" + open;
  figures.tables = streams_->table(kRows) + "\n" + job::launch_table(job.facts().measurements);
  if (is_checked_ && wrong_.empty())
    figures.tables += fmt::format("  verified: {0} of {0} checks\n", checks_);
  figures.wrong = wrong_;
  return figures;
}

}  // namespace spica::workloads

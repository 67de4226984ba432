// SPDX-License-Identifier: Apache-2.0
#include "platform/sweep/point_checks.h"

#include "platform/loader/user_error.h"
#include "platform/workloads/attention.h"
#include "platform/workloads/design_file.h"
#include "platform/workloads/gemm_design.h"

namespace spica::sweep {

void PointChecks::add(const Setting& setting, const config::Place& place, const std::string& path) {
  if (setting.key == "design") designs_.push_back({setting.value, place, path});
  if (setting.key == "size") sizes_.push_back({setting.value, place, path});
}

void PointChecks::add(const Axis& axis) {
  for (const AxisValue& value : axis.values) {
    config::Place place = axis.place;
    if (value.line != 0) {
      place.line = value.line;
      place.column = 0;
    }
    for (const Setting& setting : value.settings) add(setting, place, "axes." + axis.name);
  }
}

bool PointChecks::check_design(JobKind job, const Given& design, FileReader& file) const try {
  if (job == JobKind::kGemm) workloads::read_gemm_design(design.value, configs_dir_);
  else workloads::read_attention_design(design.value, configs_dir_);
  return true;
} catch (const config::ConfigError& error) {
  // Where the name stands, when there is no such design; in its own file, when that is wrong.
  for (const config::Problem& problem : error.problems()) {
    if (problem.place.line != 0) file.report(problem.place, problem.key, problem.what, problem.allowed);
    else file.report(design.place, design.path, problem.place.text() + ": " + problem.what, problem.allowed);
  }
  return false;
}

void PointChecks::run(JobKind job, FileReader& file) const {
  if (job == JobKind::kRun) return;
  bool good = true;
  for (const Given& design : designs_) good = check_design(job, design, file) && good;
  if (job != JobKind::kGemm) return;
  constexpr std::size_t kMostPairs = 10'000;
  const bool with_designs = good && designs_.size() * sizes_.size() <= kMostPairs && !designs_.empty();
  std::vector<workloads::GemmDesign> designs;
  if (with_designs)
    for (const Given& design : designs_)
      designs.push_back(workloads::read_gemm_design(design.value, configs_dir_));
  for (const Given& size : sizes_) try {
      if (size.value.empty()) throw loader::UserError("a size is MxNxK");
      workloads::parse_gemm_sizes(size.value);
      for (const workloads::GemmDesign& design : designs) workloads::parse_sizes(design, size.value);
    } catch (const loader::UserError& error) {
      file.report(size.place, size.path, error.what());
    }
}

}  // namespace spica::sweep

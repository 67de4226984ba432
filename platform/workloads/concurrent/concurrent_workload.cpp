// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/concurrent/concurrent_workload.h"

#include "platform/workloads/design_dependencies.h"

namespace spica::workloads {

config::Field ConcurrentWorkload::options() {
  return config::describe(asked, "concurrent", "concurrent matrix products, each in its own stream");
}

Dependencies ConcurrentWorkload::depends_on(const std::function<soc::SocParams()>&) const {
  Dependencies all;
  const config::Source source = config::load(kDesign, {}, places_.configs, kGemmDesigns);
  add_design(all, gemm_design_of(source, places_.configs), source, places_);
  all.files.emplace_back("library", places_.library(asked.library));
  all.files.emplace_back("weights", places_.library(asked.weights));
  return all;
}

}  // namespace spica::workloads

// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/gemm/gemm_workload.h"

#include "platform/base/input/user_error.h"
#include "platform/workloads/design_dependencies.h"
#include "platform/workloads/design_file.h"
#include "platform/workloads/gemm_design.h"

namespace spica::workloads {

namespace {

/// "64" and "64x64x64" are one size.
std::string one_way(const std::string& size) try {
  return size.empty() ? size : sizes_text(parse_gemm_sizes(size));
} catch (const input::UserError&) {
  return size;  // check_options() reports it
}

}  // namespace

config::Field GemmWorkload::options() {
  config::Field all = config::describe(asked, "gemm", "a matrix product C = A * B");
  find_option(all, "size")->set = [this](const config::Value& value) {
    asked.size = one_way(std::get<std::string>(value));
  };
  return all;
}

config::Field GemmWorkload::outputs() { return config::describe(outputs_, "outputs"); }

std::string GemmWorkload::machine() const {
  if (!asked.config.empty()) return asked.config;
  return read_gemm_design(asked.design.empty() ? kUsualDesign : asked.design, places_.configs).config;
}

Dependencies GemmWorkload::depends_on(const std::function<soc::SocParams()>& machine) const {
  Dependencies all;
  std::string name = asked.design;
  if (name.empty())
    name = asked.config.empty() ? kUsualDesign : design_for(asked.config, machine(), places_.configs).name;
  const config::Source source = config::load(name, {}, places_.configs, kGemmDesigns);
  add_design(all, gemm_design_of(source, places_.configs), source, places_);
  if (!asked.a.empty()) all.files.emplace_back("a", asked.a);
  if (!asked.b.empty()) all.files.emplace_back("b", asked.b);
  if (!asked.epilogue.given_bias().empty()) all.files.emplace_back("bias", asked.epilogue.bias);
  else if (!asked.epilogue.bias.empty()) all.facts.push_back("bias=" + asked.epilogue.bias);
  return all;
}

void GemmWorkload::check_options() const {
  asked.check(false);
  if (!asked.size.empty()) parse_gemm_sizes(asked.size);
  if (!asked.design.empty()) parse_sizes(read_gemm_design(asked.design, places_.configs), asked.size);
}

}  // namespace spica::workloads

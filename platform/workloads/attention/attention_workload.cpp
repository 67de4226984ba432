// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/attention/attention_workload.h"

#include "platform/workloads/design_dependencies.h"
#include "platform/workloads/design_file.h"

namespace spica::workloads {

config::Field AttentionWorkload::options() {
  return config::describe(asked, "attention", "flash attention, O = softmax(Q K^T / sqrt(d)) V");
}

std::string AttentionWorkload::machine() const {
  return asked.config.empty() ? read_attention_design(asked.design, places_.configs).config : asked.config;
}

Dependencies AttentionWorkload::depends_on(const std::function<soc::SocParams()>&) const {
  Dependencies all;
  const auto add = [&](const std::string& name, const std::string& prefix) {
    const config::Source source = config::load(name, {}, places_.configs, kAttentionDesigns);
    const AttentionDesign design = attention_design_of(source, places_.configs);
    add_design(all, design, source, places_, prefix);
    if (!design.polynomial_kernel.empty())
      all.files.emplace_back(prefix + "polynomial_kernel", design.polynomial_file.empty()
                                                               ? places_.kernel(design.polynomial_kernel)
                                                               : design.polynomial_file);
    return design.fp16;
  };
  // Which of them runs follows from the options.
  const std::string fp16 = add(asked.design, "");
  if (!fp16.empty() && fp16 != asked.design) add(fp16, "fp16.");
  return all;
}

void AttentionWorkload::check_options() const { read_attention_design(asked.design, places_.configs); }

}  // namespace spica::workloads

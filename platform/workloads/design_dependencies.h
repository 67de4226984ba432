// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/workloads/design_file.h"
#include "platform/workloads/workload.h"

namespace spica::workloads {

/// The dependencies of a run that a design file determines, its program and the program's sources, as facts that begin
/// with `prefix`.
template <class Design>
void add_design(Dependencies& all, const Design& design, const config::Source& source, const Places& places,
                const std::string& prefix = {}) {
  for (const config::EffectiveValue& value : config::effective(design, source)) {
    const std::string first = value.key.substr(0, value.key.find('.'));
    if (first == "title" || first == "order" || first == "published" || first == "standard" ||
        first == "config")
      continue;
    all.facts.push_back(prefix + "design." + value.key + '=' + value.text);
  }
  if (!design.kernel.empty() || !design.kernel_file.empty())
    all.files.emplace_back(prefix + "kernel",
                           design.kernel_file.empty() ? places.kernel(design.kernel) : design.kernel_file);
  if (!design.source.empty()) {
    all.facts.push_back(prefix + "source=" + places.sources_digest(design.source_file));
    all.facts.push_back(
        prefix + "compiler=" +
        places.compiler_version(design.toolchain, !design.kernel.empty() || !design.kernel_file.empty()));
  }
}

}  // namespace spica::workloads

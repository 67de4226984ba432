// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/experiment/gpu_file.h"

#include "platform/base/config/config.h"

namespace spica::config {

template Field describe(experiment::Gpu& gpu, std::string_view name, std::string_view doc,
                        std::string_view source);

}  // namespace spica::config

namespace spica::experiment {

const config::FileKind kGpus{"GPU", "gpus"};

Gpu gpu_of(const config::Source& source) {
  Gpu gpu;
  config::apply(source, gpu);
  return gpu;
}

Gpu read_gpu(const std::string& name, const std::filesystem::path& configs_dir) {
  return gpu_of(config::load(name, {}, configs_dir, kGpus));
}

}  // namespace spica::experiment

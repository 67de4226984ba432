// SPDX-License-Identifier: Apache-2.0
// Designs as files: configs/designs/NAME.yaml for matrix products, configs/designs/attention/NAME.yaml, or the user's
// own file with its companions in the same folder. Read like configurations.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/base/config/config.h"
#include "platform/workloads/attention.h"
#include "platform/workloads/gemm_design.h"

namespace spica::config {

// Compiled once, in design_file.cpp.
extern template Field describe(workloads::GemmDesign& design, std::string_view name, std::string_view doc,
                               std::string_view source);
extern template Field describe(workloads::AttentionDesign& design, std::string_view name,
                               std::string_view doc, std::string_view source);

}  // namespace spica::config

namespace spica::workloads {

extern const config::FileKind kGemmDesigns, kAttentionDesigns;

/// The design of a name or file. Throws ConfigError with all errors in the file and in the files it names.
GemmDesign read_gemm_design(const std::string& name, const std::filesystem::path& configs_dir);
AttentionDesign read_attention_design(const std::string& name, const std::filesystem::path& configs_dir);
/// The same from a file that is already loaded.
GemmDesign gemm_design_of(const config::Source& source, const std::filesystem::path& configs_dir);
AttentionDesign attention_design_of(const config::Source& source, const std::filesystem::path& configs_dir);

/// The name of a file's contents: "tc" for configs/designs/tc.yaml.
std::string name_of(const config::Source& source);

/// The design for a configuration (a name, or a file): the standard one with its name, else the first standard one that
/// the machine can run. Throws UserError if there is none.
GemmDesign design_for(const std::string& config, const soc::SocParams& params,
                      const std::filesystem::path& configs_dir);

}  // namespace spica::workloads

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/machine/loader/program.h"
#include "platform/machine/soc/soc_params.h"

namespace spica::soc {

/// Something a program was built for that the machine has not.
struct Mismatch {
  std::string what;   // what it was built for, and what the machine has
  std::string set;  // "clusters=1": the key and value it was built for; empty when it is none of a machine
  std::string build;  // "-DPLATFORM_SHARED_SIZE=0x40000": how to build it for the machine; may be empty
  bool fatal = true;  // it cannot work; else it may not
};

/// Compares the notes of a program (platform/machine/loader/elf_notes.h) with a machine. Empty when it fits or has no
/// notes.
std::vector<Mismatch> mismatches(const loader::Program& program, const SocParams& params);

/// Throws UserError when a program cannot work on the machine `params`, which came from `config` and `overrides`: what
/// it was built for, what the machine has, and which values, builds and configurations would work. Returns warnings,
/// a line each, about what may not work.
std::string check_built_for(const loader::Program& program, const SocParams& params,
                            const std::string& config, const std::vector<std::string>& overrides,
                            const std::filesystem::path& configs_dir);

}  // namespace spica::soc

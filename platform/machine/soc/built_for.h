// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "platform/machine/loader/program.h"
#include "platform/machine/loader/stack_layout.h"
#include "platform/machine/soc/soc_params.h"

namespace spica::soc {

/// Reads a program (loader::load_elf), and gives it the stacks of a machine whose caches interleave stacks
/// (cluster.coalescer.local_stride) where that is possible; mismatches() reports the rest.
loader::Program load_program(const std::string& path, const SocParams& params);

/// The stacks of our programs on a machine.
loader::StackLayout own_stacks(const SocParams& params);

/// Where stacks of threads are, or where the machine's caches interleave them: not for data.
struct StackRegion {
  std::uint64_t begin = 0, end = 0, threads = 0;

  StackRegion(const loader::Program& program, const SocParams& params);
  /// Throws UserError for data there.
  void check_outside(std::uint64_t address, std::uint64_t bytes) const;
};

/// A property that a program was built for and that the machine lacks.
struct Mismatch {
  std::string what;   // the value it was built for, and that of the machine
  std::string set;  // "clusters=1": the setting it was built for; empty if it is not a setting
  std::string build;  // "-DPLATFORM_SHARED_SIZE=0x40000": the build option for this machine; may be empty
  bool fatal = true;  // true: the program cannot work; false: it may not work
};

/// Compares the notes of a program (platform/machine/loader/elf_notes.h) with a machine. Empty if it fits or has no
/// notes.
std::vector<Mismatch> mismatches(const loader::Program& program, const SocParams& params);

/// Throws UserError if a program cannot work on the machine `params`, which came from `config` and `overrides`. The
/// message has the required and the actual values, and the settings, builds and configurations that would work. Returns
/// warnings about possible problems, one line each.
std::string check_built_for(const loader::Program& program, const SocParams& params,
                            const std::string& config, const std::vector<std::string>& overrides,
                            const std::filesystem::path& configs_dir);

}  // namespace spica::soc

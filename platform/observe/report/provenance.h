// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/base/json/value.h"
#include "platform/machine/loader/program.h"

namespace spica::report {

/// Where a result comes from: {version, commit, dirty, compiler, build_type, command_line, program_sha1,
/// program_compilers (that of the kernel first), config_sha1, seed}. Nothing in it names the host or the time, so equal
/// runs have equal ones.
///
/// commit, dirty (a tracked file differed from the commit) and the rest of the build are those of
/// the last build; commit is "unknown" outside of a git checkout. `machine` is the configuration as
/// config::canonical_text() writes it, so that the hash does not depend on where values were
/// written. The hashes are SHA-1: they distinguish files, and do not withstand an attack.
json::Value provenance_json(const std::vector<std::string>& command_line, const loader::Program& program,
                            const std::string& machine, std::uint64_t seed);

/// "0.1.0 (1a2b3c4d5e6f, modified)": for --version.
std::string version_text();

/// Words as one would type them to a shell; quotes only where needed.
std::string shell_text(const std::vector<std::string>& words);

}  // namespace spica::report

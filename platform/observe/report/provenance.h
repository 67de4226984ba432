// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/base/json/value.h"
#include "platform/machine/loader/program.h"

namespace spica::report {

/// The origin of a result: {version, commit, dirty, compiler, build_type, command_line, program_sha1, program_compilers
/// (that of the kernel first), config_sha1, seed}. Contains neither host nor time, so equal runs have equal provenance.
///
/// commit, dirty (a tracked file differed from the commit) and the other build data are those of the last build; commit
/// is "unknown" outside a git checkout. `machine`: the configuration as config::canonical_text() writes it, so that the
/// hash does not depend on where values were set. The hashes are SHA-1: they distinguish files, but do not withstand
/// attacks.
json::Value provenance_json(const std::vector<std::string>& command_line, const loader::Program& program,
                            const std::string& machine, std::uint64_t seed);

/// "0.1.0 (1a2b3c4d5e6f, modified)": for --version.
std::string version_text();

/// A command line as typed into a shell; quotes only where needed.
std::string shell_text(const std::vector<std::string>& words);
/// The words of a text, as a shell splits them: at spaces outside of quotes and without backslash. Nothing is expanded.
std::vector<std::string> shell_words(const std::string& text);

}  // namespace spica::report

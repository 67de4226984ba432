// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "platform/machine/loader/program.h"
#include "platform/machine/loader/source_map.h"

namespace spica::loader {

/// True if a call, jal or jalr with rd = ra, is directly before `pc`.
bool returns_to(const Program& program, std::uint32_t pc);

/// The pc of the innermost call outside the library through which the library code at `pc` was reached. `words`: ra,
/// then the words of the stack from the stack pointer on.
std::optional<std::uint32_t> user_call(const Program& program, const SourceMap& sources, std::uint32_t pc,
                                       const std::vector<std::uint32_t>& words);

}  // namespace spica::loader

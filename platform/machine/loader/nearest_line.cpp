// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/loader/nearest_line.h"

namespace spica::loader {

NearestLine nearest_line(const SourceMap& sources, std::uint64_t pc) {
  constexpr std::uint64_t kInstruction = 4;
  const Location& own = sources.lookup(pc);
  if (own.frame.line != 0 || own.frame.file.empty()) return {own, true};
  const auto near = [&](std::uint64_t at) -> const Location* {
    const Location& there = sources.lookup(at);
    const bool same = there.frame.function == own.frame.function && there.frame.file == own.frame.file;
    return same && there.frame.line != 0 ? &there : nullptr;
  };
  const std::uint64_t begin = pc - own.offset;
  for (std::uint64_t at = pc; at > begin;)
    if (const Location* found = near(at -= kInstruction); found != nullptr) return {*found, false};
  const Symbol* const function = sources.function_at(pc);
  for (std::uint64_t at = pc + kInstruction; function != nullptr && at < begin + function->bytes;
       at += kInstruction)
    if (const Location* found = near(at); found != nullptr) return {*found, false};
  return {own, true};
}

}  // namespace spica::loader

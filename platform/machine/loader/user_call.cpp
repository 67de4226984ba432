// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/loader/user_call.h"

#include <algorithm>

#include "models/isa/instruction.h"
#include "platform/machine/loader/user_frame.h"

namespace spica::loader {

bool returns_to(const Program& program, std::uint32_t pc) {
  if (pc % 4 != 0) return false;
  const std::uint32_t call = program.word_at(pc - 4).value_or(0);
  return (call & 0xFFF) == 0xEF || (call & 0x7FFF) == 0xE7;
}

namespace {

/// The function that the call in front of `pc` calls; nothing: by a pointer.
std::optional<std::uint32_t> callee(const Program& program, std::uint32_t pc) {
  const isa::Instruction call = isa::decode(program.word_at(pc - 4).value_or(0));
  const auto offset = static_cast<std::uint32_t>(call.imm);
  if (call.opcode == isa::Opcode::kJal) return pc - 4 + offset;
  const isa::Instruction before = isa::decode(program.word_at(pc - 8).value_or(0));
  if (before.opcode != isa::Opcode::kAuipc || before.rd != call.rs1) return std::nullopt;
  return pc - 8 + static_cast<std::uint32_t>(before.imm) + offset;
}

}  // namespace

std::optional<std::uint32_t> user_call(const Program& program, const SourceMap& sources, std::uint32_t pc,
                                       const std::vector<std::uint32_t>& words) {
  const auto is_user = [&](std::uint32_t at) {
    const Frame& found = user_frame(sources.lookup(at - 4));
    return returns_to(program, at) && !found.file.empty() && !of_library(found.file);
  };
  // Other words there may be of calls that have returned: those count that call the function before them.
  const Symbol* function = sources.function_at(pc);
  for (const std::uint32_t word : words) {
    if (!returns_to(program, word)) continue;
    const auto called = callee(program, word);
    if (called && (function == nullptr || *called != function->address)) continue;
    if (is_user(word)) return word - 4;
    function = sources.function_at(word - 4);
  }
  const auto first = std::find_if(words.begin(), words.end(), is_user);  // a function was left by a jump
  return first == words.end() ? std::nullopt : std::optional(*first - 4);
}

}  // namespace spica::loader

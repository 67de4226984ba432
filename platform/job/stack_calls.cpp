// SPDX-License-Identifier: Apache-2.0
#include "platform/job/stack_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "models/isa/stacks.h"
#include "platform/loader/stack_layout.h"

namespace spica::job {

namespace {

/// A call stands in front of where it returns to: jal or jalr with rd = ra.
bool returns_to(const loader::Program& program, std::uint32_t pc) {
  if (pc % 4 != 0) return false;
  const std::uint32_t call = program.word_at(pc - 4).value_or(0);
  return (call & 0xFFF) == 0xEF || (call & 0x7FFF) == 0xE7;
}

struct Calls {
  std::string place;  // of the call that was met first
  std::string function;
  unsigned count = 0;
};

}  // namespace

std::string stack_calls(soc::Machine& machine, const loader::Program& program,
                        const loader::SourceMap& sources, const protocol::GuestFault& fault) {
  constexpr std::size_t kShown = 8;
  if (fault.kind != protocol::FaultKind::kStackOverflow) return "";
  const auto layout = loader::stack_layout(program);
  if (!layout || fault.origin.lanes == 0) return "";
  const auto lane = static_cast<unsigned>(__builtin_ctz(fault.origin.lanes));
  const auto& core = machine.params().cluster.core;
  const std::uint64_t hart = (fault.origin.core * core.warps + fault.origin.warp) * core.lanes + lane;
  const isa::RegisterFile& registers = *machine.warp_view(fault.origin.core, fault.origin.warp).registers;
  const std::uint32_t sp = registers.row(isa::kStackPointer)[lane];
  const std::uint64_t begin = (std::uint64_t{sp} + 3) & ~std::uint64_t{3}, end = layout->end(hart);
  if (begin > end || begin < layout->begin(hart)) return "";
  std::vector<unsigned char> stack(end - begin);
  if (!machine.read(begin, stack.data(), stack.size())) return "";
  std::vector<Calls> calls;
  std::uint32_t innermost = 0;
  const auto add = [&](std::uint32_t pc) {
    const loader::Location& location = sources.lookup(pc - 4);
    const loader::Frame& outer =
        location.inlined_into.empty() ? location.frame : location.inlined_into.back();
    const auto known = std::find_if(calls.begin(), calls.end(),
                                    [&](const Calls& other) { return other.function == outer.function; });
    if (known != calls.end()) ++known->count;
    else calls.push_back({outer.place(false), outer.function, 1});
    innermost = pc;
  };
  for (std::size_t at = stack.size() & ~std::size_t{3}; at != 0; at -= 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, &stack[at - 4], sizeof word);
    if (returns_to(program, word)) add(word);
  }
  // At its first instruction a function has not saved its own return address yet.
  const std::uint32_t own = registers.row(1)[lane];
  if (returns_to(program, own) && (sources.lookup(fault.origin.pc).offset == 0 || own != innermost)) add(own);
  std::string text;
  std::size_t shown = 0;
  for (const Calls& call : calls) {
    if (call.count == 1 && shown >= kShown) continue;
    ++shown;
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ",
                        call.function.empty() ? "unknown code" : call.function,
                        call.place.empty() ? "" : " (" + call.place + ")",
                        call.count == 1 ? "" : fmt::format(" {} times", call.count));
  }
  if (calls.size() > shown) text += fmt::format(" and {} more", calls.size() - shown);
  return text.empty() ? text : fmt::format("  {:<12} {}\n", "called from", text);
}

}  // namespace spica::job

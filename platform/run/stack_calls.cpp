// SPDX-License-Identifier: Apache-2.0
#include "platform/run/stack_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "models/isa/stacks.h"
#include "platform/machine/loader/stack_layout.h"
#include "platform/machine/loader/user_call.h"
#include "platform/machine/loader/user_frame.h"
#include "platform/observe/report/fault_report.h"

namespace spica::job {

namespace {

struct Calls {
  std::string place;  // of the call that was met first
  std::string function;
  unsigned count = 0;
};

/// What a lane has of its callers.
struct CallStack {
  std::uint32_t ra = 0;
  std::vector<std::uint32_t> words;  // from the stack pointer on
};

std::optional<CallStack> stack_of(soc::Machine& machine, const loader::Program& program,
                                  const protocol::GuestFault& fault) {
  const auto layout = loader::stack_layout(program);
  if (!layout || fault.origin.unit != protocol::Origin::Unit::kCore || fault.origin.lanes == 0)
    return std::nullopt;
  const auto lane = static_cast<unsigned>(__builtin_ctz(fault.origin.lanes));
  const auto& core = machine.params().cluster.core;
  const std::uint64_t hart = (fault.origin.core * core.warps + fault.origin.warp) * core.lanes + lane;
  const isa::RegisterFile& registers = *machine.warp_view(fault.origin.core, fault.origin.warp).registers;
  const std::uint32_t sp = registers.row(isa::kStackPointer)[lane];
  const std::uint64_t begin = (std::uint64_t{sp} + 3) & ~std::uint64_t{3}, end = layout->end(hart);
  if (begin > end || begin < layout->begin(hart)) return std::nullopt;
  std::vector<unsigned char> bytes((end - begin) & ~std::uint64_t{3});
  if (!machine.read(begin, bytes.data(), bytes.size())) return std::nullopt;
  CallStack stack{registers.row(1)[lane], std::vector<std::uint32_t>(bytes.size() / 4)};
  std::memcpy(stack.words.data(), bytes.data(), bytes.size());
  return stack;
}

/// The innermost line outside the library from which a fault in the library comes.
std::string user_call(const CallStack& stack, const loader::Program& program,
                      const loader::SourceMap& sources, std::uint32_t pc) {
  std::vector<std::uint32_t> words{stack.ra};
  words.insert(words.end(), stack.words.begin(), stack.words.end());
  const std::optional<std::uint32_t> call = loader::user_call(program, sources, pc, words);
  return call ? fmt::format("  {:<12} {}\n", "called from",
                            report::frame_text(loader::user_frame(sources.lookup(*call))))
              : "";
}

}  // namespace

std::string stack_calls(soc::Machine& machine, const loader::Program& program,
                        const loader::SourceMap& sources, const protocol::GuestFault& fault) {
  constexpr std::size_t kShown = 8;
  const bool overflow = fault.kind == protocol::FaultKind::kStackOverflow;
  const bool in_library = fault.severity == protocol::Severity::kFault && report::has_pc(fault.origin) &&
                          loader::of_library(loader::user_frame(sources.lookup(fault.origin.pc)).file);
  if (!overflow && !in_library) return "";
  const auto stack = stack_of(machine, program, fault);
  if (!stack) return "";
  if (!overflow) return user_call(*stack, program, sources, fault.origin.pc);
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
  for (auto word = stack->words.rbegin(); word != stack->words.rend(); ++word)
    if (loader::returns_to(program, *word)) add(*word);
  // At its first instruction a function has not saved its own return address yet.
  const std::uint32_t own = stack->ra;
  if (loader::returns_to(program, own) && (sources.lookup(fault.origin.pc).offset == 0 || own != innermost))
    add(own);
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

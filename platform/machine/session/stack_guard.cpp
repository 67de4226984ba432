// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/session/stack_guard.h"

#include <algorithm>
#include <cstdint>

#include "platform/machine/loader/stack_layout.h"

namespace spica::session {

std::optional<isa::StackGuard> stack_guard(const loader::Program& program) {
  const auto stacks = loader::stack_layout(program);
  if (!stacks) return std::nullopt;
  std::uint64_t begin = stacks->top, end = 0;
  for (const loader::Segment& segment : program.segments) {
    if (segment.address >= stacks->top) continue;
    begin = std::min(begin, segment.address);
    end = std::max(end, segment.address + segment.size());
  }
  if (const loader::Symbol* heap = program.find("__heap_end")) end = std::max(end, heap->address);
  isa::StackGuard guard;
  guard.top = static_cast<std::uint32_t>(stacks->top);
  guard.stride = static_cast<std::uint32_t>(stacks->stride);
  guard.bytes = static_cast<std::uint32_t>(stacks->bytes);
  guard.own_begin = static_cast<std::uint32_t>(begin);
  guard.own_end = static_cast<std::uint32_t>(std::max(begin, end));
  return guard;
}

}  // namespace spica::session

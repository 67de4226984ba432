// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/warp/stack_guard.h"

#include <fmt/format.h>

namespace spica::simt_core {

std::uint32_t stack_left(const StackGuard& guard, const isa::Instruction& instruction,
                         std::uint32_t first_hart, std::uint32_t mask, const std::uint32_t* before,
                         const std::uint32_t* after) {
  const bool derived = (instruction.reads >> kStackPointer & 1) != 0;
  std::uint32_t left = 0;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    const std::uint32_t begin = guard.begin(first_hart + lane);
    if (before[lane] - begin > guard.bytes || after[lane] >= begin) continue;
    if (!derived && after[lane] - guard.own_begin < guard.own_end - guard.own_begin) continue;
    left |= 1u << lane;
  }
  return left;
}

GuestError lane_stack_overflow(const StackGuard& guard, std::uint32_t first_hart, std::uint32_t lanes,
                               const std::uint32_t* before, const std::uint32_t* after) {
  const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
  const std::uint32_t end = guard.end(first_hart + lane);
  GuestError error{
      protocol::FaultKind::kStackOverflow, protocol::Severity::kFault,
      fmt::format(
          "lane {}: {} bytes of its stack are in use and {} more are needed, in total {} of {} bytes; the stack is "
          "{:#010x} to {:#010x}",
          lane, end - before[lane], before[lane] - after[lane], end - after[lane], guard.bytes,
          end - guard.bytes, end - 1),
      true, after[lane]};
  error.lanes = lanes;
  return error;
}

}  // namespace spica::simt_core

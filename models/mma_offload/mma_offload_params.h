// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "models/base/params.h"

namespace spica::mma_offload {

/// Handling of an operation that is due for the lanes while they are busy.
enum class Counter : std::uint8_t { kCapped, kLiteral, kNever };
inline constexpr base::Choices kCounters{base::Choice<Counter>{"capped", Counter::kCapped},
                                         base::Choice<Counter>{"literal", Counter::kLiteral},
                                         base::Choice<Counter>{"never", Counter::kNever}};

struct OffloadParams {
  bool enabled = false;
  std::uint64_t mma_latency = 64;
  std::uint64_t mac_latency = 4;
  std::uint64_t mac_interval = 4;
  std::uint64_t operand_cycles = 0;
  bool operands_at_issue = false;
  Counter counter = Counter::kCapped;

  /// Neither larger nor smaller values are better hardware (see describe.h).
  static constexpr std::string_view kPolicies[] = {"mma_latency"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field(
        "enabled", p.enabled,
        "every n-th multiply-add of warp matrices (wmma32) runs on the floating-point lanes instead of the tensor core",
        "ho section II.B");
    field("mma_latency", p.mma_latency, "cycles", Range{1, 1024},
          "latency of an operation on the tensor core that the unit assumes; n follows from it and "
          "mac_interval",
          "ho section II.B, algorithm 1");
    field("mac_latency", p.mac_latency, "cycles", Range{1, 64}, "latency of a multiply-add on the lanes",
          "ho section II.B, algorithm 1");
    field("mac_interval", p.mac_interval, "cycles", Range{1, 64},
          "distance of two multiply-adds of an operation on the lanes; equal to mac_latency: one "
          "at a time",
          "ho section II.B, algorithm 1 (4)");
    field("operand_cycles", p.operand_cycles, "cycles", Range{0, 1024},
          "cycles before the first multiply-add of an operation, in which its fragments pass the "
          "operand buffers",
          "UNCERTAIN");
    field("operands_at_issue", p.operands_at_issue,
          "an operation on the lanes reads A and B when it issues, so loads can overwrite their fragments; "
          "off: its last multiply-add does",
          "UNCERTAIN: ho names no buffer for operands");
    field("counter", p.counter, kCounters,
          "operation count while the lanes are busy: capped: the operation goes to the tensor core "
          "and the next one tries; literal: the count continues, and the turn never returns; "
          "never: nothing is offloaded, only the use of lanes is counted",
          "ho section II.B, algorithm 1, whose bound of the count is illegible");
  }
};

}  // namespace spica::mma_offload

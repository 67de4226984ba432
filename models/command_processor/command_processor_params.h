// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "models/base/params.h"
#include "models/base/types.h"
#include "models/command_processor/command_processor_regs.h"

namespace spica::command_processor {

/// Selects the kernels at the heads of the queues that run at the same time.
enum class Policy : std::uint8_t { kSequential, kGreedy, kPredicted, kOracle };
inline constexpr base::Choices kPolicies{
    base::Choice<Policy>{"sequential", Policy::kSequential}, base::Choice<Policy>{"greedy", Policy::kGreedy},
    base::Choice<Policy>{"predicted", Policy::kPredicted}, base::Choice<Policy>{"oracle", Policy::kOracle}};

struct CommandProcessorParams {
  bool present = false;
  Policy policy = Policy::kGreedy;
  double clock_mhz = 1500;
  std::uint64_t memory_latency = 31;
  std::uint64_t heads_per_access = 2;
  double decision_us = 8;
  std::uint64_t queues = 32;
  std::uint64_t registers_base = 0xFFFF'0000;
  std::string firmware;

  // Set by the machine, not keys.
  double machine_mhz = 400;  // frequency of the machine, in whose cycles the block counts
  std::uint64_t clusters = 1;

  /// Parameters of the programming model (see describe.h).
  static constexpr std::string_view kProgrammingModel[] = {"present", "queues", "registers_base"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("present", p.present,
          "kernels can be launched from queues in memory (spica stream); it needs dispatcher.present",
          "arXiv:2409.02227 section 4.4");
    field("policy", p.policy, kPolicies,
          "kernels at the heads of the queues that run concurrently: sequential: one at a time, in "
          "turns; greedy: all that can start; predicted: as many matrix products with concurrent "
          "kernels as the concurrency model chooses, others as greedy; oracle: the number that was "
          "fastest when measured",
          "arXiv:2409.02227 section 5.5");
    field("clock_mhz", p.clock_mhz, "MHz", Range{1, 10000},
          "clock of the command processor and unit of its times; completions are visible in the "
          "next cycle of the clusters",
          "arXiv:2409.02227 section 5.4.2");
    field("memory_latency", p.memory_latency, "cycles of its clock", Range{0, 100'000},
          "latency of a memory access: queue heads, signals", "arXiv:2409.02227 section 5.4.2");
    field("heads_per_access", p.heads_per_access, "packets/access", Range{1, 32},
          "queue heads read per access",
          "arXiv:2409.02227 section 5.4.2 (32 queues in 0.32 us: 16 accesses)");
    field("decision_us", p.decision_us, "us", Range{0, 1e6},
          "policies predicted and oracle: time from a new queue head to the launch, memory "
          "accesses included; longer if the accesses alone take longer",
          "arXiv:2409.02227 section 5.4.2");
    field("queues", p.queues, "queues", Range{1, 32}, "queues that it reads", "arXiv:2409.02227 section 4.4");
    field("registers_base", p.registers_base, "address", Range{0, 0xFFFF'FFFF},
          "first register, for cores and for a host through any cluster");
    field("firmware", p.firmware,
          "program that makes the decisions, on a hart of the command processor: an ELF file, or "
          "command_processor for the one shipped with Spica, which has all policies; its "
          "instructions replace the time of decision_us; empty: none",
          "arXiv:2409.02227 section 4.4");
  }

  bool has_firmware() const { return !firmware.empty(); }
  /// The number of the block's own cycle at machine cycle `cycle`, rounded down.
  base::Cycle own_cycle(base::Cycle cycle) const {
    return static_cast<base::Cycle>(static_cast<double>(cycle) * clock_mhz / machine_mhz);
  }
  std::uint64_t decision_cycles() const {
    return static_cast<std::uint64_t>(std::llround(decision_us * clock_mhz));
  }
  /// The duration of `own` own cycles in machine cycles, rounded up.
  base::Cycle machine_cycles(std::uint64_t own) const {
    const double exact = static_cast<double>(own) * machine_mhz / clock_mhz;
    const auto whole = static_cast<base::Cycle>(exact);
    return whole + (static_cast<double>(whole) < exact ? 1 : 0);
  }
};

}  // namespace spica::command_processor

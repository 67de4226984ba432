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

/// Which of the kernels at the heads of the queues run together.
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

  // Set by the machine, no keys of their own.
  double machine_mhz = 400;  // in whose cycles the block counts
  std::uint64_t clusters = 1;

  /// What programs see or rely on, besides timing (see describe.h).
  static constexpr std::string_view kProgrammingModel[] = {"present", "queues", "registers_base"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("present", p.present,
          "kernels can be launched from queues in memory (spica stream); it needs dispatcher.present",
          "arXiv:2409.02227 section 4.4");
    field(
        "policy", p.policy, kPolicies,
        "which kernels at the heads of the queues run together: sequential: one at a time, the queues take turns; greedy: "
        "all that may begin; predicted: of matrix products with kernels for several at once as many as the concurrency model "
        "says, others as greedy; oracle: as many as were fastest when they were measured",
        "arXiv:2409.02227 section 5.5");
    field(
        "clock_mhz", p.clock_mhz, "MHz", Range{1, 10000},
        "clock in whose cycles its times are given; what ends in one of them is seen in the next cycle of the clusters",
        "arXiv:2409.02227 section 5.4.2");
    field("memory_latency", p.memory_latency, "cycles of its clock", Range{0, 100'000},
          "of an access to memory: the heads of the queues, a signal", "arXiv:2409.02227 section 5.4.2");
    field("heads_per_access", p.heads_per_access, "packets/access", Range{1, 32},
          "heads of queues that one access reads",
          "arXiv:2409.02227 section 5.4.2 (32 queues in 0.32 us: 16 accesses)");
    field(
        "decision_us", p.decision_us, "us", Range{0, 1e6},
        "policies predicted and oracle: from the change of a head to the launch, with the accesses that read the heads and "
        "write the kernels, or these alone where they take longer",
        "arXiv:2409.02227 section 5.4.2");
    field("queues", p.queues, "queues", Range{1, 32}, "queues that it looks at",
          "arXiv:2409.02227 section 4.4");
    field("registers_base", p.registers_base, "address", Range{0, 0xFFFF'FFFF},
          "its registers, for cores and for a host by way of any cluster");
    field(
        "firmware", p.firmware,
        "a program that decides in place of the block, on a hart of the command processor: an ELF file, or command_processor "
        "for the one that comes with Spica, which knows all policies; its instructions take the time of decision_us; empty: "
        "none",
        "arXiv:2409.02227 section 4.4");
  }

  bool has_firmware() const { return !firmware.empty(); }
  /// Cycles of its own that have begun in cycle `cycle` of the machine.
  base::Cycle own_cycle(base::Cycle cycle) const {
    return static_cast<base::Cycle>(static_cast<double>(cycle) * clock_mhz / machine_mhz);
  }
  std::uint64_t decision_cycles() const {
    return static_cast<std::uint64_t>(std::llround(decision_us * clock_mhz));
  }
  /// Cycles of the machine in which so many of its own are over.
  base::Cycle machine_cycles(std::uint64_t own) const {
    const double exact = static_cast<double>(own) * machine_mhz / clock_mhz;
    const auto whole = static_cast<base::Cycle>(exact);
    return whole + (static_cast<double>(whole) < exact ? 1 : 0);
  }
};

}  // namespace spica::command_processor

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/isa/instruction.h"
#include "platform/machine/loader/program.h"
#include "platform/machine/loader/source_map.h"
#include "platform/observe/profile/profiler.h"

namespace spica::profile {

/// What a function, a line of source or an instruction did.
struct Row {
  std::string function;              // its address when it has no name; "(no warp runs)"
  std::string file;                  // "" when unknown, and of functions
  unsigned line = 0;                 // 0 when unknown, and of functions
  bool compiler_made = false;        // code of a function that comes from none of its lines
  std::optional<std::uint32_t> pc;   // of an instruction
  std::string text;                  // of an instruction: its disassembly
  Counts counts;
  std::uint64_t total_cycles = 0;    // of a function with all it called

  std::uint64_t cycles() const { return counts.all_cycles(); }
  /// "main.cpp:12", "" when unknown.
  std::string place() const;
};

/// A chain of functions, the outermost first, and the cycles spent in the last one.
struct Stack {
  std::vector<std::string> functions;
  Cycles cycles{};
};

/// Where the issue slots of all cores spent their time. The cycles of all functions, of all lines, of all
/// instructions and of all stacks each add up to `total`.
struct Profile {
  std::vector<Row> functions, lines, instructions;  // most cycles first
  std::vector<Stack> stacks;                        // by their names
  std::uint64_t total = 0;                          // cores times cycles
  Cycles reasons{};                                 // the same by reason
  std::uint64_t cycles = 0;
  unsigned cores = 0;
  double clock_mhz = 0;
  std::string note;  // what could not be known, and what to do; "" when all is
};

/// `tensor_style`: what the words of the tensor cores' opcode mean. Throws std::logic_error when cycles got lost
/// or were counted twice.
Profile make_profile(const Profiler& profiler, const loader::SourceMap& sources,
                     const loader::Program& program, double clock_mhz,
                     isa::TensorStyle tensor_style = isa::TensorStyle::kUnknown);

/// Short names of reasons, by number.
std::string reason_name(std::size_t reason);
inline constexpr std::size_t kIssued = static_cast<std::size_t>(protocol::IssueReason::kIssued);

}  // namespace spica::profile

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

/// The costs of a function, a source line or an instruction.
struct Row {
  std::string function;              // its address if it has no name; "(no warp runs)"
  std::string file;                  // "" if unknown, and for functions
  unsigned line = 0;                 // 0 if unknown, and for functions
  bool compiler_made = false;        // code of a function that belongs to none of its lines
  std::optional<std::uint32_t> pc;   // for an instruction
  std::string text;                  // for an instruction: its disassembly
  Counts counts;
  std::uint64_t total_cycles = 0;    // for a function: with all that it calls

  std::uint64_t cycles() const { return counts.all_cycles(); }
  /// "main.cpp:12"; "" if unknown.
  std::string place() const;
};

/// A chain of functions, the outermost first, and the cycles spent in the last one.
struct Stack {
  std::vector<std::string> functions;
  Cycles cycles{};
};

/// The cycles of the issue slots of all cores. The cycles of all functions, of all lines, of all instructions and of
/// all stacks each add up to `total`.
struct Profile {
  std::vector<Row> functions, lines, instructions;  // most cycles first
  std::vector<Stack> stacks;  // sorted by name
  std::uint64_t total = 0;  // cores times cycles
  Cycles reasons{};  // the same by reason
  std::uint64_t cycles = 0;
  unsigned cores = 0;
  double clock_mhz = 0;
  std::string note;  // unknown parts, and advice; "" if everything is known
};

/// `tensor_style`: how the tensor-core opcode is decoded. Throws std::logic_error if cycles are missing or counted
/// twice.
Profile make_profile(const Profiler& profiler, const loader::SourceMap& sources,
                     const loader::Program& program, double clock_mhz,
                     isa::TensorStyle tensor_style = isa::TensorStyle::kUnknown);

/// Short names of reasons, by number.
std::string reason_name(std::size_t reason);
inline constexpr std::size_t kIssued = static_cast<std::size_t>(protocol::IssueReason::kIssued);

}  // namespace spica::profile

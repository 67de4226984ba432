// SPDX-License-Identifier: Apache-2.0
// Conditions of breakpoints as gdb compiles them for a target: its "agent expressions", a byte code
// for a stack machine. Source: the GDB manual, appendix "The GDB Agent Expression Mechanism".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace spica::debug {

/// What an expression can look at.
class AgentSource {
 public:
  virtual ~AgentSource() = default;
  /// A register by gdb's number, at most 32 bits; nothing when there is no such register.
  virtual std::optional<std::uint32_t> read_register(unsigned number) const = 0;
  /// False when there is no memory.
  virtual bool read_memory(std::uint32_t address, unsigned char* to, unsigned bytes) const = 0;
};

/// The value of an expression. Nothing when it cannot be had: code that is not valid or has no end,
/// a register or memory that is not there, a division by zero, or an operation that is of use for
/// tracepoints only.
std::optional<std::uint64_t> evaluate(std::string_view code, const AgentSource& source);

}  // namespace spica::debug

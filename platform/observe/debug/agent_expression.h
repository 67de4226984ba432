// SPDX-License-Identifier: Apache-2.0
// Conditions of breakpoints as gdb compiles them for a target: "agent expressions", byte code for a stack machine.
// Source: the GDB manual, appendix "The GDB Agent Expression Mechanism".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace spica::debug {

/// The state that an expression can read.
class AgentSource {
 public:
  virtual ~AgentSource() = default;
  /// A register by gdb's number, at most 32 bits; empty if there is none.
  virtual std::optional<std::uint32_t> read_register(unsigned number) const = 0;
  /// False if there is no memory at the address.
  virtual bool read_memory(std::uint32_t address, unsigned char* to, unsigned bytes) const = 0;
};

/// The value of an expression. Empty if it has none: invalid or endless code, a missing register or memory, a division
/// by zero, or an operation for tracepoints only.
std::optional<std::uint64_t> evaluate(std::string_view code, const AgentSource& source);

}  // namespace spica::debug

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace spica::protocol {

/// A block that executes commands of warps, for tools that show the commands.
class CommandedIf {
 public:
  /// Name of a command: `word` is that of CSR 0xACC if `cisc`, else the function launched by a store to its registers.
  virtual std::string command_name(std::uint32_t word, bool cisc) const = 0;

 protected:
  ~CommandedIf() = default;
};

}  // namespace spica::protocol

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace spica::protocol {

/// A block that takes commands from warps, for those who show them to people.
class CommandedIf {
 public:
  /// Name of a command: `word` of CSR 0xACC (`cisc`), else the function that a store to its registers launched.
  virtual std::string command_name(std::uint32_t word, bool cisc) const = 0;

 protected:
  ~CommandedIf() = default;
};

}  // namespace spica::protocol

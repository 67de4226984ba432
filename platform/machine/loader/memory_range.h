// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spica::loader {

/// A memory that a host may access.
struct MemoryRange {
  std::string name;  // "global_memory"
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

/// "0x80000000-0x8fffffff": first and last byte; only the address if `bytes` is 0.
std::string range_text(std::uint64_t address, std::uint64_t bytes);

/// Throws UserError "<what> (<range>) lies outside memory; there is ..." unless one range contains all of it.
void check_range(const std::string& what, std::uint64_t address, std::uint64_t bytes,
                 const std::vector<MemoryRange>& ranges);

}  // namespace spica::loader

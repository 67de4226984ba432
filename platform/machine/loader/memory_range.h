// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spica::loader {

/// Memory that a host may fill.
struct MemoryRange {
  std::string name;  // "global_memory"
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

/// "0x80000000-0x8fffffff": first and last byte. `bytes` 0 gives the address alone.
std::string range_text(std::uint64_t address, std::uint64_t bytes);

/// Throws UserError "<what> (<range>) lies outside memory; there is ..." unless one range holds it
/// all.
void check_range(const std::string& what, std::uint64_t address, std::uint64_t bytes,
                 const std::vector<MemoryRange>& ranges);

}  // namespace spica::loader

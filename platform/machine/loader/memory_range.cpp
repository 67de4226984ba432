// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/loader/memory_range.h"

#include <fmt/format.h>

#include "platform/base/input/user_error.h"

namespace spica::loader {

std::string range_text(std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0) return fmt::format("{:#010x}", address);
  return fmt::format("{:#010x}-{:#010x}", address, address + (bytes - 1));
}

void check_range(const std::string& what, std::uint64_t address, std::uint64_t bytes,
                 const std::vector<MemoryRange>& ranges) {
  // Written so that no sum can overflow: sizes may come from a damaged file.
  for (const MemoryRange& range : ranges)
    if (address >= range.address && address - range.address <= range.bytes &&
        bytes <= range.bytes - (address - range.address))
      return;
  std::string known;
  for (const MemoryRange& range : ranges)
    known += fmt::format("{}{} at {}", known.empty() ? "" : ", ", range.name,
                         range_text(range.address, range.bytes));
  throw input::UserError(fmt::format("{} ({}) lies outside memory; there is {}", what,
                                     range_text(address, bytes), known.empty() ? "none" : known));
}

}  // namespace spica::loader

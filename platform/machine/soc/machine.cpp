// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/soc/machine.h"

namespace spica::soc {

std::vector<loader::MemoryRange> memory_ranges(const protocol::AddressMap& map) {
  std::vector<loader::MemoryRange> ranges;
  for (const protocol::Region& region : map.regions())
    if (region.route == protocol::Route::kGlobal || region.route == protocol::Route::kShared)
      ranges.push_back({region.name, region.base, region.size});
  return ranges;
}

void read_memory(Machine& machine, std::uint64_t address, void* to, std::uint64_t bytes, unsigned cluster) {
  if (!machine.read(address, static_cast<unsigned char*>(to), bytes, cluster))
    loader::check_range("data to read", address, bytes, memory_ranges(machine.map()));
}

void write_memory(Machine& machine, std::uint64_t address, const void* from, std::uint64_t bytes,
                  unsigned cluster) {
  if (!machine.write(address, static_cast<const unsigned char*>(from), bytes, cluster))
    loader::check_range("data to write", address, bytes, memory_ranges(machine.map()));
}

}  // namespace spica::soc

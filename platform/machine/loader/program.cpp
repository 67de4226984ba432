// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/loader/program.h"

#include <fmt/format.h>

#include <cstring>

#include "platform/base/digest/digest.h"
#include "platform/base/input/printable.h"

namespace spica::loader {

const Symbol* Program::find(std::string_view name) const {
  const Symbol* local = nullptr;
  const std::string wanted = input::printable(name);
  for (const Symbol& symbol : symbols) {
    if (symbol.name != wanted) continue;
    if (symbol.global) return &symbol;
    if (local == nullptr) local = &symbol;
  }
  return local;
}

std::string Program::sha1() const {
  return digest::sha1_text({reinterpret_cast<const char*>(image.data()), image.size()});
}

std::optional<std::uint32_t> Program::word_at(std::uint64_t address) const {
  for (const Segment& segment : segments) {
    if (address < segment.address || address - segment.address + 4 > segment.bytes.size()) continue;
    std::uint32_t word = 0;
    std::memcpy(&word, &segment.bytes[address - segment.address], sizeof word);
    return word;
  }
  return std::nullopt;
}

void check_segments(const Program& program, const std::vector<MemoryRange>& ranges) {
  for (const Segment& segment : program.segments)
    check_range(fmt::format("segment '{}' of '{}'", segment.name, program.path), segment.address,
                segment.size(), ranges);
}

}  // namespace spica::loader

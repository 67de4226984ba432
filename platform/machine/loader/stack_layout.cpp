// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/loader/stack_layout.h"

#include <cstdint>
#include <cstring>

namespace spica::loader {

namespace {

constexpr std::uint32_t kStackBytes = 8192, kStackGap = 16, kTop = 0xFF000000;
constexpr std::uint64_t kLeastStack = 256;
constexpr unsigned kShift = 13;  // kStackBytes = 1 << kShift

// Words of the start-up code, with the registers left out.
bool reads_hart(std::uint32_t word) { return (word & 0xFFFFF07F) == 0xF1402073; }  // csrrs rd, mhartid, x0
bool loads_top(std::uint32_t word) { return (word & 0xFFFFF07F) == (kTop | 0x37); }  // lui rd, 0xff000
bool shifts_by(std::uint32_t word, unsigned bits) { return (word & 0xFFF0707F) == (bits << 20 | 0x1013); }
bool subtracts_to_sp(std::uint32_t word) { return (word & 0xFE007FFF) == 0x40000133; }  // sub sp, rs1, rs2

/// The stacks that a piece of code near `pc`, which reads the hart's number, gives it.
std::optional<StackLayout> layout_by_code(const Program& program, std::uint64_t pc) {
  constexpr std::uint64_t kBefore = 16, kBehind = 32;
  bool top = false, by_size = false, by_gap = false, sets = false;
  for (std::uint64_t at = pc - kBefore; at <= pc + kBehind; at += 4) {
    const std::uint32_t word = program.word_at(at).value_or(0);
    top |= loads_top(word);
    if (at < pc) continue;
    by_size |= shifts_by(word, kShift);
    by_gap |= shifts_by(word, 4);
    sets |= subtracts_to_sp(word);
  }
  if (!top || !by_size || !sets) return std::nullopt;
  return StackLayout{kTop, kStackBytes + (by_gap ? kStackGap : 0), kStackBytes};
}

}  // namespace

std::optional<StackLayout> stack_layout(const Program& program) {
  const ElfNotes& notes = program.notes;
  if (notes.has("stack.top")) {
    auto layout = notes.stack();
    if (layout && program.stack_stride != 0) {
      layout->bytes = program.stack_stride - (layout->stride - layout->bytes);
      layout->stride = program.stack_stride;
    }
    return layout;
  }
  constexpr std::uint64_t kStartUp = 4096;  // bytes from the entry on
  for (std::uint64_t pc = program.entry; pc < program.entry + kStartUp; pc += 4)
    if (reads_hart(program.word_at(pc).value_or(0)))
      if (const auto layout = layout_by_code(program, pc)) return layout;
  return std::nullopt;
}

bool place_stacks(Program& program, std::uint64_t stride) {
  const ElfNotes& notes = program.notes;
  const auto layout = notes.stack();
  if (!layout || notes.stack_shifts().empty() || layout->stride != kOwnStacks.stride || stride <= kStackGap)
    return false;
  const std::uint64_t bytes = stride - kStackGap;
  if ((bytes & (bytes - 1)) != 0 || bytes < kLeastStack || bytes > kStackBytes) return false;
  const auto shift = static_cast<unsigned>(__builtin_ctzll(bytes));
  for (const std::uint64_t address : notes.stack_shifts())
    for (Segment& segment : program.segments) {
      if (!segment.executable || address < segment.address ||
          address + 4 > segment.address + segment.bytes.size())
        continue;
      unsigned char* const at = &segment.bytes[address - segment.address];
      std::uint32_t word = 0;
      std::memcpy(&word, at, sizeof word);
      if (!shifts_by(word, kShift)) continue;  // of a function that the linker dropped
      word = (word & ~(std::uint32_t{0x1F} << 20)) | shift << 20;
      std::memcpy(at, &word, sizeof word);
    }
  program.stack_stride = stride;
  return true;
}

bool uses_stack(const Program& program) {
  for (const Segment& segment : program.segments) {
    if (!segment.executable) continue;
    for (std::size_t at = 0; at + 4 <= segment.bytes.size(); at += 4) {
      std::uint32_t word = 0;
      std::memcpy(&word, &segment.bytes[at], sizeof word);
      if ((word & 0x800FFFFF) == 0x80010113) return true;
    }
  }
  return false;
}

}  // namespace spica::loader

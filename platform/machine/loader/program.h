// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/machine/loader/elf_notes.h"
#include "platform/machine/loader/memory_range.h"
#include "platform/machine/loader/stack_frames.h"

namespace spica::loader {

/// A part of memory that the program initializes: `bytes` at `address`, followed by `zero_bytes` zeros.
struct Segment {
  std::string name;  // its sections, ".text .rodata"; "segment 2" if the file has no section names
  std::uint64_t address = 0;  // physical address (p_paddr) to load to
  std::vector<unsigned char> bytes;
  std::uint64_t zero_bytes = 0;
  bool readable = false, writable = false, executable = false;

  std::uint64_t size() const { return bytes.size() + zero_bytes; }
};

struct Symbol {
  enum class Kind : std::uint8_t { kFunction, kObject, kOther };
  std::string name;  // as in the file, mangled; printable
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  // 0: unknown, as usual for assembly labels
  Kind kind = Kind::kOther;
  bool global = false;
};

/// The contents of an executable (names are printable, see platform/base/input/printable.h), and its raw file for
/// readers of its debug information.
struct Program {
  std::string path;  // as given
  std::uint64_t entry = 0;
  bool compressed = false;  // the header announces compressed instructions (EF_RISCV_RVC)
  std::vector<Segment> segments;  // in file order, none empty
  std::vector<Symbol> symbols;  // by address, then name
  ElfNotes notes;  // the machine properties that it was built for
  StackFrames stack_frames;  // of functions for which the compiler has noted them
  std::vector<unsigned char> image;  // the whole file
  std::uint64_t stack_stride = 0;  // between the stacks of harts, after place_stacks(); 0: as in the file

  /// The instruction word at an address; empty outside the bytes of the file.
  std::optional<std::uint32_t> word_at(std::uint64_t address) const;
  /// The symbol of that name, as in the file or printable; global symbols first. nullptr if there is none.
  const Symbol* find(std::string_view name) const;
  /// SHA-1 of the file, 40 hex digits.
  std::string sha1() const;
};

/// Reads a 32-bit little-endian RISC-V executable. A header that announces compressed instructions is accepted, because
/// many such programs never execute any. Throws UserError: file missing or unreadable, not an ELF file, another
/// machine, not linked, requires unsupported extensions, nothing to load, or damaged. Never trusts a size in the file.
Program load_elf(const std::string& path);

/// The same for a file already in memory; `path` is for messages.
Program parse_elf(std::vector<unsigned char> image, const std::string& path);

/// Throws UserError unless every segment lies inside one of the ranges.
void check_segments(const Program& program, const std::vector<MemoryRange>& ranges);

}  // namespace spica::loader

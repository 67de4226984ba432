// SPDX-License-Identifier: Apache-2.0
// The machine properties that a program was built for: ELF notes of the owner "Spica", in the section .note.spica.
// sw/lib/include/built_for.h writes them; readelf -p .note.spica shows them.
//
// One note is
//   u32 namesz = 6, u32 descsz, u32 type = 0x101, "Spica\0" padded to 8 bytes,
//   descriptor: u32 version = 1, then texts "key=value", each ended by a zero byte; zero bytes fill the end.
// Every object file adds notes for its dependencies, and a linker that drops a function drops its notes. A value is a
// number (decimal, negative for addresses from 0x80000000 on) or a word.
//
// Keys
//   shared_memory.size         bytes of shared memory
//   print_buffer               address that printing stores to; only in programs that print
//   matrix_units               address of the registers of matrix unit 0; only in programs with its driver
//   matrix_unit.dim            rows and columns of the array of matrix unit 0
//   matrix_unit.element_bytes  4: FP32, 2: FP16
//   matrix_unit.number         number of the unit that the program commands; without it 0
//   matrix_unit.command_set    quartile_v1, quartile or hexadecile
//   tensor_core.style          whose instructions it has: synchronous, decoupled, volta|turing|ampere|block
//   async_copy                 1: it copies from global to shared memory asynchronously (pipeline.h)
//   lanes                      lanes of a warp that it relies on
//   clusters                   maximum number of clusters that the program can use
//   cores                      maximum number of cores that start-up and spawning support
//   stack.top                  sp of hart 0 at the start, the end of its stack
//   stack.stride               bytes from the stack of a hart down to that of the next
//   stack.bytes                bytes of one stack; the rest of the stride is a gap
//
// A note of type 0x102 has, after the version, u32 addresses of instructions "slli rd, rs1, 13": the shift by which
// start-up code multiplies the hart's number in stack.stride = (1 << 13) + 16. Loaders may give it another shift.
//
// Values decided by the linker cannot be in notes and are marked by symbols: __heap_start and __heap_end (the memory of
// malloc(); absent in programs with another start-up), _end (end of .bss).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

struct Elf;  // libelf

namespace spica::loader {

/// Stacks that grow down: that of hart h is [top - h * stride - bytes, top - h * stride).
struct StackLayout {
  std::uint64_t top = 0, stride = 0, bytes = 0;

  std::uint64_t end(std::uint64_t hart) const { return top - hart * stride; }
  std::uint64_t begin(std::uint64_t hart) const { return end(hart) - bytes; }
  /// Where the stacks of `harts` harts begin; 0 if they do not fit below `top`.
  std::uint64_t lowest(std::uint64_t harts) const {
    const std::uint64_t size = top - begin(harts - 1);
    return size < top ? top - size : 0;
  }
};

/// The notes of one program.
class ElfNotes {
 public:
  static constexpr std::uint32_t kType = 0x101, kShiftType = 0x102, kVersion = 1;

  struct Fact {
    std::string key, value;
  };

  /// All facts in the order of the file, each once. Object files built for different machines give one key
  /// several values.
  const std::vector<Fact>& facts() const { return facts_; }
  bool empty() const { return facts_.empty(); }
  bool has(std::string_view key) const;
  /// The first value of a key as a number modulo 2^32; empty if it is absent or not a number.
  std::optional<std::uint64_t> number(std::string_view key) const;
  /// Empty unless top, stride and bytes are known and consistent.
  std::optional<StackLayout> stack() const;
  /// Number of notes in an unsupported version; their facts are left out.
  unsigned unknown_versions() const { return unknown_versions_; }

  /// Addresses of the instructions that multiply by the stride of stacks.
  const std::vector<std::uint32_t>& stack_shifts() const { return stack_shifts_; }

  void add(std::string key, std::string value);
  void add_stack_shift(std::uint32_t address) { stack_shifts_.push_back(address); }
  void add_unknown_version() { ++unknown_versions_; }

 private:
  std::vector<Fact> facts_;
  std::unordered_set<std::string> known_;  // "key=value" of all facts
  std::vector<std::uint32_t> stack_shifts_;
  unsigned unknown_versions_ = 0;
};

/// The value of a fact as a number modulo 2^32: decimal with or without a sign, or 0x and hexadecimal digits.
std::optional<std::uint64_t> note_number(std::string_view value);

/// Reads the notes of a file; none if they are missing or damaged. Never trusts a size in the file.
ElfNotes read_notes(Elf* elf);

}  // namespace spica::loader

// SPDX-License-Identifier: Apache-2.0

#include "platform/machine/loader/elf_notes.h"
#include "testbenches/support/catch.h"
#include "testbenches/unit/loader/elf_bytes.h"

using namespace spica::loader;
using spica::testbench::ElfBytes;

namespace {

std::string word(std::uint32_t value) { return {reinterpret_cast<const char*>(&value), sizeof value}; }

std::string padded(std::string text) {
  text.resize((text.size() + 3) / 4 * 4);
  return text;
}

/// One note as the ELF specification has it.
std::string note(const std::string& owner, std::uint32_t type, const std::string& descriptor) {
  return word(static_cast<std::uint32_t>(owner.size() + 1)) +
         word(static_cast<std::uint32_t>(descriptor.size())) + word(type) + padded(owner + '\0') +
         padded(descriptor);
}

std::string facts(std::initializer_list<const char*> texts, std::uint32_t version = 1) {
  std::string result = word(version);
  for (const char* text : texts) result += text + std::string(1, '\0');
  return result;
}

ElfNotes notes_of(const std::string& notes) {
  ElfBytes elf;
  elf.notes = notes;
  return parse_elf(elf.bytes(), "k.elf").notes;
}

}  // namespace

TEST_CASE("a program without notes says nothing about its machine") {
  const ElfNotes notes = parse_elf(ElfBytes().bytes(), "k.elf").notes;
  CHECK(notes.empty());
  CHECK_FALSE(notes.stack());
  CHECK(notes.unknown_versions() == 0);
}

TEST_CASE("facts of all notes of the owner are collected, each once") {
  const ElfNotes notes =
      notes_of(note("Spica", 0x101, facts({"shared_memory.size=65536", "clusters=1"})) +
               note("GNU", 0x101, facts({"clusters=7"})) + note("Spica", 0x103, facts({"clusters=8"})) +
               note("Spica", 0x101, facts({"clusters=1", "matrix_unit.command_set=quartile"})));
  REQUIRE(notes.facts().size() == 3);
  CHECK(notes.number("shared_memory.size") == 65536u);
  CHECK(notes.number("clusters") == 1u);
  CHECK(notes.facts()[2].value == "quartile");
  CHECK_FALSE(notes.number("matrix_unit.command_set"));
  CHECK_FALSE(notes.has("print_buffer"));
}

TEST_CASE("the facts of many kernels are all kept") {
  std::string notes;
  for (int i = 0; i < 5000; ++i)
    notes += note("Spica", 0x101, facts({("kernel.k" + std::to_string(i) + ".threads=1").c_str()}));
  CHECK(notes_of(notes).facts().size() == 5000);
}

TEST_CASE("two values of one key are both kept") {
  const ElfNotes notes = notes_of(note("Spica", 0x101, facts({"matrix_unit.dim=8"})) +
                                  note("Spica", 0x101, facts({"matrix_unit.dim=16"})));
  CHECK(notes.facts().size() == 2);
}

TEST_CASE("numbers are decimal, hexadecimal or negative, modulo 2^32") {
  CHECK(note_number("4278190080") == 0xFF00'0000u);
  CHECK(note_number("-16777216") == 0xFF00'0000u);
  CHECK(note_number("0xFF000000") == 0xFF00'0000u);
  for (const char* wrong : {"", "-", "0x", "12k", "(1)", "99999999999999999999"})
    CHECK_FALSE(note_number(wrong));
}

TEST_CASE("the stacks of a program follow from top, stride and bytes") {
  const auto stack =
      notes_of(note("Spica", 0x101, facts({"stack.top=-16777216", "stack.stride=8208", "stack.bytes=8192"})))
          .stack();
  REQUIRE(stack);
  CHECK(stack->end(0) == 0xFF00'0000);
  CHECK(stack->begin(0) == 0xFEFF'E000);
  CHECK(stack->end(2) == 0xFF00'0000 - 2 * 8208);
}

TEST_CASE("invalid stacks are not known") {
  CHECK_FALSE(notes_of(note("Spica", 0x101, facts({"stack.top=-16777216", "stack.stride=8208"}))).stack());
  CHECK_FALSE(notes_of(note("Spica", 0x101, facts({"stack.top=5", "stack.stride=8208", "stack.bytes=8192"})))
                  .stack());
  CHECK_FALSE(
      notes_of(note("Spica", 0x101, facts({"stack.top=65536", "stack.stride=4", "stack.bytes=8"}))).stack());
  CHECK_FALSE(
      notes_of(note("Spica", 0x101, facts({"stack.top=65536", "stack.stride=4", "stack.bytes=0"}))).stack());
}

TEST_CASE("notes of a later version are counted and left out") {
  const ElfNotes notes = notes_of(note("Spica", 0x101, facts({"clusters=1"}, 2)));
  CHECK(notes.empty());
  CHECK(notes.unknown_versions() == 1);
}

TEST_CASE("notes of shifts have the addresses of instructions") {
  const ElfNotes notes =
      notes_of(note("Spica", 0x102, word(1) + word(0x8000'0010) + word(0x8000'0050)) +
               note("GNU", 0x102, word(1) + word(4)) + note("Spica", 0x102, word(2) + word(8)));
  CHECK(notes.stack_shifts() == std::vector<std::uint32_t>{0x8000'0010, 0x8000'0050});
  CHECK(notes.unknown_versions() == 1);
  CHECK(notes_of(note("Spica", 0x102, "\1")).stack_shifts().empty());
}

TEST_CASE("damaged notes are read as far as they go") {
  const std::string good = note("Spica", 0x101, facts({"clusters=1"}));
  for (std::size_t bytes = 0; bytes < good.size(); ++bytes)
    CHECK(notes_of(good.substr(0, bytes)).facts().size() <= 1);
  std::string huge = good;
  huge.replace(4, 4, word(0xFFFF'FFF0));
  CHECK(notes_of(huge).empty());
  CHECK(notes_of(note("Spica", 0x101, word(1) + "clusters=1")).empty());
  CHECK(notes_of(note("Spica", 0x101, facts({"=1", "clusters"}))).empty());
}

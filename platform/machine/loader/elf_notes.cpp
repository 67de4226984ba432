// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/loader/elf_notes.h"

#include <elf.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "platform/base/input/printable.h"

namespace spica::loader {

namespace {

constexpr std::string_view kOwner{"Spica\0", 6};

/// The texts after the version in one descriptor.
void read_descriptor(std::string_view descriptor, ElfNotes& notes) {
  std::uint32_t version = 0;
  if (descriptor.size() < sizeof version) return;
  std::memcpy(&version, descriptor.data(), sizeof version);
  if (version != ElfNotes::kVersion) return notes.add_unknown_version();
  descriptor.remove_prefix(sizeof version);
  while (!descriptor.empty()) {
    const std::size_t end = descriptor.find('\0');
    if (end == std::string_view::npos) return;  // cut off
    const std::string_view text = descriptor.substr(0, end);
    if (const std::size_t equals = text.find('='); equals != std::string_view::npos && equals != 0)
      notes.add(input::printable(text.substr(0, equals)), input::printable(text.substr(equals + 1)));
    descriptor.remove_prefix(end + 1);
  }
}

/// The addresses after the version in one descriptor.
void read_stack_shifts(std::string_view descriptor, ElfNotes& notes) {
  std::uint32_t version = 0;
  if (descriptor.size() < sizeof version) return;
  std::memcpy(&version, descriptor.data(), sizeof version);
  if (version != ElfNotes::kVersion) return notes.add_unknown_version();
  for (std::size_t at = sizeof version; at + 4 <= descriptor.size(); at += 4) {
    std::uint32_t address = 0;
    std::memcpy(&address, descriptor.data() + at, sizeof address);
    notes.add_stack_shift(address);
  }
}

/// The notes of one section or segment.
void read_notes_of(Elf_Data& data, ElfNotes& notes) {
  const auto* const bytes = static_cast<const char*>(data.d_buf);
  if (bytes == nullptr) return;
  GElf_Nhdr header;
  std::size_t name = 0, descriptor = 0;
  for (std::size_t at = 0; (at = gelf_getnote(&data, at, &header, &name, &descriptor)) != 0;)
    if (std::string_view(bytes + name, header.n_namesz) == kOwner) {
      const std::string_view contents(bytes + descriptor, header.n_descsz);
      if (header.n_type == ElfNotes::kType) read_descriptor(contents, notes);
      if (header.n_type == ElfNotes::kShiftType) read_stack_shifts(contents, notes);
    }
}

}  // namespace

std::optional<std::uint64_t> note_number(std::string_view value) {
  const bool negative = !value.empty() && value.front() == '-';
  if (negative) value.remove_prefix(1);
  const bool hexadecimal = value.size() > 2 && value.substr(0, 2) == "0x";
  if (hexadecimal) value.remove_prefix(2);
  std::uint64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number, hexadecimal ? 16 : 10);
  if (value.empty() || error != std::errc() || stop != end) return std::nullopt;
  return (negative ? 0 - number : number) & 0xFFFF'FFFF;
}

bool ElfNotes::has(std::string_view key) const {
  return std::any_of(facts_.begin(), facts_.end(), [&](const Fact& fact) { return fact.key == key; });
}

std::optional<std::uint64_t> ElfNotes::number(std::string_view key) const {
  for (const Fact& fact : facts_)
    if (fact.key == key) return note_number(fact.value);
  return std::nullopt;
}

std::optional<StackLayout> ElfNotes::stack() const {
  const auto top = number("stack.top"), stride = number("stack.stride"), bytes = number("stack.bytes");
  if (!top || !stride || !bytes || *bytes == 0 || *stride < *bytes || *top < *stride) return std::nullopt;
  return StackLayout{*top, *stride, *bytes};
}

void ElfNotes::add(std::string key, std::string value) {
  if (known_.insert(key + "=" + value).second) facts_.push_back({std::move(key), std::move(value)});
}

ElfNotes read_notes(Elf* elf) {
  ElfNotes notes;
  bool sections = false;
  for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf, scn)) != nullptr;) {
    sections = true;
    GElf_Shdr header;
    if (gelf_getshdr(scn, &header) == nullptr || header.sh_type != SHT_NOTE) continue;
    if (Elf_Data* data = elf_getdata(scn, nullptr)) read_notes_of(*data, notes);
  }
  if (sections) return notes;
  std::size_t count = 0;  // sections removed: notes that are loaded are still in segments
  if (elf_getphdrnum(elf, &count) != 0) return notes;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr || header.p_type != PT_NOTE) continue;
    Elf_Data* const data =
        elf_getdata_rawchunk(elf, static_cast<std::int64_t>(header.p_offset), header.p_filesz, ELF_T_NHDR);
    if (data != nullptr) read_notes_of(*data, notes);
  }
  return notes;
}

}  // namespace spica::loader

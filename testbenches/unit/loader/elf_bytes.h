// SPDX-License-Identifier: Apache-2.0
// ELF files for tests, written field by field from the ELF specification and not with the library
// that the loader reads them with.
#pragma once

#include <elf.h>

#include <cstring>
#include <string>
#include <vector>

namespace spica::testbench {

/// A small valid executable: .text (16 bytes at 0x80000000), .data (8 bytes) with 24 bytes of zeros
/// after it at 0x80001000, three symbols. Change a header field, then call bytes().
struct ElfBytes {
  static constexpr unsigned kText = 16, kData = 8, kZeros = 24;

  Elf32_Ehdr header{};
  std::vector<Elf32_Phdr> segments;
  std::vector<Elf32_Sym> symbols;
  std::string symbol_names = std::string("\0", 1);
  std::string notes;  // bytes of the section .note.spica

  ElfBytes() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS32;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_EXEC;
    header.e_machine = EM_RISCV;
    header.e_version = EV_CURRENT;
    header.e_entry = 0x8000'0000;
    header.e_flags = EF_RISCV_FLOAT_ABI_SINGLE;
    header.e_ehsize = sizeof(Elf32_Ehdr);
    header.e_phentsize = sizeof(Elf32_Phdr);
    header.e_shentsize = sizeof(Elf32_Shdr);
    add_segment(content(), 0x8000'0000, kText, kText, PF_R | PF_X);
    add_segment(content() + kText, 0x8000'1000, kData, kData + kZeros, PF_R | PF_W);
    symbols.push_back({});
    add_symbol("_start", 0x8000'0000, 8, STB_GLOBAL, STT_FUNC, 1);
    add_symbol("_Z4gemmiPf", 0x8000'0008, 0, STB_GLOBAL, STT_FUNC, 1);
    add_symbol("result", 0x8000'1000, 32, STB_LOCAL, STT_OBJECT, 2);
    add_symbol("$x", 0x8000'0000, 0, STB_LOCAL, STT_NOTYPE, 1);
    add_symbol("elsewhere", 0, 0, STB_GLOBAL, STT_NOTYPE, SHN_UNDEF);
  }

  /// File offset of the first byte of .text.
  static constexpr unsigned content() { return 256; }

  void add_segment(unsigned offset, unsigned address, unsigned in_file, unsigned in_memory, unsigned flags) {
    segments.push_back({PT_LOAD, offset, address, address, in_file, in_memory, flags, 4});
  }

  void add_symbol(const std::string& name, unsigned address, unsigned size, unsigned bind, unsigned type,
                  unsigned section) {
    symbols.push_back({static_cast<Elf32_Word>(symbol_names.size()), address, size,
                       static_cast<unsigned char>(ELF32_ST_INFO(bind, type)), 0,
                       static_cast<Elf32_Half>(section)});
    symbol_names += name + '\0';
  }

  std::vector<unsigned char> bytes() const {
    Elf32_Ehdr h = header;
    std::vector<unsigned char> out(content() + kText + kData);
    for (unsigned i = 0; i < kText + kData; ++i) out[content() + i] = static_cast<unsigned char>(i + 1);
    const std::string names = std::string("\0.text\0.data\0.symtab\0.strtab\0.note.spica\0", 41);
    const unsigned names_at = append(out, names.data(), names.size());
    const unsigned strings_at = append(out, symbol_names.data(), symbol_names.size());
    const unsigned symbols_at = append(out, symbols.data(), symbols.size() * sizeof(Elf32_Sym));
    const unsigned notes_at = append(out, notes.data(), notes.size());
    const auto u = [](std::size_t n) { return static_cast<Elf32_Word>(n); };
    const Elf32_Shdr sections[] = {
        {},
        {1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x8000'0000, content(), kText, 0, 0, 4, 0},
        {7, SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x8000'1000, content() + kText, kData, 0, 0, 4, 0},
        {13, SHT_SYMTAB, 0, 0, symbols_at, u(symbols.size() * sizeof(Elf32_Sym)), 4, 1, 4, sizeof(Elf32_Sym)},
        {21, SHT_STRTAB, 0, 0, strings_at, u(symbol_names.size()), 0, 0, 1, 0},
        {21, SHT_STRTAB, 0, 0, names_at, u(names.size()), 0, 0, 1, 0},
        {29, SHT_NOTE, 0, 0, notes_at, u(notes.size()), 0, 0, 4, 0}};
    h.e_shoff = append(out, sections, sizeof sections);
    h.e_shnum = 7;
    h.e_shstrndx = 5;
    const bool fits = sizeof(Elf32_Ehdr) + segments.size() * sizeof(Elf32_Phdr) <= content();
    h.e_phoff =
        fits ? sizeof(Elf32_Ehdr) : append(out, segments.data(), segments.size() * sizeof(Elf32_Phdr));
    h.e_phnum = static_cast<Elf32_Half>(segments.size());
    std::memcpy(out.data(), &h, sizeof h);
    if (!segments.empty())
      std::memcpy(out.data() + h.e_phoff, segments.data(), segments.size() * sizeof(Elf32_Phdr));
    return out;
  }

 private:
  /// Appends at a multiple of four; returns the offset.
  static unsigned append(std::vector<unsigned char>& out, const void* data, std::size_t bytes) {
    out.resize((out.size() + 3) / 4 * 4);
    const std::size_t at = out.size();
    out.resize(at + bytes);
    std::memcpy(out.data() + at, data, bytes);
    return static_cast<unsigned>(at);
  }
};

}  // namespace spica::testbench

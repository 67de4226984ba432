// SPDX-License-Identifier: Apache-2.0
#include <elf.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <memory>
#include <new>
#include <tuple>

#include "platform/base/input/file.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/regular_file.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/loader/program.h"

namespace spica::loader {

namespace {

constexpr std::uint64_t kAddressEnd = std::uint64_t{1} << 32;

// A small file can ask for a lot by naming the same bytes again and again. No linker comes near these limits.
constexpr std::size_t kMaxSegments = 4096;
constexpr std::size_t kMaxSectionNames = 16;  // in the name of a segment
constexpr std::uint64_t kMaxCopies = 4;  // of the file, in segments or names of symbols

using ElfHandle = std::unique_ptr<Elf, int (*)(Elf*)>;

std::string machine_name(unsigned machine) {
  switch (machine) {
    case EM_386: return "x86 (32-bit)";
    case EM_X86_64: return "x86-64";
    case EM_ARM: return "Arm (32-bit)";
    case EM_AARCH64: return "AArch64";
    case EM_MIPS: return "MIPS";
    case EM_PPC: return "PowerPC";
    case EM_PPC64: return "PowerPC (64-bit)";
    case EM_S390: return "S/390";
    case EM_SPARC: return "SPARC";
    case EM_SPARCV9: return "SPARC (64-bit)";
    case EM_CUDA: return "NVIDIA CUDA";
    case EM_AMDGPU: return "AMD GPU";
    case EM_BPF: return "BPF";
    case EM_LOONGARCH: return "LoongArch";
    default: return fmt::format("ELF machine number {}", machine);
  }
}

/// Turns one ELF file into a Program; every error names the file.
class Reader {
 public:
  Reader(std::vector<unsigned char> image, const std::string& path) {
    program_.path = path;
    program_.image = std::move(image);
  }

  Program read() {
    const std::vector<unsigned char>& image = program_.image;
    if (image.empty()) fail("is empty");
    if (image.size() < SELFMAG || !std::equal(image.begin(), image.begin() + SELFMAG, ELFMAG))
      fail("is not an ELF file");
    if (image.size() < sizeof(Elf32_Ehdr)) damaged("it ends inside the file header");
    elf_version(EV_CURRENT);
    // libelf takes a writable image but opens it read-only.
    elf_ = ElfHandle(elf_memory(reinterpret_cast<char*>(program_.image.data()), program_.image.size()),
                     &elf_end);
    if (elf_ == nullptr || elf_kind(elf_.get()) != ELF_K_ELF)
      damaged(elf_ == nullptr ? elf_errmsg(-1) : "its file header is invalid");
    read_header();
    read_sections();
    read_segments();
    check_entry();
    read_symbols();
    leave_out_headers();
    program_.notes = read_notes(elf_.get());
    program_.stack_frames = read_stack_frames(elf_.get());
    elf_.reset();
    return std::move(program_);
  }

 private:
  struct Section {
    std::string name;
    std::uint64_t address, bytes;
  };

  [[noreturn]] void fail(const std::string& what) const {
    throw input::UserError(fmt::format("'{}' {}", program_.path, what));
  }
  [[noreturn]] void damaged(const std::string& how) const { fail("is damaged or truncated: " + how); }

  void read_header() {
    GElf_Ehdr header;
    if (gelf_getehdr(elf_.get(), &header) == nullptr) damaged(elf_errmsg(-1));
    if (header.e_ident[EI_DATA] != ELFDATA2LSB) fail("is a big-endian program; the cores are little-endian");
    if (header.e_machine != EM_RISCV)
      fail(
          fmt::format("is a program for {}, not for RISC-V; compile with spica cc, or with "
                      "-march=rv32imaf -mabi=ilp32f",
                      machine_name(header.e_machine)));
    if (gelf_getclass(elf_.get()) != ELFCLASS32)
      fail(
          "is a 64-bit program; the cores have 32 bits: compile with -march=rv32imaf "
          "-mabi=ilp32f");
    switch (header.e_type) {
      case ET_EXEC: break;
      case ET_REL: fail("is a relocatable object, not an executable: link it first");
      case ET_DYN: fail("is a shared object or position-independent: link with -static and without -pie");
      case ET_CORE: fail("is a core dump, not an executable");
      default: fail(fmt::format("is not an executable (ELF type {})", header.e_type));
    }
    program_.compressed = (header.e_flags & EF_RISCV_RVC) != 0;
    const unsigned float_abi = header.e_flags & EF_RISCV_FLOAT_ABI;
    if (float_abi == EF_RISCV_FLOAT_ABI_DOUBLE || float_abi == EF_RISCV_FLOAT_ABI_QUAD)
      fail(
          fmt::format("passes {}-precision values in registers; the cores have single precision "
                      "only: compile with -mabi=ilp32f",
                      float_abi == EF_RISCV_FLOAT_ABI_DOUBLE ? "double" : "quad"));
    program_.entry = header.e_entry;
  }

  void read_sections() {
    std::size_t names = 0;
    if (elf_getshdrstrndx(elf_.get(), &names) != 0) return;  // a stripped file may have none
    for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf_.get(), scn)) != nullptr;) {
      GElf_Shdr header;
      if (gelf_getshdr(scn, &header) == nullptr) continue;
      if ((header.sh_flags & SHF_ALLOC) == 0 || header.sh_size == 0) continue;
      const char* name = elf_strptr(elf_.get(), names, header.sh_name);
      if (name != nullptr && *name != '\0')
        sections_.push_back({input::printable(name), header.sh_addr, header.sh_size});
    }
  }

  void read_segments() {
    std::size_t count = 0;
    if (elf_getphdrnum(elf_.get(), &count) != 0) damaged(elf_errmsg(-1));
    if (count > kMaxSegments)
      damaged(fmt::format("it has {} segments, at most {} are allowed", count, kMaxSegments));
    for (std::size_t i = 0; i < count; ++i) {
      GElf_Phdr header;
      if (gelf_getphdr(elf_.get(), static_cast<int>(i), &header) == nullptr)
        damaged(fmt::format("program header {} is missing", i));
      if (header.p_type != PT_LOAD || header.p_memsz == 0) continue;
      add_segment(i, header);
    }
    if (program_.segments.empty()) fail("has no loadable segment");
  }

  void add_segment(std::size_t number, const GElf_Phdr& header) {
    const std::uint64_t file_bytes = program_.image.size();
    if (header.p_filesz > header.p_memsz)
      damaged(fmt::format("segment {} has more bytes in the file than in memory", number));
    if (header.p_offset > file_bytes || header.p_filesz > file_bytes - header.p_offset)
      damaged(fmt::format("segment {} needs bytes {} to {}, the file has {}", number, header.p_offset,
                          header.p_offset + header.p_filesz, file_bytes));
    loaded_bytes_ += header.p_filesz;
    if (loaded_bytes_ > kMaxCopies * file_bytes)
      damaged(fmt::format("its segments together need {} bytes, the file has {}", loaded_bytes_, file_bytes));
    if (header.p_paddr + header.p_memsz > kAddressEnd)
      fail(
          fmt::format("has a segment of {} bytes at {:#010x}, past the end of the 32-bit address "
                      "space",
                      header.p_memsz, header.p_paddr));
    Segment segment;
    segment.name = segment_name(number, header);
    segment.address = header.p_paddr;
    const auto begin = program_.image.begin() + static_cast<std::ptrdiff_t>(header.p_offset);
    segment.bytes.assign(begin, begin + static_cast<std::ptrdiff_t>(header.p_filesz));
    segment.zero_bytes = header.p_memsz - header.p_filesz;
    segment.readable = (header.p_flags & PF_R) != 0;
    segment.writable = (header.p_flags & PF_W) != 0;
    segment.executable = (header.p_flags & PF_X) != 0;
    program_.segments.push_back(std::move(segment));
    virtual_.emplace_back(header.p_vaddr, header.p_memsz);
    starts_with_headers_.push_back(header.p_offset == 0 && !sections_.empty());
  }

  std::string segment_name(std::size_t number, const GElf_Phdr& header) const {
    std::string name;
    std::size_t names = 0;
    for (const Section& section : sections_) {
      if (section.address < header.p_vaddr || section.address - header.p_vaddr >= header.p_memsz) continue;
      if (++names > kMaxSectionNames) return name + " ...";
      name += (name.empty() ? "" : " ") + section.name;
    }
    return name.empty() ? fmt::format("segment {}", number) : name;
  }

  void check_entry() const {
    if (program_.entry % 4 != 0)
      fail(fmt::format("starts at {:#010x}, which is not a multiple of 4{}", program_.entry,
                       program_.compressed
                           ? "; its header announces compressed instructions, which the cores do "
                             "not support: compile without the C extension (-march=rv32imaf)"
                           : ""));
    for (const auto& [address, bytes] : virtual_)
      if (program_.entry >= address && program_.entry - address < bytes) return;
    fail(fmt::format("starts at {:#010x}, where nothing is loaded", program_.entry));
  }

  void read_symbols() {
    for (Elf_Scn* scn = nullptr; (scn = elf_nextscn(elf_.get(), scn)) != nullptr;) {
      GElf_Shdr header;
      if (gelf_getshdr(scn, &header) == nullptr || header.sh_type != SHT_SYMTAB) continue;
      Elf_Data* data = elf_getdata(scn, nullptr);
      if (data == nullptr || header.sh_entsize != sizeof(Elf32_Sym))
        damaged("its symbol table cannot be read");
      const std::size_t count = data->d_size / sizeof(Elf32_Sym);
      for (std::size_t i = 1; i < count; ++i) {
        GElf_Sym symbol;
        if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) break;
        add_symbol(symbol, elf_strptr(elf_.get(), header.sh_link, symbol.st_name));
      }
    }
    std::sort(program_.symbols.begin(), program_.symbols.end(), [](const Symbol& a, const Symbol& b) {
      return std::tie(a.address, a.name, a.bytes) < std::tie(b.address, b.name, b.bytes);
    });
  }

  void add_symbol(const GElf_Sym& symbol, const char* name) {
    const unsigned type = GELF_ST_TYPE(symbol.st_info);
    if (symbol.st_shndx == SHN_UNDEF || type == STT_SECTION || type == STT_FILE) return;
    // Names that start with $ mark code and data for disassemblers.
    if (name == nullptr || *name == '\0' || *name == '$') return;
    Symbol result;
    result.name = input::printable(name);
    name_bytes_ += result.name.size();
    if (name_bytes_ > kMaxCopies * 4 * program_.image.size())
      damaged("the names of its symbols are longer than the file");
    result.address = symbol.st_value;
    result.bytes = symbol.st_size;
    result.kind = type == STT_FUNC     ? Symbol::Kind::kFunction
                  : type == STT_OBJECT ? Symbol::Kind::kObject
                                       : Symbol::Kind::kOther;
    result.global = GELF_ST_BIND(symbol.st_info) != STB_LOCAL;
    program_.symbols.push_back(std::move(result));
  }

  /// Linkers put the file's own headers in front of the first section of a segment. That address need not be memory;
  /// where no symbol names it, the program does not use them.
  void leave_out_headers() {
    for (std::size_t i = 0; i < program_.segments.size(); ++i) {
      Segment& segment = program_.segments[i];
      if (!starts_with_headers_[i]) continue;
      const std::uint64_t begin = virtual_[i].first;
      std::uint64_t headers = segment.bytes.size();
      for (const Section& section : sections_)
        if (section.address >= begin && section.address - begin < headers) headers = section.address - begin;
      const bool named = std::any_of(
          program_.symbols.begin(), program_.symbols.end(),
          [&](const Symbol& symbol) { return symbol.address >= begin && symbol.address - begin < headers; });
      if (named || headers == segment.bytes.size()) continue;
      segment.bytes.erase(segment.bytes.begin(),
                          segment.bytes.begin() + static_cast<std::ptrdiff_t>(headers));
      segment.address += headers;
    }
  }

  Program program_;
  std::vector<bool> starts_with_headers_;  // by segment
  ElfHandle elf_{nullptr, &elf_end};
  std::vector<Section> sections_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> virtual_;  // address and size by segment
  std::uint64_t loaded_bytes_ = 0, name_bytes_ = 0;
};

}  // namespace

Program load_elf(const std::string& path) { return parse_elf(input::read_file(path), path); }

Program parse_elf(std::vector<unsigned char> image, const std::string& path) {
  const std::uint64_t bytes = image.size();
  try {
    return Reader(std::move(image), path).read();
  } catch (const std::bad_alloc&) {
    throw input::UserError(
        fmt::format("not enough memory to load '{}', which has {}", path, input::size_text(bytes)));
  }
}

}  // namespace spica::loader

// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <unistd.h>

#include <random>

#include "platform/base/input/file.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/loader/program.h"
#include "platform/machine/loader/source_map.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/temporary_folder.h"
#include "testbenches/unit/loader/elf_bytes.h"

using namespace spica;
using namespace spica::loader;
using Catch::Contains;
using testbench::ElfBytes;

namespace {

/// The sentence with which a file is refused; "" when it is taken.
std::string refusal(const ElfBytes& elf) {
  try {
    parse_elf(elf.bytes(), "k.elf");
  } catch (const input::UserError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("an executable gives its entry, segments and symbols") {
  const Program program = parse_elf(ElfBytes().bytes(), "k.elf");
  CHECK(program.entry == 0x8000'0000);
  REQUIRE(program.segments.size() == 2);
  const Segment& text = program.segments[0];
  CHECK(text.name == ".text");
  CHECK(text.address == 0x8000'0000);
  REQUIRE(text.bytes.size() == 16);
  CHECK(text.bytes.front() == 1);
  CHECK(text.bytes.back() == 16);
  CHECK(text.zero_bytes == 0);
  CHECK((text.readable && text.executable && !text.writable));
  const Segment& data = program.segments[1];
  CHECK(data.name == ".data");
  CHECK(data.bytes.front() == 17);
  CHECK(data.bytes.size() == 8);
  CHECK(data.zero_bytes == 24);
  CHECK(data.size() == 32);
  CHECK((data.readable && data.writable && !data.executable));
  REQUIRE(program.symbols.size() == 3);
  CHECK(program.symbols[0].name == "_start");
  CHECK(program.symbols[0].kind == Symbol::Kind::kFunction);
  CHECK(program.symbols[0].global);
  REQUIRE(program.find("result") != nullptr);
  CHECK(program.find("result")->address == 0x8000'1000);
  CHECK(program.find("result")->bytes == 32);
  CHECK(program.find("result")->kind == Symbol::Kind::kObject);
  CHECK(program.find("missing") == nullptr);
}

TEST_CASE("bytes go to the physical address of a segment") {
  ElfBytes elf;
  elf.segments[1].p_paddr = 0x9000'0000;
  CHECK(parse_elf(elf.bytes(), "k.elf").segments[1].address == 0x9000'0000);
}

TEST_CASE("a global symbol is found before a local one of the same name") {
  ElfBytes elf;
  elf.add_symbol("result", 0x8000'1010, 4, STB_GLOBAL, STT_OBJECT, 2);
  CHECK(parse_elf(elf.bytes(), "k.elf").find("result")->address == 0x8000'1010);
}

TEST_CASE("a file that is missing, a folder or unreadable is refused with the reason") {
  const testbench::TemporaryFolder folder;
  CHECK_THROWS_WITH(load_elf(folder.path("none.elf")), Contains("No such file"));
  CHECK_THROWS_WITH(load_elf(folder.path("")), Contains("it is a folder"));
  if (geteuid() != 0) {  // root may read everything
    const std::string secret = folder.path("secret.elf");
    input::write_file(secret, ElfBytes().bytes());
    chmod(secret.c_str(), 0);
    CHECK_THROWS_WITH(load_elf(secret), Contains("Permission denied"));
  }
}

TEST_CASE("a file from disk is the same as from memory") {
  const testbench::TemporaryFolder folder;
  const auto bytes = ElfBytes().bytes();
  input::write_file(folder.path("k.elf"), bytes);
  const Program program = load_elf(folder.path("k.elf"));
  CHECK(program.image == bytes);
  CHECK(program.path == folder.path("k.elf"));
}

TEST_CASE("what is not an ELF file is refused") {
  CHECK_THROWS_WITH(parse_elf({}, "k"), "'k' is empty");
  CHECK_THROWS_WITH(parse_elf({'#', '!', '/'}, "k"), "'k' is not an ELF file");
  CHECK_THROWS_WITH(parse_elf(std::vector<unsigned char>(4096, 'x'), "k"), "'k' is not an ELF file");
}

TEST_CASE("programs for other machines are refused and the machine is named") {
  ElfBytes elf;
  elf.header.e_machine = EM_X86_64;
  CHECK_THAT(refusal(elf), Contains("a program for x86-64, not for RISC-V"));
  elf.header.e_machine = 12345;
  CHECK_THAT(refusal(elf), Contains("ELF machine number 12345"));
  CHECK_THROWS_WITH(load_elf("/proc/self/exe"),
                    Contains("not for RISC-V"));  // 64-bit, of this host
}

TEST_CASE("64-bit and big-endian RISC-V programs are refused") {
  ElfBytes elf;
  auto bytes = elf.bytes();
  Elf64_Ehdr wide{};
  std::memcpy(wide.e_ident, elf.header.e_ident, EI_NIDENT);
  wide.e_ident[EI_CLASS] = ELFCLASS64;
  wide.e_type = ET_EXEC;
  wide.e_machine = EM_RISCV;
  wide.e_version = EV_CURRENT;
  wide.e_ehsize = sizeof wide;
  std::memcpy(bytes.data(), &wide, sizeof wide);
  CHECK_THROWS_WITH(parse_elf(bytes, "k"), Contains("is a 64-bit program"));

  bytes = elf.bytes();
  bytes[EI_DATA] = ELFDATA2MSB;
  for (const unsigned at : {16u, 18u}) std::swap(bytes[at], bytes[at + 1]);  // e_type, e_machine
  for (const unsigned at : {20u, 24u, 28u, 32u, 36u}) {
    std::swap(bytes[at], bytes[at + 3]);
    std::swap(bytes[at + 1], bytes[at + 2]);
  }
  for (unsigned at = 40; at < 52; at += 2) std::swap(bytes[at], bytes[at + 1]);
  CHECK_THROWS_WITH(parse_elf(bytes, "k"), Contains("big-endian"));
}

TEST_CASE("what is not an executable is refused") {
  ElfBytes elf;
  elf.header.e_type = ET_REL;
  CHECK_THAT(refusal(elf), Contains("relocatable object"));
  elf.header.e_type = ET_DYN;
  CHECK_THAT(refusal(elf), Contains("position-independent"));
  elf.header.e_type = ET_CORE;
  CHECK_THAT(refusal(elf), Contains("core dump"));
}

TEST_CASE("programs that need what the cores lack are refused") {
  ElfBytes elf;
  elf.header.e_flags = EF_RISCV_FLOAT_ABI_DOUBLE;
  CHECK_THAT(refusal(elf), Contains("double-precision") && Contains("-mabi=ilp32f"));
  elf.header.e_flags = EF_RISCV_FLOAT_ABI_SOFT;
  CHECK(refusal(elf).empty());
}

TEST_CASE("a header that announces compressed instructions refuses nothing, and is kept for reports") {
  ElfBytes elf;
  CHECK_FALSE(parse_elf(elf.bytes(), "program.elf").compressed);
  elf.header.e_flags = EF_RISCV_RVC | EF_RISCV_FLOAT_ABI_SINGLE;
  CHECK(refusal(elf).empty());
  CHECK(parse_elf(elf.bytes(), "program.elf").compressed);
}

TEST_CASE("a program with nothing to load, or that starts nowhere, is refused") {
  ElfBytes elf;
  elf.segments.clear();
  CHECK_THAT(refusal(elf), Contains("no loadable segment"));
  elf = {};
  elf.header.e_entry = 0x8000'0010;  // first byte past .text
  CHECK_THAT(refusal(elf), Contains("starts at 0x80000010, where nothing is loaded"));
  elf.header.e_entry = 0x8000'000C;
  CHECK(refusal(elf).empty());
  elf.header.e_entry = 0x8000'0002;
  CHECK_THAT(refusal(elf), Contains("not a multiple of 4"));
}

TEST_CASE("segments that do not fit the file or the address space are refused") {
  ElfBytes elf;
  elf.segments[1].p_offset = 100'000;
  CHECK_THAT(refusal(elf), Contains("damaged") && Contains("segment 1"));
  elf = {};
  elf.segments[1].p_memsz = 4;
  CHECK_THAT(refusal(elf), Contains("more bytes in the file than in memory"));
  elf = {};
  elf.segments[1].p_paddr = 0xFFFF'FFF0;
  CHECK_THAT(refusal(elf), Contains("past the end of the 32-bit address space"));
  elf.segments[1].p_paddr = 0xFFFF'FFE0;  // 32 bytes: the last ones there are
  CHECK(refusal(elf).empty());
}

TEST_CASE("a segment outside memory is named with its range and the ranges that exist") {
  const Program program = parse_elf(ElfBytes().bytes(), "k.elf");
  CHECK_NOTHROW(check_segments(program, {{"dram", 0x8000'0000, 0x1020}}));
  CHECK_NOTHROW(check_segments(program, {{"code", 0x8000'0000, 16}, {"ram", 0x8000'1000, 32}}));
  CHECK_THROWS_WITH(check_segments(program, {{"dram", 0x8000'0000, 0x101F}}),
                    "segment '.data' of 'k.elf' (0x80001000-0x8000101f) lies outside memory; there is "
                    "dram at 0x80000000-0x8000101e");
  CHECK_THROWS_WITH(check_segments(program, {}), Contains("there is none"));
}

TEST_CASE("a file cut off anywhere is refused or read, never a crash") {
  const auto whole = ElfBytes().bytes();
  unsigned refused = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    try {
      parse_elf({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}, "k");
    } catch (const input::UserError&) {
      ++refused;
    }
  }
  CHECK(refused >= ElfBytes::content() + ElfBytes::kText + ElfBytes::kData);  // all of the content
}

TEST_CASE("names that are no text become printable, and are found in both forms") {
  ElfBytes elf;
  elf.add_symbol("n\xFF\x1b[31m", 0x8000'000C, 4, STB_GLOBAL, STT_FUNC, 1);
  const Program program = parse_elf(elf.bytes(), "k.elf");
  const SourceMap map(program);
  CHECK(map.lookup(0x8000'000C).frame.function == "n\\xff\\x1b[31m");
  for (const char* name : {"n\xFF\x1b[31m", "n\\xff\\x1b[31m"}) {
    REQUIRE(map.find_symbol(name) != nullptr);
    CHECK(map.find_symbol(name)->address == 0x8000'000C);
  }
  elf.header.e_machine = EM_386;
  CHECK_THROWS_WITH(parse_elf(elf.bytes(), "k\xFF\x1b.elf"),
                    Catch::StartsWith("'k\\xff\\x1b.elf' is a program for x86"));
}

TEST_CASE("a small file that names its bytes again and again is damaged") {
  ElfBytes elf;
  for (unsigned i = 0; i < 50; ++i) elf.add_segment(0, 0x9000'0000 + 0x1000 * i, 500, 500, PF_R);
  CHECK_THAT(refusal(elf), Contains("its segments together need") && Contains("bytes, the file has"));
  ElfBytes many;
  for (unsigned i = 0; i < 5000; ++i) many.add_segment(0, 0x9000'0000, 0, 4, PF_R);
  CHECK_THAT(refusal(many), Contains("it has 5002 segments, at most 4096 are allowed"));
  ElfBytes names;
  names.add_symbol(std::string(10'000, 'x'), 0x8000'0000, 4, STB_GLOBAL, STT_FUNC, 1);
  for (unsigned i = 0; i < 1000; ++i) names.symbols.push_back(names.symbols.back());
  CHECK_THAT(refusal(names), Contains("the names of its symbols are longer than the file"));
}

TEST_CASE("a symbol whose name in words would fill the memory stays as it is") {
  CHECK(demangle("_Z4gemmiPf") == "gemm(int, float*)");
  CHECK(demangle("_Z1fRKSt6vectorIiSaIiEES3_S3_") ==
        "f(std::vector<int, std::allocator<int> > const&, "
        "std::vector<int, std::allocator<int> > const&, "
        "std::vector<int, std::allocator<int> > const&)");
  std::string bomb = "_Z1f1AIiiE";  // A<int, int>, then A of twice the one before
  for (int i = 0; i < 34; ++i) {
    const std::string before = std::string("S") + "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i] + "_";
    bomb += "S_I" + before + before + "E";
  }
  CHECK(demangle(bomb) == bomb);
}

TEST_CASE("damaged files are refused or read, never a crash") {
  const auto whole = ElfBytes().bytes();
  std::mt19937 random(1);
  unsigned refused = 0, taken = 0;
  for (int round = 0; round < 20'000; ++round) {
    auto bytes = whole;
    for (unsigned n = 1 + random() % 4; n > 0; --n) {
      // Half of the hits go to the two headers, the rest anywhere.
      const std::size_t at = random() % (random() % 2 == 0 ? 116 : bytes.size());
      const unsigned char values[] = {0, 1, 0x7F, 0x80, 0xFF, static_cast<unsigned char>(random())};
      bytes[at] = values[random() % 6];
    }
    try {
      const Program program = parse_elf(bytes, "k");
      const SourceMap map(program);
      map.lookup(program.entry);
      ++taken;
    } catch (const input::UserError&) {
      ++refused;
    }
  }
  CHECK(refused > 1'000);
  CHECK(taken > 1'000);
}

TEST_CASE(
    "headers of the file in front of the first section are not part of the program, unless it names them") {
  constexpr unsigned kHeaders = ElfBytes::content();
  ElfBytes elf;
  elf.segments[0] = {PT_LOAD,
                     0,
                     0x8000'0000 - kHeaders,
                     0x8000'0000 - kHeaders,
                     kHeaders + ElfBytes::kText,
                     kHeaders + ElfBytes::kText,
                     PF_R | PF_X,
                     4};
  const Segment code = parse_elf(elf.bytes(), "k").segments[0];
  CHECK(code.address == 0x8000'0000);
  CHECK(code.bytes.size() == ElfBytes::kText);
  CHECK(code.bytes[0] == 1);

  elf.add_symbol("__ehdr_start", 0x8000'0000 - kHeaders, 0, STB_LOCAL, STT_NOTYPE, SHN_ABS);
  const Segment all = parse_elf(elf.bytes(), "k").segments[0];
  CHECK(all.address == 0x8000'0000 - kHeaders);
  CHECK(all.bytes.size() == kHeaders + ElfBytes::kText);
}

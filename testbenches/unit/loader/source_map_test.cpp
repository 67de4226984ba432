// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <random>

#include "platform/base/input/user_error.h"
#include "platform/machine/loader/argument_block.h"
#include "platform/machine/loader/source_map.h"
#include "testbenches/support/catch.h"
#include "testbenches/unit/loader/elf_bytes.h"

// libdw itself forgets some memory when it meets damaged line tables. The name is the sanitizer's.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libdw"; }
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

using namespace spica;
using namespace spica::loader;
using testbench::ElfBytes;

TEST_CASE("without debug information functions come from the symbols") {
  const Program program = parse_elf(ElfBytes().bytes(), "k.elf");
  const SourceMap map(program);
  CHECK_FALSE(map.has_line_information());
  CHECK(map.lookup(0x8000'0004).frame.function == "_start");
  CHECK(map.lookup(0x8000'0004).offset == 4);
  // A symbol without size reaches to the end of the code.
  CHECK(map.lookup(0x8000'000C).frame.function == "gemm(int, float*)");
  CHECK(map.lookup(0x8000'000C).offset == 4);
  CHECK(map.lookup(0x8000'0010).frame.function.empty());
  CHECK(map.lookup(0x8000'1000).frame.function.empty());  // data
  CHECK(map.lookup(0x8000'0004).frame.file.empty());
  CHECK(map.lookup(0x8000'0004).frame.line == 0);
  CHECK(map.lookup(0x8000'0004).frame.place().empty());
}

TEST_CASE("a label inside a function does not hide the function, one outside stands for itself") {
  ElfBytes elf;
  elf.add_symbol("inner", 0x8000'0004, 0, STB_LOCAL, STT_NOTYPE, 1);
  elf.symbols[2].st_size = 4;  // gemm now ends at 0x8000000c
  elf.add_symbol("tail", 0x8000'000C, 0, STB_LOCAL, STT_NOTYPE, 1);
  const Program program = parse_elf(elf.bytes(), "k.elf");
  const SourceMap map(program);
  CHECK(map.lookup(0x8000'0004).frame.function == "_start");
  CHECK(map.lookup(0x8000'000C).frame.function == "tail");
}

TEST_CASE("a global name of a function is shown before its local alias") {
  ElfBytes elf;
  elf.add_symbol("a_alias", 0x8000'0000, 8, STB_LOCAL, STT_FUNC, 1);
  elf.add_symbol("z_alias", 0x8000'0000, 8, STB_LOCAL, STT_FUNC, 1);
  const Program program = parse_elf(elf.bytes(), "k.elf");
  CHECK(SourceMap(program).lookup(0x8000'0000).frame.function == "_start");
}

TEST_CASE("symbols are found by mangled and plain name") {
  const Program program = parse_elf(ElfBytes().bytes(), "k.elf");
  const SourceMap map(program);
  for (const char* name : {"_Z4gemmiPf", "gemm", "gemm(int, float*)"}) {
    REQUIRE(map.find_symbol(name) != nullptr);
    CHECK(map.find_symbol(name)->address == 0x8000'0008);
  }
  CHECK(map.find_symbol("gem") == nullptr);
  CHECK(demangle("_start") == "_start");
  CHECK(demangle("_Znot mangled") == "_Znot mangled");
}

#ifdef SPICA_PROBE_ELF

namespace {

/// Line of probe.cpp that carries a mark.
unsigned marked(const std::string& mark) {
  std::ifstream source(SPICA_PROBE_SOURCE);
  unsigned number = 0;
  for (std::string line; std::getline(source, line);) {
    ++number;
    if (line.find("// mark: " + mark) != std::string::npos) return number;
  }
  throw std::runtime_error("no mark " + mark);
}

const std::string kFolder = "testbenches/unit/loader/";

}  // namespace

TEST_CASE("lines of a compiled program are found, with the callers of inlined code") {
  const Program program = load_elf(SPICA_PROBE_ELF);
  const SourceMap map(program);
  REQUIRE(map.has_line_information());
  CHECK(program.entry == 0x8000'0000);

  const Location& start = map.lookup(program.entry);
  CHECK(start.frame.function == "_start");
  CHECK(start.frame.place() == kFolder + "probe_start.S:6");
  CHECK(start.inlined_into.empty());

  const std::string square = kFolder + "probe.cpp:" + std::to_string(marked("square"));
  CHECK_FALSE(map.addresses_of("probe.cpp", marked("square")).empty());
  const Symbol& total = *map.find_symbol("total");
  bool found = false;
  for (std::uint64_t pc = total.address; pc < total.address + total.bytes; pc += 4) {
    const Location& location = map.lookup(pc);
    CHECK(location.offset == pc - total.address);
    if (location.frame.place() != square) continue;
    found = true;
    CHECK(location.frame.function == "squared");
    REQUIRE(location.inlined_into.size() == 1);
    CHECK(location.inlined_into[0].function == "total");
    CHECK(location.inlined_into[0].place(false) == "probe.cpp:" + std::to_string(marked("call")));
  }
  CHECK(found);
}

TEST_CASE("lines are found by the end of their path only") {
  const Program program = load_elf(SPICA_PROBE_ELF);
  const SourceMap map(program);
  const auto all = map.addresses_of("probe_start.S", 7);
  REQUIRE(all.size() == 1);
  CHECK(map.addresses_of("loader/probe_start.S", 7) == all);
  CHECK(map.addresses_of(kFolder + "probe_start.S", 7) == all);
  CHECK(map.addresses_of("start.S", 7).empty());
  CHECK(map.addresses_of("", 7).empty());
  CHECK(map.addresses_of("probe_start.S", 99).empty());
}

TEST_CASE("a function inside a namespace has its name, its line and what was inlined into it") {
  const Program program = load_elf(SPICA_PROBE_ELF);
  const SourceMap map(program);
  const Location& first = map.lookup(map.find_symbol("probe::inside")->address);
  CHECK(first.frame.function == "squared");
  CHECK(first.frame.place() == kFolder + "probe.cpp:" + std::to_string(marked("square")));
  REQUIRE(first.inlined_into.size() == 1);
  CHECK(first.inlined_into[0].function == "inside");
  CHECK(first.inlined_into[0].place() == kFolder + "probe.cpp:" + std::to_string(marked("inside")));
}

TEST_CASE("an overloaded name is no symbol, its mangled names are") {
  const Program program = load_elf(SPICA_PROBE_ELF);
  const SourceMap map(program);
  CHECK(map.find_symbol("probe::twice") == nullptr);
  CHECK(map.find_symbol("probe::twice(int)") != nullptr);
  CHECK(map.find_symbol("probe::once") != nullptr);
  CHECK(map.find_symbol("samples")->bytes == 16);
}

TEST_CASE("a structure at an address is found with its members, those inside it with a dot") {
  const Program program = load_elf(SPICA_PROBE_ELF);
  const SourceMap map(program);
  using Kind = Member::Kind;
  const auto members = map.structure_at(0x9FFF'0000).members;
  const struct {
    const char* name;
    std::uint64_t offset, bytes;
    Kind kind;
  } expected[] = {{"count", 0, 4, Kind::kUnsigned},    {"factor", 4, 4, Kind::kFloat},
                  {"small", 8, 1, Kind::kSigned},      {"mode", 9, 1, Kind::kUnsigned},
                  {"size.m", 12, 4, Kind::kUnsigned},  {"size.n", 16, 4, Kind::kUnsigned},
                  {"list[0]", 20, 4, Kind::kUnsigned}, {"list[1]", 24, 4, Kind::kUnsigned},
                  {"address", 32, 8, Kind::kUnsigned}};
  REQUIRE(members.size() == std::size(expected));
  for (std::size_t i = 0; i < members.size(); ++i) {
    INFO(members[i].name);
    CHECK(members[i].name == expected[i].name);
    CHECK(members[i].offset == expected[i].offset);
    CHECK(members[i].bytes == expected[i].bytes);
    CHECK(members[i].kind == expected[i].kind);
  }
  CHECK(map.structure_at(0x9FFF'0004).members.empty());
  CHECK(map.structure_at(program.find("samples")->address).members.empty());  // no structure
}

TEST_CASE("variables have the element and the shape that the debug information tells") {
  const Program program = load_elf(SPICA_PROBE_ELF);
  const SourceMap map(program);
  using Kind = Member::Kind;
  using Shape = std::vector<std::uint64_t>;
  const auto check = [&](const char* name, Kind kind, std::uint64_t bytes, const Shape& shape) {
    INFO(name);
    const Symbol* symbol = map.find_symbol(name);
    REQUIRE(symbol != nullptr);
    const auto type = map.type_at(symbol->address);
    REQUIRE(type);
    CHECK(type->kind == kind);
    CHECK(type->bytes == bytes);
    CHECK(type->shape == shape);
  };
  check("samples", Kind::kSigned, 4, {4});
  check("probe::sizes", Kind::kOther, 8, {3});
  check("probe::wrapped", Kind::kFloat, 4, {2, 5});  // structures around nothing else are not there
  check("probe::table", Kind::kSigned, 2, {2, 3, 4});
  check("probe::mode", Kind::kUnsigned, 1, {});
  check("probe::wide", Kind::kFloat, 8, {2});
  CHECK(!map.type_at(program.find("samples")->address + 4));
  CHECK(!map.type_at(program.entry));
}

TEST_CASE("arguments by name change these and leave the others as the program has them") {
  const Program program = load_elf(SPICA_PROBE_ELF);
  const SourceMap map(program);
  const auto bytes = [&](const std::string& text) { return parse_arguments(text, map); };
  const std::vector<unsigned char> own{7, 0, 0, 0, 0, 0, 0xC0, 0x3F, 0xFF, 1, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0,
                                       4, 0, 0, 0, 5, 0, 0,    0,    0,    0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0};
  std::vector<unsigned char> changed = own;
  CHECK(bytes("count=7") == own);
  changed[0] = 0x10, changed[7] = 0xC0, changed[8] = 0x80, changed[12] = 9;
  CHECK(bytes("size.m=9,count=0x10,factor=-2,small=-128") == [&] {
    auto with = changed;
    with[6] = 0, with[7] = 0xC0;
    return with;
  }());
  const auto address = static_cast<unsigned char>(program.find("samples")->address & 0xFF);
  CHECK(bytes("address=samples")[32] == address);

  using Catch::Contains;
  CHECK_THROWS_WITH(bytes("cuont=1"),
                    "--args item 'cuont=1': there is no such argument; there are count, factor, small, mode, "
                    "size.m, size.n, list[0] to list[1], address");
  CHECK(bytes("list[1]=258")[24] == 2);
  CHECK(bytes("list[1]=258")[25] == 1);
  CHECK(bytes("list[1]=258")[20] == 4);
  CHECK_THROWS_WITH(bytes("list=1"), Contains("there is no such argument; there are count"));
  CHECK_THROWS_WITH(bytes("list[2]=1"), Contains("there is no such argument; there are count"));
  CHECK_THROWS_WITH(bytes("count=1,u32:2"),
                    Contains("item 'u32:2': the others are name=value: use this form for all"));
  CHECK_THROWS_WITH(bytes("small=128"), Contains("128 does not fit 8 bits"));
  CHECK_THROWS_WITH(bytes("16"), Contains("for example u32:16, or name=value, for example count=16"));
  const Program stripped = parse_elf(testbench::ElfBytes().bytes(), "k.elf");
  const SourceMap no_names(stripped);
  CHECK_THROWS_WITH(parse_arguments("n=1", no_names), Contains("k.elf has no argument names"));
}

TEST_CASE("arguments by type must be those of the block: count, place, size and kind") {
  const Program program = load_elf(SPICA_PROBE_ELF);
  const SourceMap map(program);
  const auto bytes = [&](const std::string& text) { return parse_arguments(text, map); };
  const std::string right = "u32:1,f32:2,i8:-3,u8:4,align:4,u32:5,u32:6,u32:7,u32:8,align:8,u64:9";
  CHECK(bytes(right).size() == 40);
  CHECK(bytes("i32:1" + right.substr(5)) == bytes(right));  // the same bits in both kinds
  CHECK(bytes("u32:1,f32:2,i8:-3,u8:4,align:4,u32:5,u32:6,pad:12,u64:9").size() ==
        40);  // an array may be left out by pad
  CHECK(bytes("u32:1,f32:2,i8:-3,u8:4,align:4,u32:5,u32:6,u32:7,pad:8,u64:9").size() == 40);

  using Catch::Contains;
  CHECK_THROWS_WITH(bytes("u32:1"), Contains("'factor' (f32) has no value") &&
                                        Contains("'list[0] to list[1]' (u32) has no value") &&
                                        Contains("'address' (u64) has no value") &&
                                        Contains("size.n u32, list[0] to list[1] u32, address u64; to set") &&
                                        Contains("to set some of them only: name=value"));
  CHECK_THROWS_WITH(bytes(right + ",u32:1"),
                    Contains("item 'u32:1' at byte 40: the argument block ends at byte 40"));
  CHECK_THROWS_WITH(bytes("u64:1,i8:-3"),
                    Contains("item 'u64:1' at byte 0: the program has 'count' there, u32 at byte 0"));
  CHECK_THROWS_WITH(bytes("u32:1,u32:2,i8:0"),
                    Contains("item 'u32:2' at byte 4: the program has 'factor' there, f32 at byte 4"));
  CHECK_THROWS_WITH(bytes("f32:1"), Contains("the program has 'count' there, u32 at byte 0"));
  CHECK_THROWS_WITH(bytes("u32:1,f32:2,u8:200"), Contains("the program has 'small' there, i8 at byte 8"));
  CHECK_THROWS_WITH(bytes("u32:1,f32:2,u16:2"), Contains("the program has 'small' there, i8 at byte 8"));
  CHECK_THROWS_WITH(bytes("u32:1,f32:2,i8:0,u8:0,pad:2,u32:5,u32:6,u32:7,f32:8"),
                    Contains("item 'f32:8' at byte 24: the program has 'list[1]' there, u32 at byte 24") &&
                        Contains("'address' (u64) has no value"));
  CHECK_THROWS_WITH(bytes("u32:1,f32:2,i8:0,u8:0,pad:2,u32:5,u32:6,u64:7,pad:4,u64:9"),
                    Contains("item 'u64:7' at byte 20: the program has 'list[0]' there, u32 at byte 20"));
  CHECK_THROWS_WITH(bytes("u32:1,f32:2,i8:0,u8:0,u8:1"),
                    Contains("item 'u8:1' at byte 10: no argument is there"));
  CHECK_THROWS_WITH(bytes("count=1,factor=2,count=3"), Contains("item 'count=3': it is given twice"));
}

TEST_CASE("an answer stays where it is and is not looked up again") {
  const Program program = load_elf(SPICA_PROBE_ELF);
  const SourceMap map(program);
  const Location* first = &map.lookup(program.entry);
  for (unsigned i = 0; i < 1000; ++i) map.lookup(program.entry + 4 * i);
  CHECK(&map.lookup(program.entry) == first);
}

TEST_CASE("damaged debug information gives fewer answers, never a crash") {
  const Program whole = load_elf(SPICA_PROBE_ELF);
  std::mt19937 random(2);
  unsigned answered = 0;
  for (int round = 0; round < 2'000; ++round) {
    Program program = whole;
    for (unsigned n = 1 + random() % 8; n > 0; --n)
      program.image[random() % program.image.size()] = static_cast<unsigned char>(random());
    const SourceMap map(program);
    for (unsigned offset = 0; offset < 64; offset += 12)
      answered += map.lookup(program.entry + offset).frame.line != 0;
    answered += !map.addresses_of("probe.cpp", 12).empty();
    answered += !map.structure_at(0x9FFF'0000).members.empty();
    answered += map.type_at(0x9FFF'0000).has_value();
  }
  CHECK(answered > 1'000);
}

#endif

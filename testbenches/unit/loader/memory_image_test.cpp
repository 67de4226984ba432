// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/loader/memory_image.h"
#include "platform/base/input/file.h"
#include "platform/base/input/user_error.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/temporary_folder.h"
#include "testbenches/unit/loader/elf_bytes.h"

using namespace spica;
using namespace spica::loader;
using Catch::Contains;

namespace {

struct Fixture {
  testbench::TemporaryFolder folder;
  Program program = parse_elf(testbench::ElfBytes().bytes(), "k.elf");
  SourceMap symbols{program};
  std::vector<MemoryRange> ranges{{"dram", 0x8000'0000, 0x1000'0000}};
};

}  // namespace

TEST_CASE_METHOD(Fixture, "option --load reads the file to a number or a symbol") {
  const std::vector<unsigned char> content = {1, 2, 3};
  const std::string path = folder.path("a@b.bin");
  input::write_file(path, content);
  LoadImage image = parse_load(path + "@0x80002000", symbols, ranges);
  CHECK(image.path == path);
  CHECK(image.address == 0x8000'2000);
  CHECK(image.bytes == std::vector<unsigned char>{1, 2, 3});
  CHECK(parse_load(path + "@result", symbols, ranges).address == 0x8000'1000);
  input::write_file(path, std::vector<unsigned char>(32));
  CHECK(parse_load(path + "@result", symbols, ranges).bytes.size() == 32);
  input::write_file(path, std::vector<unsigned char>(33));
  CHECK_THROWS_WITH(parse_load(path + "@result", symbols, ranges),
                    Contains("the file has 33 bytes, 'result' has room for 32"));
  CHECK(parse_load(path + "@0x80001000", symbols, ranges).bytes.size() == 33);
}

TEST_CASE_METHOD(Fixture, "option --load says what is wrong") {
  input::write_file(folder.path("empty"), {});
  const std::vector<unsigned char> content = {1, 2, 3};
  input::write_file(folder.path("f"), content);
  const std::string f = folder.path("f");
  const auto load = [&](const std::string& text) { return parse_load(text, symbols, ranges); };
  CHECK_THROWS_WITH(load(f), Contains("the form is FILE@ADDR"));
  CHECK_THROWS_WITH(load("@0x80000000"), Contains("the form is FILE@ADDR"));
  CHECK_THROWS_WITH(load(f + "@nowhere"), Contains("'nowhere' is neither a number nor a unique symbol"));
  CHECK_THROWS_WITH(load(f + "@0xzz"), Contains("'0xzz' is not a number"));
  CHECK_THROWS_WITH(load(folder.path("none") + "@0x80000000"), Contains("No such file"));
  CHECK_THROWS_WITH(load(folder.path("empty") + "@0x80000000"), Contains("is empty"));
  CHECK_THROWS_WITH(load(f + "@0x8FFFFFFE"), Contains("0x8ffffffe-0x90000000) lies outside memory"));
  CHECK_NOTHROW(load(f + "@0x8FFFFFFD"));
}

TEST_CASE_METHOD(Fixture, "option --save takes an address and a size, or a symbol that knows its size") {
  SaveImage image = parse_save("c.bin@0x80000000+256KiB", symbols, ranges);
  CHECK(image.path == "c.bin");
  CHECK(image.address == 0x8000'0000);
  CHECK(image.bytes == 262'144);
  image = parse_save("c.bin@result+4", symbols, ranges);
  CHECK(image.address == 0x8000'1000);
  CHECK(image.bytes == 4);
  CHECK(parse_save("c.bin@result", symbols, ranges).bytes == 32);
  const auto save = [&](const char* text) { return parse_save(text, symbols, ranges); };
  CHECK_THROWS_WITH(save("c.bin"), Contains("the form is FILE@ADDR+BYTES"));
  CHECK_THROWS_WITH(save("c.bin@0x80000000"), Contains("the size is missing"));
  CHECK_THROWS_WITH(save("c.bin@gemm"), Contains("the size is missing"));
  CHECK_THROWS_WITH(save("c.bin@0x80000000+0"), Contains("'0' is not a size"));
  CHECK_THROWS_WITH(save("c.bin@0x80000000+1kB"), Contains("'1kB' is not a size"));
  CHECK_THROWS_WITH(save("c.bin@0x80000000+1GiB"), Contains("outside memory"));
  CHECK_THROWS_WITH(save("c.bin@0x80000000+0xFFFFFFFFFFFFFFFF"), Contains("outside memory"));
}

// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "platform/machine/loader/file.h"
#include "platform/machine/loader/memory_image.h"
#include "platform/machine/loader/number_text.h"
#include "platform/machine/loader/user_error.h"
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

TEST_CASE("numbers are decimal or hexadecimal, and all of the text") {
  CHECK(parse_number("0") == 0u);
  CHECK(parse_number("4096") == 4096u);
  CHECK(parse_number("0xA0000000") == 0xA000'0000u);
  CHECK(parse_number("18446744073709551615") == ~std::uint64_t{0});
  for (const char* bad : {"", "0x", "x", "-1", "+1", " 1", "1 ", "12k", "0xg", "18446744073709551616"})
    CHECK_FALSE(parse_number(bad));
}

TEST_CASE("byte counts take binary units") {
  CHECK(parse_byte_count("12") == 12u);
  CHECK(parse_byte_count("12B") == 12u);
  CHECK(parse_byte_count("0x1B") == 27u);
  CHECK(parse_byte_count("256KiB") == 262'144u);
  CHECK(parse_byte_count("3MiB") == 3'145'728u);
  CHECK(parse_byte_count("1GiB") == 1'073'741'824u);
  for (const char* bad : {"", "KiB", "1kB", "1 KiB", "1.5MiB", "99999999999999GiB"})
    CHECK_FALSE(parse_byte_count(bad));
}

TEST_CASE_METHOD(Fixture, "option --load reads the file to a number or a symbol") {
  const std::vector<unsigned char> content = {1, 2, 3};
  const std::string path = folder.path("a@b.bin");
  write_file(path, content);
  LoadImage image = parse_load(path + "@0x80002000", symbols, ranges);
  CHECK(image.path == path);
  CHECK(image.address == 0x8000'2000);
  CHECK(image.bytes == std::vector<unsigned char>{1, 2, 3});
  CHECK(parse_load(path + "@result", symbols, ranges).address == 0x8000'1000);
  write_file(path, std::vector<unsigned char>(32));
  CHECK(parse_load(path + "@result", symbols, ranges).bytes.size() == 32);
  write_file(path, std::vector<unsigned char>(33));
  CHECK_THROWS_WITH(parse_load(path + "@result", symbols, ranges),
                    Contains("the file has 33 bytes, 'result' has room for 32"));
  CHECK(parse_load(path + "@0x80001000", symbols, ranges).bytes.size() == 33);
}

TEST_CASE_METHOD(Fixture, "option --load says what is wrong") {
  write_file(folder.path("empty"), {});
  const std::vector<unsigned char> content = {1, 2, 3};
  write_file(folder.path("f"), content);
  const std::string f = folder.path("f");
  const auto load = [&](const std::string& text) { return parse_load(text, symbols, ranges); };
  CHECK_THROWS_WITH(load(f), Contains("the form is FILE@ADDR"));
  CHECK_THROWS_WITH(load("@0x80000000"), Contains("the form is FILE@ADDR"));
  CHECK_THROWS_WITH(load(f + "@nowhere"), Contains("'nowhere' is neither a number nor one symbol"));
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

TEST_CASE_METHOD(Fixture, "files are written whole and errors name the file") {
  const std::vector<unsigned char> content = {0, 255, 10, 13, 0};
  write_file(folder.path("out"), content);
  CHECK(read_file(folder.path("out")) == content);
  write_file(folder.path("out"), {1, 2});
  CHECK(read_file(folder.path("out")).size() == 2);
  CHECK_THROWS_WITH(write_file(folder.path("no/such/out"), content), Contains("No such file"));
  CHECK_THROWS_WITH(write_file("/dev/full", content), Contains("No space left"));
}

TEST_CASE_METHOD(Fixture, "a file that does not fit leaves the old one as it was and no other behind") {
  const std::vector<unsigned char> content(100, 1);
  write_file(folder.path("out"), content);
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const rlimit small{50, old.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  CHECK_THROWS_WITH(write_file(folder.path("out"), std::vector<unsigned char>(100, 2)),
                    Contains("File too large"));
  setrlimit(RLIMIT_FSIZE, &old);
  CHECK(read_file(folder.path("out")) == content);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.root()), {}) == 1);
}

TEST_CASE_METHOD(Fixture, "a link to a file stays a link, and a file keeps its permissions") {
  namespace fs = std::filesystem;
  write_file(folder.path("file"), {1});
  fs::permissions(folder.path("file"),
                  fs::perms::owner_read | fs::perms::owner_write | fs::perms::others_read);
  fs::create_symlink("file", folder.path("link"));
  write_file(folder.path("link"), {2, 3});
  CHECK(fs::is_symlink(folder.path("link")));
  CHECK(read_file(folder.path("file")).size() == 2);
  CHECK(fs::status(folder.path("file")).permissions() ==
        (fs::perms::owner_read | fs::perms::owner_write | fs::perms::others_read));
}

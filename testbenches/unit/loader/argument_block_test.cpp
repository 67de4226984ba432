// SPDX-License-Identifier: Apache-2.0

#include "platform/machine/loader/argument_block.h"
#include "platform/base/input/user_error.h"
#include "testbenches/support/catch.h"
#include "testbenches/unit/loader/elf_bytes.h"

using namespace spica;
using namespace spica::loader;
using Bytes = std::vector<unsigned char>;
using Catch::Contains;

namespace {

Bytes arguments(const std::string& text) {
  static const Program program = parse_elf(testbench::ElfBytes().bytes(), "k.elf");
  static const SourceMap symbols(program);
  return parse_arguments(text, symbols);
}

}  // namespace

TEST_CASE("arguments are stored one after the other, little endian") {
  CHECK(arguments("u8:1,u16:0x0302,u32:0x07060504,u64:0x0F0E0D0C0B0A0908") ==
        Bytes{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  CHECK(arguments("i8:-1,i16:-2,i32:-2147483648") == Bytes{0xFF, 0xFE, 0xFF, 0, 0, 0, 0x80});
  CHECK(arguments("i64:-9223372036854775808") == Bytes{0, 0, 0, 0, 0, 0, 0, 0x80});
  CHECK(arguments("f32:1.5,f64:-2") == Bytes{0, 0, 0xC0, 0x3F, 0, 0, 0, 0, 0, 0, 0, 0xC0});
  CHECK(arguments("u8:1,align:4,u8:2,pad:2,align:1") == Bytes{1, 0, 0, 0, 2, 0, 0});
  CHECK(arguments("align:4,u32:result,u64:gemm") == Bytes{0, 0x10, 0, 0x80, 8, 0, 0, 0x80, 0, 0, 0, 0});
}

TEST_CASE("the named blocks have the layout of the published kernels") {
  const Bytes gemm = arguments("gemm:256x512x128");
  CHECK(gemm == arguments("u32:256,u32:512,u32:128,pad:4,u64:0xA0000000,u64:0xA1000000,"
                          "u64:0xC0000000"));
  CHECK(gemm.size() == 40);
  CHECK(arguments("flash:1024x64") ==
        arguments("u32:1024,u32:64,u64:0xA0000000,u64:0xA1000000,u64:0xA2000000,u64:0xC0000000"));
}

TEST_CASE("the argument block has 8 KiB") {
  CHECK(arguments("pad:8192").size() == 8192);
  CHECK(arguments("pad:8188,u32:1").size() == 8192);
  CHECK_THROWS_WITH(arguments("pad:8193"), Contains("only 8192 bytes"));
  CHECK_THROWS_WITH(arguments("pad:8189,u32:1"), Contains("'u32:1'"));
  CHECK_THROWS_WITH(arguments("pad:18446744073709551615"), Contains("only 8192 bytes"));
}

TEST_CASE("a wrong argument is named") {
  CHECK_THROWS_AS(arguments(""), input::UserError);
  CHECK_THROWS_WITH(arguments("u32:1,,u32:2"), Contains("item ''") && Contains("type:value"));
  CHECK_THROWS_WITH(arguments("256"), Contains("'256': the form is type:value, for example u32:16"));
  CHECK_THROWS_WITH(arguments("u32:"), Contains("type:value"));
  CHECK_THROWS_WITH(arguments("uint:1"), Contains("the types are u8"));
  CHECK_THROWS_WITH(arguments("u8:256"), Contains("256 does not fit 8 bits"));
  CHECK_THROWS_WITH(arguments("u16:65536"), Contains("does not fit 16 bits"));
  CHECK_THROWS_WITH(arguments("u32:0x100000000"), Contains("does not fit 32 bits"));
  CHECK_THROWS_WITH(arguments("i8:128"), Contains("does not fit 8 bits"));
  CHECK_THROWS_WITH(arguments("i8:-129"), Contains("does not fit 8 bits"));
  CHECK_THROWS_WITH(arguments("i64:9223372036854775808"), Contains("does not fit 64 bits"));
  CHECK_THROWS_WITH(arguments("u32:nothing"), Contains("'nothing' is neither a number nor a unique symbol"));
  CHECK_THROWS_WITH(arguments("u16:result"), Contains("'result' is not a number"));
  CHECK_THROWS_WITH(arguments("f32:1e99"), Contains("does not fit 32 bits"));
  CHECK_THROWS_WITH(arguments("f32:1.0f"), Contains("is not a floating-point number"));
  CHECK_THROWS_WITH(arguments("align:0"), Contains("must not be 0"));
  for (const char* bad : {"gemm:256", "gemm:256x256", "gemm:1x2x3x4", "gemm:0x256x256", "gemm:axbxc",
                          "gemm:1x2x", "flash:1x2x3"})
    CHECK_THROWS_WITH(arguments(bad), Contains("sizes separated by x"));
}

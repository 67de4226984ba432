// SPDX-License-Identifier: Apache-2.0
// The words of fingerprints by generation, which two public models and an exact adder agree on (mma-sim; khattak models),
// and from F14 on one of them and that adder.
#include "models/numeric/fingerprint.h"
#include "testbenches/support/catch.h"

using namespace spica::numeric;

namespace {

std::uint64_t word(const char* name, const char* silicon, const char* operands, const char* result = "fp32") {
  return fingerprint(name)->result_by(Mma(silicon, operands, result)).value();
}

}  // namespace

TEST_CASE("F1 to F13 have the words of Volta, of Turing to Ada, and of Hopper and Blackwell") {
  struct Row {
    const char* name;
    std::uint32_t volta, ampere, hopper;
  };
  for (const Row& row : {Row{"F1", 0x00000000, 0x33800000, 0x33800000},
                         {"F2", 0x00000000, 0x00000000, 0x33000000},
                         {"F3", 0x00000000, 0x00000000, 0x00000000},
                         {"F4", 0x38800000, 0x38800000, 0x38800000},
                         {"F5", 0x30800000, 0x00000000, 0x00000000},
                         {"F6", 0x30800000, 0x30800000, 0x00000000},
                         {"F7", 0x30800000, 0x30800000, 0x00000000},
                         {"F8", 0x3F800001, 0x3F800001, 0x3F800001},
                         {"F9", 0x3F800000, 0x3F800000, 0x3F800000},
                         {"F10", 0x00000000, 0x33800000, 0x33800000},
                         {"F11", 0x00000000, 0x00000000, 0x00000000},
                         {"F12", 0x3F800000, 0x3F800000, 0x3F800001},
                         {"F13", 0x427FC002, 0x427FC004, 0x427FC004}}) {
    CAPTURE(row.name);
    CHECK(word(row.name, "volta", "fp16") == row.volta);
    for (const char* const silicon : {"turing", "ampere", "ada"})
      CHECK(word(row.name, silicon, "fp16") == row.ampere);
    for (const char* const silicon : {"hopper", "hopper_mma", "blackwell", "blackwell_mma"})
      CHECK(word(row.name, silicon, "fp16") == row.hopper);
  }
}

TEST_CASE("F14 to F21 and X1, X2 have the words of the formats that they are about") {
  for (const char* const silicon : {"ampere", "ada", "hopper", "blackwell"})
    CHECK(word("F14", silicon, "tf32") == 0x3F800000);
  CHECK(word("F15", "ada", "fp8_e4m3") == 0x3F800400);
  CHECK(word("F15", "hopper", "fp8_e4m3") == 0x3F800400);
  CHECK(word("F15", "blackwell", "fp8_e4m3") == 0x3F800600);
  CHECK(word("F16", "ada", "fp8_e4m3") == 0x3F800000);
  CHECK(word("F16", "hopper", "fp8_e4m3") == 0x3F800000);
  CHECK(word("F16", "blackwell", "fp8_e4m3") == 0x3F800200);
  CHECK(word("F17", "ada", "fp8_e4m3") == 0x36800000);
  CHECK(word("F17", "hopper", "fp8_e4m3") == 0x00000000);
  CHECK(word("F17", "blackwell", "fp8_e4m3") == 0x36800000);
  CHECK(word("F18", "blackwell_mma", "fp8_e4m3") == 0x43000001);
  CHECK(word("F18", "blackwell", "fp8_e4m3") == 0x43000000);
  for (const char* const silicon : {"volta", "turing", "ampere", "ada", "hopper", "blackwell"}) {
    CHECK(word("F19", silicon, "fp16") == 0x7FFFFFFF);
    CHECK(word("F20", silicon, "fp16") == 0x00000000);
  }
  for (const char* const silicon : {"ampere", "ada", "hopper", "blackwell"})
    CHECK(word("F21", silicon, "bf16") == 0x7F800000);
  CHECK(word("X1", "hopper", "bf16") == 0x00000001);
  CHECK(word("X2", "hopper", "bf16") == 0x20000000);
}

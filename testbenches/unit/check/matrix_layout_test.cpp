// SPDX-License-Identifier: Apache-2.0

#include "platform/observe/check/matrix_layout.h"

#include "testbenches/support/catch.h"

using spica::check::element_text;
using spica::check::MatrixLayout;

TEST_CASE("a byte is in an element of a row, of a column, or has two of them") {
  CHECK(element_text({"fp32", 32, 10, false}, 4 * 23 + 3) == "row 2, column 3 (fp32)");
  CHECK(element_text({"bf16", 16, 10, true}, 2 * 23) == "row 3, column 2 (bf16)");
  CHECK(element_text({"fp8_e4m3", 8, 64, false}, 65) == "row 1, column 1 (fp8_e4m3)");
  CHECK(element_text({"int4", 4, 128, false}, 65) == "row 1, columns 2 to 3 (int4)");
  CHECK(element_text({"int4", 4, 128, true}, 65) == "rows 2 to 3, column 1 (int4)");
}

TEST_CASE("where neighbours along k share a word, a byte has elements of several lines") {
  // Of B, row by row of words: four elements of a column in each.
  CHECK(element_text({"fp8_e4m3", 8, 64, false, 4}, 0) == "row 0, column 0 (fp8_e4m3)");
  CHECK(element_text({"fp8_e4m3", 8, 64, false, 4}, 4 * 65 + 3) == "row 7, column 1 (fp8_e4m3)");
  CHECK(element_text({"int4", 4, 64, false, 8}, 4 * 65 + 3) == "rows 14 to 15, column 1 (int4)");
  CHECK(element_text({"fp16", 16, 64, true, 2}, 4 * 65 + 3) == "row 1, column 3 (fp16)");
}

TEST_CASE("elements in another order have their number in memory, and of an unknown format nothing is said") {
  CHECK(element_text({"fp16", 16, 0, false}, 131) == "element 65 in memory (fp16)");
  CHECK(element_text({"fp4_e2m1", 4, 0, false}, 131) == "elements 262 to 263 in memory (fp4_e2m1)");
  CHECK(element_text({}, 131).empty());
}

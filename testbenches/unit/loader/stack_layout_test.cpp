// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "platform/machine/loader/stack_layout.h"
#include "testbenches/support/catch.h"

using namespace spica::loader;

namespace {

constexpr std::uint32_t kNop = 0x13, kReadHart = 0xF14022F3, kTop = 0xFF000137, kBySize = 0x00D29313,
                        kByGap = 0x00429293, kAdd = 0x006282B3, kSubtract = 0x40510133;

Program program_of(const std::vector<std::uint32_t>& words) {
  Program program;
  program.entry = 0x8000'0000;
  program.segments.resize(1);
  program.segments[0].address = 0x8000'0000;
  const auto* bytes = reinterpret_cast<const unsigned char*>(words.data());
  program.segments[0].bytes.assign(bytes, bytes + 4 * words.size());
  program.segments[0].executable = true;
  return program;
}

std::optional<StackLayout> layout_of(const std::vector<std::uint32_t>& words) {
  return stack_layout(program_of(words));
}

}  // namespace

TEST_CASE("the stacks of the published start-up code are known without notes") {
  const auto layout = layout_of({kNop, kNop, kReadHart, kBySize, kByGap, kAdd, kTop, kSubtract});
  REQUIRE(layout);
  CHECK(layout->top == 0xFF00'0000);
  CHECK(layout->stride == 8208);
  CHECK(layout->bytes == 8192);
  CHECK(layout->begin(1) == 0xFEFF'BFF0);
}

TEST_CASE("the top may be loaded first, and there may be no gap") {
  const auto layout = layout_of({kTop, kReadHart, kBySize, kSubtract});
  REQUIRE(layout);
  CHECK(layout->stride == 8192);
}

TEST_CASE("start-up code that does something else says nothing about stacks") {
  CHECK_FALSE(layout_of({}));
  CHECK_FALSE(layout_of({kReadHart, kNop}));
  CHECK_FALSE(layout_of({kReadHart, kBySize, kSubtract}));  // from another top
  CHECK_FALSE(layout_of({kTop, kReadHart, kSubtract}));  // of another size
  CHECK_FALSE(layout_of({kTop, kReadHart, kBySize, kNop}));
}

TEST_CASE("a program that makes room on a stack uses one") {
  CHECK(uses_stack(program_of({kNop, 0xFE010113})));  // addi sp, sp, -32
  CHECK_FALSE(uses_stack(program_of({kNop, 0x02010113, kSubtract})));  // addi sp, sp, 32
}

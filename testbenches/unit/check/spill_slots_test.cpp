// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/spill_slots.h"

#include <algorithm>
#include <vector>

#include "testbenches/support/catch.h"
#include "testbenches/unit/check/program.h"

using namespace spica;

namespace {

constexpr std::uint32_t kFrame = 0xFE010113;      // addi sp,sp,-32
constexpr std::uint32_t kSave4 = 0x00A12223;      // sw a0,4(sp)
constexpr std::uint32_t kSave12 = 0x00A12623;     // sw a0,12(sp)
constexpr std::uint32_t kRestore4 = 0x00412503;   // lw a0,4(sp)
constexpr std::uint32_t kRestore12 = 0x00C12503;  // lw a0,12(sp)
constexpr std::uint32_t kObject8 = 0x00810593;    // addi a1,sp,8
constexpr std::uint32_t kAddress = 0x00B105B3;    // add a1,sp,a1
constexpr std::uint32_t kFramePointer = 0x02010413;  // addi s0,sp,32
constexpr std::uint32_t kObjectByFrame = 0xFE840593;  // addi a1,s0,-24: 8(sp)
constexpr std::uint32_t kLoadA0 = 0x00052503;     // lw a0,0(a0)

bool has(const std::vector<std::uint32_t>& words, std::uint32_t at,
         std::uint64_t function_bytes = ~std::uint64_t{0}) {
  loader::Program program = testbench::program_of(0x8000'0000, words);
  program.symbols.push_back({"f", 0x8000'0000, std::min<std::uint64_t>(function_bytes, 4 * words.size()),
                             loader::Symbol::Kind::kFunction, true});
  return check::SpillSlots(program, loader::SourceMap(program)).has(0x8000'0000 + 4 * at);
}

}  // namespace

TEST_CASE("a word that a function saves and reads by the stack pointer alone is the compiler's") {
  CHECK(has({kFrame, kSave4, kRestore4}, 2));
  CHECK(has({kFrame, kRestore4, kSave4}, 1));  // in a loop: read before it is saved
  CHECK(has({kFrame, kSave4, kObject8, kRestore4}, 3));
}

TEST_CASE("words that nothing saves, and those in or above objects of the source, are not") {
  CHECK_FALSE(has({kFrame, kRestore4}, 1));
  CHECK_FALSE(has({kFrame, kSave4, kRestore12}, 2));
  CHECK_FALSE(has({kFrame, kSave12, kObject8, kRestore12}, 3));
  CHECK_FALSE(has({kFrame, kFramePointer, kSave12, kObjectByFrame, kRestore12}, 4));
  CHECK(has({kFrame, kFramePointer, kSave4, kObjectByFrame, kRestore4}, 4));
}

TEST_CASE("where an address on the stack is computed, every word may be an object's") {
  CHECK_FALSE(has({kFrame, kSave4, kAddress, kRestore4}, 3));
}

TEST_CASE("loads by other registers, and code outside functions, are the program's") {
  CHECK_FALSE(has({kFrame, kSave4, kLoadA0}, 2));
  CHECK_FALSE(has({kFrame, kSave4, kRestore4}, 2, 8));
}

// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/sync_code.h"

#include <vector>

#include "testbenches/support/catch.h"
#include "testbenches/unit/check/program.h"

using namespace spica;
using check::SyncCode;

namespace {

constexpr std::uint32_t kLoadA5 = 0x00052783;     // lw a5,0(a0)
constexpr std::uint32_t kBeqzBack1 = 0xFE078EE3;  // beqz a5,-4
constexpr std::uint32_t kBeqzBack2 = 0xFE078CE3;  // beqz a5,-8
constexpr std::uint32_t kNop = 0x00000013;
constexpr std::uint32_t kFenceWord = 0x0FF0000F;
constexpr std::uint32_t kStoreA5 = 0x00F52023;    // sw a5,0(a0)
constexpr std::uint32_t kNextA0 = 0x00450513;     // addi a0,a0,4
constexpr std::uint32_t kLiA1 = 0x00100593;       // li a1,1
constexpr std::uint32_t kBar = 0x00B5400B;        // bar a0,a1
constexpr std::uint32_t kBneA1Back = 0xFEB59EE3;  // bne a1,a1,-4

SyncCode::Use use(const std::vector<std::uint32_t>& words, std::uint32_t at) {
  return SyncCode(testbench::program_of(0x8000'0000, words)).use(0x8000'0000 + 4 * at);
}

}  // namespace

TEST_CASE("a loop that waits for a value is found") {
  CHECK(use({kLoadA5, kBeqzBack1}, 0) == SyncCode::Use::kWaitsInLoop);
  CHECK(use({kLoadA5, kNop, kBeqzBack2}, 0) == SyncCode::Use::kWaitsInLoop);
}

TEST_CASE("the first round of a waiting loop in front of it waits, too") {
  constexpr std::uint32_t kBnezOn = 0x00079863;  // bnez a5,+16
  CHECK(use({kLoadA5, kBnezOn, kNop, kLoadA5, kBeqzBack2, kNop}, 0) == SyncCode::Use::kWaitsInLoop);
  CHECK(use({kLoadA5, kNop, kNop, kLoadA5, kBeqzBack2, kNop}, 0) == SyncCode::Use::kPlain);
  CHECK(use({kLoadA5, kBnezOn, kNextA0, kLoadA5, kBeqzBack2, kNop}, 0) == SyncCode::Use::kPlain);
}

TEST_CASE("loops that store, walk or end for another reason do not wait") {
  CHECK(use({kLoadA5, kStoreA5, kBeqzBack2}, 0) == SyncCode::Use::kPlain);
  CHECK(use({kLoadA5, kNextA0, kBeqzBack2}, 0) == SyncCode::Use::kPlain);
  CHECK(use({kLoadA5, kBneA1Back}, 0) == SyncCode::Use::kPlain);
  CHECK(use({kLoadA5, kNop, kNop}, 0) == SyncCode::Use::kPlain);
}

TEST_CASE("fences make loads and stores synchronise, those of barriers do not") {
  CHECK(use({kLoadA5, kFenceWord, kNop}, 0) == SyncCode::Use::kBeforeFence);
  CHECK(use({kLoadA5, kFenceWord, kLiA1, kBar}, 0) == SyncCode::Use::kPlain);
  CHECK(use({kFenceWord, kLiA1, kStoreA5}, 2) == SyncCode::Use::kBehindFence);
  CHECK(use({kFenceWord, kStoreA5, kStoreA5}, 2) == SyncCode::Use::kPlain);
  CHECK(use({kFenceWord, kLiA1, kBar, kStoreA5}, 3) == SyncCode::Use::kPlain);
}

namespace {

// The loop that a compiler makes of a lock whose body only some lanes enter: the lw at 0, until a5 is a1.
constexpr std::uint32_t kBneA5Spin = 0x00B79863;   // bne a5,a1,+16
constexpr std::uint32_t kLwT0 = 0x00032283;        // lw t0,0(t1)
constexpr std::uint32_t kSwT0 = 0x00532023;        // sw t0,0(t1)
constexpr std::uint32_t kJumpOut = 0x0100006F;     // j +16
constexpr std::uint32_t kStoreStack = 0x00512023;  // sw t0,0(sp)
constexpr std::uint32_t kLoadStack = 0x00012283;   // lw t0,0(sp)
constexpr std::uint32_t kCount = 0x00128293;       // addi t0,t0,1
constexpr std::uint32_t kSet = 0x00100293;         // li t0,1
std::vector<std::uint32_t> lock_with_body(std::uint32_t in_spin) {
  return {kLoadA5, kBneA5Spin, kLwT0, kSwT0, kJumpOut, in_spin, 0xFE9FF06F /* j -24 */, kNop, kNop};
}

}  // namespace

TEST_CASE("a wait is found whatever the code does when it is over") {
  CHECK(use(lock_with_body(kNop), 0) == SyncCode::Use::kWaitsInLoop);
  CHECK(use(lock_with_body(kSet), 0) == SyncCode::Use::kWaitsInLoop);
  CHECK(use(lock_with_body(kStoreStack), 0) == SyncCode::Use::kWaitsInLoop);
  CHECK(use(lock_with_body(kLoadStack), 0) == SyncCode::Use::kWaitsInLoop);
}

TEST_CASE("a loop that goes on when the value is wrong does not wait") {
  CHECK(use(lock_with_body(kCount), 0) == SyncCode::Use::kPlain);   // a search, a maximum
  CHECK(use(lock_with_body(kNextA0), 0) == SyncCode::Use::kPlain);  // of another word
  CHECK(use(lock_with_body(kSwT0), 0) == SyncCode::Use::kPlain);
}

TEST_CASE("a count on the stack is a count") {
  // lw t0,0(sp); addi t0,t0,1; sw t0,0(sp) on the way round
  const std::vector<std::uint32_t> counts{
      kLoadA5, kBneA5Spin, kLwT0, kSwT0, kJumpOut, kLoadStack, kCount, kStoreStack, 0xFE1FF06F /* j -32 */,
      kNop,    kNop};
  CHECK(use(counts, 0) == SyncCode::Use::kPlain);
}

TEST_CASE("a fence counts on any way that leads to it before the next access") {
  constexpr std::uint32_t kBeqzOn = 0x00078663;  // beqz a5,+12
  CHECK(use({kLoadA5, kBeqzOn, kFenceWord, kLwT0, kNop}, 0) == SyncCode::Use::kBeforeFence);
  CHECK(use({kLoadA5, kBeqzOn, kLwT0, kFenceWord, kNop}, 0) == SyncCode::Use::kPlain);
  CHECK(use({kLoadA5, kBeqzOn, kLwT0, kNop, kFenceWord}, 0) == SyncCode::Use::kBeforeFence);
}

TEST_CASE("a flag that is counted on behind a fence is one, another word in between is not") {
  CHECK(use({kFenceWord, kLoadA5, 0x00178793 /* addi a5,a5,1 */, kStoreA5}, 3) ==
        SyncCode::Use::kBehindFence);
  CHECK(use({kFenceWord, kLwT0, kStoreA5}, 2) == SyncCode::Use::kPlain);
  CHECK(use({kFenceWord, kLoadStack, kStoreA5}, 2) == SyncCode::Use::kBehindFence);
}

TEST_CASE("code outside of the program is plain") { CHECK(use({kLoadA5}, 5) == SyncCode::Use::kPlain); }

// SPDX-License-Identifier: Apache-2.0

#include "testbenches/block/simt_core/core_bench.h"

#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::testbench;
using namespace spica::testbench::rv;

namespace {

constexpr std::uint32_t kFrom = 0x9000'0000, kTo = 0xFF00'0000;

std::uint32_t copy(unsigned log2_words, unsigned from, unsigned to) {
  return r_type(0x5B, 7, log2_words, 0, from, to);
}
std::uint32_t commit() { return r_type(0x5B, 7, 4, 0, 0, 0); }
std::uint32_t wait(unsigned groups) { return r_type(0x5B, 7, 5, 0, 0, groups); }

simt_core::Params with_copies() {
  simt_core::Params params;
  params.async_copy = true;
  return params;
}

/// x4: 0x90000000 + lane * `bytes`, x5: 0xFF000000 + the same, all lanes.
std::vector<std::uint32_t> addresses(int shift) {
  return {addi(1, 0, 0xFF), tmc(1),       csrrs(2, 0xCC0, 0), slli(3, 2, shift),
          lui(4, 0x90000),  add(4, 4, 3), lui(5, 0xFF000),    add(5, 5, 3)};
}

void append(std::vector<std::uint32_t>& program, std::initializer_list<std::uint32_t> more) {
  program.insert(program.end(), more);
}

/// A request for each word of a lane.
void check_copy(int log2_words) {
  CoreBench bench(with_copies());
  const unsigned words = 8u << log2_words;
  for (unsigned i = 0; i < words; ++i) bench.global.words[kFrom + 4 * i] = 100 + i;
  auto program = addresses(2 + log2_words);
  append(program, {copy(static_cast<unsigned>(log2_words), 4, 5), commit(), wait(0), lw(6, 5, 0), tmc(0)});
  bench.run_program(program);
  CHECK(bench.faults.faults.empty());
  for (unsigned i = 0; i < words; ++i) CHECK(bench.shared.words[kTo + 4 * i] == 100 + i);
  for (unsigned lane = 0; lane < 8; ++lane) CHECK(bench.x(6, lane) == 100 + (lane << log2_words));
  CHECK(bench.global.requests == 1u << log2_words);
  CHECK(bench.shared.requests == (1u << log2_words) + 1);
  CHECK(bench.core.stats().async_copies.value() == 1);
  CHECK(bench.core.stats().async_words.value() == words);
}

/// Two groups, the first one long there when the second one begins; then a wait for all but `left`.
void check_wait(unsigned left) {
  CoreBench bench(with_copies(), true, isa::SimtStack::make, 300);
  auto program = addresses(2);
  append(program, {csrrs(7, 0xB00, 0), copy(0, 4, 5), commit(), csrrs(8, 0xB00, 0)});
  for (int i = 0; i < 30; ++i) append(program, {csrrs(9, 0xB00, 0)});
  append(program, {copy(0, 4, 5), commit(), csrrs(9, 0xB00, 0), wait(left), csrrs(10, 0xB00, 0), tmc(0)});
  bench.run_program(program);
  CHECK(bench.faults.faults.empty());
  CHECK(bench.x(8) - bench.x(7) < 100);
  const unsigned waited = bench.x(10) - bench.x(9);
  if (left == 0) CHECK(waited > 200);
  else CHECK(waited < 100);
}

/// `from`, `to`: what is added to the addresses.
void check_refused(int from, int to, unsigned log2_words, bool present, const std::string& detail) {
  CoreBench bench(present ? with_copies() : simt_core::Params{});
  auto program = addresses(2 + static_cast<int>(log2_words));
  append(program, {addi(4, 4, from), addi(5, 5, to), copy(log2_words, 4, 5), tmc(0)});
  bench.run_program(program);
  CHECK(bench.global.requests == 0);
  REQUIRE(bench.faults.faults.size() == 1);
  CHECK(bench.faults.faults[0].detail == detail);
}

}  // namespace

TEST_CASE("a copy brings 4 bytes of each lane to shared memory") { check_copy(0); }
TEST_CASE("a copy brings 8 bytes of each lane to shared memory, in two requests") { check_copy(1); }
TEST_CASE("a copy brings 16 bytes of each lane to shared memory, in four requests") { check_copy(2); }

TEST_CASE("lanes that are switched off copy nothing, and a request without lanes is not sent") {
  CoreBench bench(with_copies());
  for (unsigned i = 0; i < 32; ++i) bench.global.words[kFrom + 4 * i] = 100 + i;
  auto program = addresses(4);
  append(program, {addi(1, 0, 0x0B), tmc(1), copy(2, 4, 5), commit(), wait(0), tmc(0)});  // lanes 0, 1, 3
  bench.run_program(program);
  CHECK(bench.global.requests == 2);  // two lanes of 16 bytes are in each
  CHECK(bench.global.lanes == 12);
  for (unsigned lane = 0; lane < 8; ++lane)
    for (unsigned word = 0; word < 4; ++word)
      CHECK(bench.shared.words.count(kTo + 16 * lane + 4 * word) == (lane == 0 || lane == 1 || lane == 3));
}

TEST_CASE("a warp goes on behind copies, and waits for the last group") { check_wait(0); }
TEST_CASE("a warp that waits for all groups but the last one does not wait for that") { check_wait(1); }
TEST_CASE("a warp that waits for all but more groups than there are does not wait") { check_wait(2); }

TEST_CASE("fences and barriers do not wait for copies, and loads overtake them") {
  CoreBench bench(with_copies(), true, isa::SimtStack::make, 300);
  auto program = addresses(2);
  append(program, {addi(11, 0, 1), csrrs(7, 0xB00, 0), copy(0, 4, 5), commit(), fence(), bar(0, 11),
                   lw(6, 5, 0), add(6, 6, 6), csrrs(8, 0xB00, 0), wait(0), csrrs(9, 0xB00, 0), tmc(0)});
  bench.run_program(program);
  CHECK(bench.faults.faults.empty());
  CHECK(bench.barrier.arrivals.size() == 1);
  CHECK(bench.x(8) - bench.x(7) < 250);
  CHECK(bench.x(9) - bench.x(7) > 300);
}

TEST_CASE("copies of many warps keep the queue full and all land") {
  CoreBench bench(with_copies(), true, isa::SimtStack::make, 60);
  for (unsigned i = 0; i < 8 * 8 * 4; ++i) bench.global.words[kFrom + 4 * i] = 7 * i;
  // Each warp copies the 128 bytes of its number twelve times, in groups of three.
  std::vector<std::uint32_t> program = {addi(1, 0, 8), i_type(0x17, 0, 2, 0, 0), addi(2, 2, 12),
                                        wspawn(1, 2)};
  program[1] = 0x00000117;  // auipc x2, 0
  append(program,
         {addi(1, 0, 0xFF), tmc(1), csrrs(2, 0xCC0, 0), csrrs(12, 0xCC1, 0), slli(3, 2, 4), slli(12, 12, 7),
          add(3, 3, 12), lui(4, 0x90000), add(4, 4, 3), lui(5, 0xFF000), add(5, 5, 3)});
  for (int i = 0; i < 12; ++i) {
    append(program, {copy(2, 4, 5)});
    if (i % 3 == 2) append(program, {commit()});
  }
  append(program, {wait(2), wait(0), lw(6, 5, 12), tmc(0)});
  bench.run_program(program);
  CHECK(bench.faults.faults.empty());
  for (unsigned warp = 0; warp < 8; ++warp)
    for (unsigned lane = 0; lane < 8; ++lane) CHECK(bench.x(6, lane, warp) == 7 * (32 * warp + 4 * lane + 3));
  CHECK(bench.global.requests == 8 * 12 * 4);
}

TEST_CASE("a copy from an address that is no multiple of its size is refused") {
  check_refused(4, 0, 1, true, "lane 0: the address must be a multiple of 8");
}
TEST_CASE("a copy to an address that is no multiple of its size is refused") {
  check_refused(0, 8, 2, true, "lane 0: the address must be a multiple of 16");
}
TEST_CASE("a copy to other memory than shared memory is refused") {
  check_refused(0, -16, 2, true, "lane 0: the 16 bytes do not lie in shared memory");
}
TEST_CASE("a core without asynchronous copies refuses them") {
  check_refused(0, 0, 0, false, "this configuration has no asynchronous copies (core.async_copy)");
}

// SPDX-License-Identifier: Apache-2.0
// Random programs of one warp with any number of lanes, for machines that are to agree about every bit.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace spica::soc::test {

/// A program that starts with lane 0 of warp 0: all lanes load random registers; units of arithmetic, memory accesses,
/// divergence, other masks, jumps and CSR accesses; all registers of all lanes to a log between them; the end.
///
/// Lanes never store different values to one place. x1..x16 and all floats are free; x17..x31 are the frame's.
class RandomWarpProgram {
 public:
  using Word = std::uint32_t;
  static constexpr Word kEntry = 0x8000'0000;
  static constexpr Word kPool = 0x8010'0000;  // first registers: rows of 32 words
  static constexpr Word kData = 0x8020'0000, kDataBytes = 0x4000;  // of loads and stores
  static constexpr Word kLog = 0x8030'0000;
  static constexpr Word kShared = 0xFF00'0000;  // loads and stores, too

  RandomWarpProgram(std::uint32_t seed, unsigned sections);

  const std::vector<Word>& code() const { return code_; }
  const std::vector<Word>& pool() const { return pool_; }
  std::uint32_t log_bytes() const { return log_bytes_; }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_()) % n; }
  Word free_register() { return 1 + below(16); }
  Word source() { return below(24); }
  Word random_operand();
  void emit(Word word) { code_.push_back(word); }
  void constant(Word rd, Word value);
  void begin();
  void arithmetic();
  void memory();
  void csr();
  void atomic();
  void jump();
  void diverge(unsigned depth);
  void other_mask();
  void straight(unsigned depth);
  void dump();

  std::mt19937 random_;
  std::vector<Word> table_, pool_, code_;
  std::uint32_t log_bytes_ = 0;
};

}  // namespace spica::soc::test

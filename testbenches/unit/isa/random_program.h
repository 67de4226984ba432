// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace spica::isa::test {

/// A random RV32IMAF program for Linux user mode that logs its registers again and again and writes
/// the log and its data to standard output.
///
/// The program is a row of units of one or a few instructions that can stand alone: arithmetic, a
/// load or store, an atomic, a branch over other units, a CSR access. Each unit that ends a section
/// is followed by instructions that log all registers. x29 points to the log, x30 is an address,
/// x31 points to the data: random instructions read them but do not write them.
class RandomProgram {
 public:
  using Word = std::uint32_t;
  static constexpr Word kBase = 0x00400000;      // of the one segment; code comes last in it
  static constexpr unsigned kPoolBytes = 1024;   // operands, read only, below x31
  static constexpr unsigned kDataBytes = 1024;   // read and written, from x31 on
  static constexpr unsigned kRecordBytes = 260;  // x0..x31, f0..f31, fcsr
  static constexpr unsigned kUnitsPerSection = 50;

  RandomProgram(std::uint32_t seed, unsigned units);

  unsigned units() const { return static_cast<unsigned>(units_.size()); }
  const std::vector<Word>& unit(unsigned index) const { return units_[index]; }
  /// Random instructions, without those that log.
  unsigned instructions() const;

  /// The segment as bytes, for the first `units` units; the log has a record for each section
  /// begun.
  std::vector<std::uint8_t> image(unsigned units) const;
  /// Address of the first instruction.
  Word entry() const { return kBase + kPoolBytes + kDataBytes + log_bytes(); }
  /// Bytes at kBase that the program writes to standard output.
  unsigned output_bytes() const { return kPoolBytes + kDataBytes + log_bytes(); }
  unsigned log_bytes() const { return (units() / kUnitsPerSection + 2) * kRecordBytes; }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_()) % n; }
  Word random_operand();
  Word random_instruction();
  Word memory_instruction();
  Word csr_instruction();
  void atomic(std::vector<Word>& out);
  void branch(std::vector<Word>& out);
  void unit_into(std::vector<Word>& out, bool may_branch);

  std::mt19937 random_;
  std::vector<Word> pool_;
  std::vector<Word> table_;  // one entry per arithmetic instruction: index into the table
  std::vector<std::vector<Word>> units_;
};

}  // namespace spica::isa::test

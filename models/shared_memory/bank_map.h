// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/shared_memory/bank_set.h"
#include "models/shared_memory/shared_memory_params.h"

namespace spica::shared_memory {

/// A set of word banks: bit bank * words + word. For more than 64, a BankSet is used.
using WordBanks = std::uint64_t;

/// The position of a byte in shared memory. A byte offset reads {bank | line | word | byte} (virgo
/// tile/RadianceSharedMem.scala), so the bytes of all banks in sequence are the bytes of shared memory in address
/// order.
template <class WordBanks>
class BasicBankMap {
 public:
  explicit BasicBankMap(const SharedMemoryParams& p)
      : word_shift_(log2(p.word_bytes)),
        words_shift_(log2(p.words)),
        bank_shift_(p.banks == 1 ? 31 : log2(p.size / p.banks)),  // a single bank may have any size
        word_mask_(static_cast<unsigned>(p.words - 1)),
        bank_words_(first_banks<WordBanks>(static_cast<unsigned>(p.words))),
        line_bytes_(static_cast<unsigned>(p.words * p.word_bytes)) {}

  unsigned bank(std::uint32_t offset) const { return offset >> bank_shift_; }
  /// Word number from the beginning of shared memory.
  std::uint32_t word_number(std::uint32_t offset) const { return offset >> word_shift_; }
  unsigned word(std::uint32_t offset) const { return (offset >> word_shift_) & word_mask_; }
  /// Line within the bank.
  unsigned line(std::uint32_t offset) const {
    return (offset & ((1u << bank_shift_) - 1)) >> (word_shift_ + words_shift_);
  }
  /// Number of the word bank: bank * words + word.
  unsigned index(std::uint32_t offset) const { return (bank(offset) << words_shift_) | word(offset); }
  unsigned bank_of_index(unsigned index) const { return index >> words_shift_; }
  /// All word banks of bank `bank`.
  WordBanks bank_words(unsigned bank) const { return bank_words_ << (bank << words_shift_); }

  unsigned line_bytes() const { return line_bytes_; }
  bool in_one_line(std::uint32_t offset, std::uint32_t bytes) const {
    return (offset & (line_bytes_ - 1)) + bytes <= line_bytes_;
  }
  /// Number of words touched by `bytes` bytes at `offset`.
  unsigned word_count(std::uint32_t offset, std::uint32_t bytes) const {
    return ((offset + bytes - 1) >> word_shift_) - (offset >> word_shift_) + 1;
  }
  /// Word banks of a range inside one line.
  WordBanks span(std::uint32_t offset, std::uint32_t bytes) const {
    return first_banks<WordBanks>(word_count(offset, bytes)) << index(offset);
  }

 private:
  static unsigned log2(std::uint64_t power) { return static_cast<unsigned>(__builtin_ctzll(power)); }

  unsigned word_shift_, words_shift_, bank_shift_, word_mask_;
  WordBanks bank_words_;
  unsigned line_bytes_;
};
using BankMap = BasicBankMap<WordBanks>;

}  // namespace spica::shared_memory

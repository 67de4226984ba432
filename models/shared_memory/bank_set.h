// SPDX-License-Identifier: Apache-2.0
// Sets of word banks, one bit each. Up to 64 of them fit into a machine word, which suffices for all published sizes;
// more are an array of words with the same operators.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace spica::shared_memory {

/// A set of up to 64 * kWords word banks.
template <std::size_t kWords>
class BankSet {
 public:
  constexpr BankSet(std::uint64_t low = 0) { words_[0] = low; }  // NOLINT: as a number converts
  /// The set of all word banks.
  static BankSet all() { return ~BankSet{}; }

  BankSet operator~() const {
    BankSet result;
    for (std::size_t i = 0; i < kWords; ++i) result.words_[i] = ~words_[i];
    return result;
  }
  BankSet& operator&=(const BankSet& other) {
    for (std::size_t i = 0; i < kWords; ++i) words_[i] &= other.words_[i];
    return *this;
  }
  BankSet& operator|=(const BankSet& other) {
    for (std::size_t i = 0; i < kWords; ++i) words_[i] |= other.words_[i];
    return *this;
  }
  BankSet operator<<(unsigned places) const {
    BankSet result;
    const std::size_t whole = places / 64;
    const unsigned part = places % 64;
    for (std::size_t i = kWords; i-- > whole;) {
      result.words_[i] = words_[i - whole] << part;
      if (part != 0 && i > whole) result.words_[i] |= words_[i - whole - 1] >> (64 - part);
    }
    return result;
  }
  friend BankSet operator&(BankSet a, const BankSet& b) { return a &= b; }
  friend BankSet operator|(BankSet a, const BankSet& b) { return a |= b; }
  friend bool operator==(const BankSet& a, const BankSet& b) { return a.words_ == b.words_; }
  friend bool operator!=(const BankSet& a, const BankSet& b) { return a.words_ != b.words_; }

  /// The lowest member; requires a non-empty set.
  unsigned lowest() const {
    std::size_t i = 0;
    while (words_[i] == 0) ++i;
    return static_cast<unsigned>(64 * i) + static_cast<unsigned>(__builtin_ctzll(words_[i]));
  }
  unsigned count() const {
    unsigned sum = 0;
    for (const std::uint64_t word : words_) sum += static_cast<unsigned>(__builtin_popcountll(word));
    return sum;
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(words_);
  }

 private:
  std::array<std::uint64_t, kWords> words_{};
};

/// Maximum number of word banks in a set.
template <class Set>
inline constexpr std::size_t kMostWordBanks = 64;
template <std::size_t kWords>
inline constexpr std::size_t kMostWordBanks<BankSet<kWords>> = 64 * kWords;

inline unsigned lowest_bank(std::uint64_t banks) { return static_cast<unsigned>(__builtin_ctzll(banks)); }
inline unsigned bank_count(std::uint64_t banks) { return static_cast<unsigned>(__builtin_popcountll(banks)); }
template <std::size_t kWords>
unsigned lowest_bank(const BankSet<kWords>& banks) {
  return banks.lowest();
}
template <std::size_t kWords>
unsigned bank_count(const BankSet<kWords>& banks) {
  return banks.count();
}

/// The first `count` word banks, at most 64.
template <class Set>
Set first_banks(unsigned count) {
  return Set{count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1};
}

}  // namespace spica::shared_memory

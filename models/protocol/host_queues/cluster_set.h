// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace spica::protocol {

/// Clusters on which kernels may run. The empty set means all clusters of the machine.
class ClusterSet {
 public:
  static constexpr unsigned kMost = 256;
  static constexpr unsigned kWordBits = 32, kWords = kMost / kWordBits;

  ClusterSet() = default;
  ClusterSet(std::initializer_list<unsigned> clusters) {
    for (const unsigned cluster : clusters) insert(cluster);
  }

  void insert(unsigned cluster) { words_[cluster / kWordBits] |= 1u << cluster % kWordBits; }
  /// Clusters from `first` to `last`, both included.
  void insert(unsigned first, unsigned last) {
    for (unsigned cluster = first; cluster <= last; ++cluster) insert(cluster);
  }
  bool contains(unsigned cluster) const {
    return (words_[cluster / kWordBits] >> cluster % kWordBits & 1) != 0;
  }
  /// True if the set names no cluster, so that kernels may run on all.
  bool all() const { return words_ == std::array<std::uint32_t, kWords>{}; }
  bool allows(unsigned cluster) const { return all() || contains(cluster); }
  /// 32 clusters, one bit each: word 0 has clusters 0 to 31.
  std::uint32_t word(unsigned number) const { return words_[number]; }
  void set_word(unsigned number, std::uint32_t bits) { words_[number] = bits; }
  /// "0-3,8"; "all" for the empty set.
  std::string text() const;

  bool operator==(const ClusterSet& other) const { return words_ == other.words_; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(words_);
  }

 private:
  std::array<std::uint32_t, kWords> words_{};
};

}  // namespace spica::protocol

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "models/base/invariant.h"

namespace spica::base {

/// A set of ports of a bus, which may have more ports than a word has bits.
class PortSet {
 public:
  static constexpr unsigned kMost = 1152;

  /// `ports`: number of ports of the bus, at most kMost.
  explicit PortSet(unsigned ports) : words_((ports + 63) / 64) { SPICA_INVARIANT(ports <= kMost); }

  void insert(unsigned port) { bits_[port / 64] |= std::uint64_t{1} << port % 64; }
  void erase(unsigned port) { bits_[port / 64] &= ~(std::uint64_t{1} << port % 64); }
  void clear() { std::fill_n(bits_.begin(), words_, std::uint64_t{0}); }
  bool empty() const {
    std::uint64_t any = 0;
    for (unsigned i = 0; i < words_; ++i) any |= bits_[i];
    return any == 0;
  }
  /// True if it has a port that is not in `others`, a set of the same size.
  bool any_without(const PortSet& others) const {
    std::uint64_t any = 0;
    for (unsigned i = 0; i < words_; ++i) any |= bits_[i] & ~others.bits_[i];
    return any != 0;
  }
  /// Number of words, 64 ports each.
  unsigned words() const { return words_; }
  std::uint64_t word(unsigned index) const { return bits_[index]; }
  /// Calls visit(port) for each member in ascending order; visit may erase that port.
  template <class Visit>
  void each(Visit&& visit) const {
    for (unsigned i = 0; i < words_; ++i)
      for (std::uint64_t left = bits_[i]; left != 0; left &= left - 1)
        visit(64 * i + static_cast<unsigned>(__builtin_ctzll(left)));
  }
  /// Removes the ports of `others`, a set of the same size.
  PortSet& remove(const PortSet& others) {
    for (unsigned i = 0; i < words_; ++i) bits_[i] &= ~others.bits_[i];
    return *this;
  }
  /// Not saved: words_.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(bits_);
  }

 private:
  unsigned words_;
  std::array<std::uint64_t, kMost / 64> bits_{};
};

}  // namespace spica::base

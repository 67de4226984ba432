// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace spica::sample {

/// A range of consecutive units, of which one is drawn.
struct Stratum {
  std::uint64_t begin = 0, end = 0;
  std::uint64_t drawn = 0;  // begin <= drawn < end

  std::uint64_t size() const { return end - begin; }
};

/// Units in order, divided into strata of consecutive ones. From each stratum one unit is drawn with equal
/// probability, the same ones for the same seed.
class Strata {
 public:
  /// Divides the units 0 to `units - 1` into `count` strata of nearly equal size; 1 <= count <= units. `last_alone`: the
  /// last unit is a stratum, the others are divided into `count - 1`; then 1 < count.
  Strata(std::uint64_t units, std::uint64_t count, std::uint64_t seed, bool last_alone = false);

  /// Halves these strata (ascending numbers). The half with the drawn unit keeps it, from the other half one is drawn.
  /// So each half has a unit with equal probability. Strata of one unit stay.
  void split(const std::vector<std::size_t>& which);

  /// In ascending order.
  const std::vector<Stratum>& all() const { return all_; }

 private:
  std::uint64_t draw(std::uint64_t begin, std::uint64_t end);

  std::mt19937_64 random_;
  std::vector<Stratum> all_;
};

}  // namespace spica::sample

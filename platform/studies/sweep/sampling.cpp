// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/sampling.h"

#include <algorithm>
#include <boost/random/sobol.hpp>

namespace spica::sweep {

namespace {

/// The finaliser of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

std::vector<std::uint64_t> of_grid(const std::vector<std::uint64_t>& extents, std::uint64_t number) {
  std::vector<std::uint64_t> choices(extents.size());
  for (std::size_t i = extents.size(); i-- > 0;) {
    choices[i] = number % extents[i];
    number /= extents[i];
  }
  return choices;
}

std::vector<std::uint64_t> of_sobol(const std::vector<std::uint64_t>& extents, std::uint64_t index) {
  if (extents.empty()) return {};
  boost::random::sobol generator(extents.size());
  generator.seed(index);
  constexpr double kSteps = 18446744073709551616.0;  // 2^64
  std::vector<std::uint64_t> choices(extents.size());
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const double share = static_cast<double>(generator()) / kSteps;
    choices[i] =
        std::min(static_cast<std::uint64_t>(share * static_cast<double>(extents[i])), extents[i] - 1);
  }
  return choices;
}

}  // namespace

std::uint64_t permuted(std::uint64_t value, std::uint64_t size, std::uint64_t key) {
  unsigned half = 1;
  while (2 * half < 64 && (std::uint64_t{1} << (2 * half)) < size) ++half;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  do {
    std::uint64_t left = value >> half, right = value & mask;
    for (std::uint64_t round = 0; round < 6; ++round) {
      const std::uint64_t next = left ^ (mixed(right + (round << 58) + mixed(key)) & mask);
      left = right;
      right = next;
    }
    value = (left << half) | right;
  } while (value >= size);
  return value;
}

std::vector<std::uint64_t> chosen(const Sampling& sampling, const std::vector<std::uint64_t>& extents,
                                  std::uint64_t count, std::uint64_t index) {
  std::uint64_t size = 1;
  for (const std::uint64_t extent : extents) size *= extent;
  switch (sampling.kind) {
    case SampleKind::kAll: return of_grid(extents, index);
    case SampleKind::kRandom: return of_grid(extents, permuted(index, size, sampling.seed));
    case SampleKind::kSobol: return of_sobol(extents, index);
    case SampleKind::kLatinHypercube: break;
  }
  std::vector<std::uint64_t> choices;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const std::uint64_t stratum = permuted(index, count, mixed(sampling.seed) + i);
    choices.push_back(static_cast<std::uint64_t>(
        (static_cast<double>(stratum) + 0.5) / static_cast<double>(count) * static_cast<double>(extents[i])));
  }
  return choices;
}

}  // namespace spica::sweep

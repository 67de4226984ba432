// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "platform/studies/sweep/sweep_file.h"

namespace spica::sweep {

/// The bijection number `key` of 0..size-1 at `value`: a Feistel network, whose result is taken again until it is in
/// range.
std::uint64_t permuted(std::uint64_t value, std::uint64_t size, std::uint64_t key);

/// The value of each axis, which has extents[axis] of them, at place `index` of `count`.
///   all     mixed radix, the last axis fastest
///   random  points of the grid in a random order, none twice; a longer sample begins with a shorter one
///   lhs     Latin hypercube: each axis is cut into `count` strata, each is hit once
///   sobol   Sobol sequence; a longer one begins with a shorter one
std::vector<std::uint64_t> chosen(const Sampling& sampling, const std::vector<std::uint64_t>& extents,
                                  std::uint64_t count, std::uint64_t index);

}  // namespace spica::sweep

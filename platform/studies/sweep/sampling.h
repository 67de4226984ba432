// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "platform/studies/sweep/sweep_file.h"

namespace spica::sweep {

/// The bijection number `key` of 0..size-1, applied to `value`: a Feistel network, applied again until the result is in
/// range.
std::uint64_t permuted(std::uint64_t value, std::uint64_t size, std::uint64_t key);

/// The value index of each axis, which has extents[axis] values, at place `index` of `count`.
///   all     mixed radix, the last axis fastest
///   random  points of the grid in random order, each at most once; a longer sample begins with the shorter one
///   lhs     Latin hypercube: each axis is divided into `count` strata, each used once
///   sobol   Sobol sequence; a longer one begins with a shorter one
std::vector<std::uint64_t> chosen(const Sampling& sampling, const std::vector<std::uint64_t>& extents,
                                  std::uint64_t count, std::uint64_t index);

}  // namespace spica::sweep

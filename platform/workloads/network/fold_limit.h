// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace spica::network {

/// More elements are not computed on the host: what a file of a few bytes can demand is bounded.
inline constexpr std::int64_t kMaxFoldedElements = std::int64_t{1} << 22;
/// A view of a weight of the file is folded up to this number of elements; larger ones stay views of the mapped file.
inline constexpr std::int64_t kMaxCopiedElements = std::int64_t{1} << 16;

}  // namespace spica::network

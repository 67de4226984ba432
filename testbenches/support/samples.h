// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spica::testbench {

#if defined(__has_feature)
inline constexpr bool kSanitized = __has_feature(address_sanitizer);
#elif defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// How many of `count` random cases are tried: all, but a tenth under sanitizers. Values are compared in other builds;
/// what sanitizers look for shows in the first cases, which take ten times as long there.
constexpr unsigned samples(unsigned count) { return kSanitized ? (count + 9) / 10 : count; }

}  // namespace spica::testbench

// SPDX-License-Identifier: Apache-2.0
// What must be true unless Spica itself is wrong. Never for what a user or a guest program can
// cause.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace spica::base {

/// An internal error: what() names the expression and the line. An exception and not an abort, so
/// that the caller can say in which block it happened, show the state of the others,
/// and keep the results so far.
class BrokenInvariant final : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn, gnu::cold, gnu::noinline]] inline void broken_invariant(const char* expression,
                                                                    std::string_view file, int line) {
  if (const std::size_t root = file.rfind("models/"); root != std::string_view::npos)
    file.remove_prefix(root);
  throw BrokenInvariant(std::string(file) + ":" + std::to_string(line) + ": `" + expression +
                        "` does not hold");
}

}  // namespace spica::base

/// Checked in every build, like assert() where NDEBUG is not set.
#define SPICA_INVARIANT(condition) \
  (static_cast<bool>(condition) ? void() : ::spica::base::broken_invariant(#condition, __FILE__, __LINE__))

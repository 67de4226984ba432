// SPDX-License-Identifier: Apache-2.0
// Conditions that hold unless Spica itself has a bug. Never for conditions that a user or a guest program can cause.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace spica::base {

/// An internal error: what() names the expression and the line. It is thrown, not an abort, so that the caller can
/// report the block, show the state of the others and keep the results so far.
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

/// Checked in every build, unlike assert().
#define SPICA_INVARIANT(condition) \
  (static_cast<bool>(condition) ? void() : ::spica::base::broken_invariant(#condition, __FILE__, __LINE__))

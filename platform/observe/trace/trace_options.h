// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spica::trace {

/// What the user asked for, as the command line gives it.
struct TraceOptions {
  std::vector<std::string> traces;   // KIND=FILE, or FILE whose ending names the kind
  std::vector<std::string> filters;  // KEY=VALUE,KEY=VALUE
  std::uint64_t limit = 200'000'000;  // bytes of each file
  bool no_cycles = false;            // the instruction log leaves out when things happened
};

}  // namespace spica::trace

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spica::trace {

/// The user's options, as on the command line.
struct TraceOptions {
  std::vector<std::string> traces;   // KIND=FILE, or FILE with the kind as its extension
  std::vector<std::string> filters;  // KEY=VALUE,KEY=VALUE
  std::uint64_t limit = 200'000'000;  // maximum bytes of each file
  bool no_cycles = false;            // omit cycles from the instruction log
};

}  // namespace spica::trace

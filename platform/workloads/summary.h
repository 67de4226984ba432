// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "platform/workloads/operands.h"

namespace spica::workloads {

/// What the summary of a matrix product, or of another computation with a matrix as its result, adds to that
/// of any run.
struct Summary {
  std::string title;  // empty: any other program
  double utilisation = 0;
  std::optional<std::uint64_t> multiply_adds;  // of the computation, when the run finished
  std::string matrix = "C";  // the result's name
  bool bitwise = true;       // the check compares bit by bit, too
  std::string padded;        // the size that the kernel worked on, when it is another
  std::string padded_with = "zeros";
  double padded_share = 0;  // of its multiply-adds, that are of what was added
  std::string timed;         // another region than from the first load to the last result in memory
  std::string lead;          // of the timed region, what comes before the first load
  std::string note;          // one more line
  bool comparable = true;    // false: of some elements the check can say nothing
  std::optional<GemmCheck> check;  // absent when the run did not finish
};

}  // namespace spica::workloads

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "platform/workloads/operands.h"

namespace spica::workloads {

/// Additions to the summary of a run for a matrix product, or another computation with a matrix as its result.
struct Summary {
  std::string title;  // empty: any other program
  double utilisation = 0;
  std::optional<std::uint64_t> multiply_adds;  // of the computation, if the run finished
  std::string matrix = "C";  // name of the result
  bool bitwise = true;  // the check also compares bit by bit
  std::string padded;  // the kernel's size, if it differs
  std::string padded_with = "zeros";
  double padded_share = 0;  // share of the multiply-adds caused by padding
  std::string timed;  // the timed region, if it is not from the first load to the last result in memory
  std::string lead;  // the part of the timed region before the first load
  std::string sums;  // how the unit adds, one line; empty: not stated
  std::string note;  // one additional line
  bool comparable = true;  // false: the check cannot decide on some elements
  std::optional<GemmCheck> check;  // empty if the run did not finish
};

}  // namespace spica::workloads

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spica::trace {

/// An instruction of a log. The texts refer to the log's text.
struct LoggedInstruction {
  std::uint64_t cycle = 0;  // kNoCycle: the log has none
  std::uint64_t line = 0;  // of the file, from 1 on
  std::uint32_t pc = 0;
  std::string_view lanes;  // hexadecimal; empty: not in the log
  std::string_view instruction;  // empty: not in the log
  std::string_view effect;  // registers written, memory
  std::string_view text;  // the whole line

  static constexpr std::uint64_t kNoCycle = ~std::uint64_t{0};
};

/// Core and warp.
using WarpName = std::pair<std::uint32_t, std::uint32_t>;

/// A log of instructions: one of Spica's (--trace FILE.log, with or without cycles), or commits written by Spike (spike
/// -l --log-commits). In a Spike log, hart n is warp 0 of core n, and a line has the pc and the written registers.
class ComparedLog {
 public:
  /// Throws UserError if the file is missing, or a line has neither form.
  explicit ComparedLog(const std::string& path);

  bool of_spike() const { return of_spike_; }
  /// The instructions of each warp, in program order. A loop that repeats the same instructions with the same results
  /// is waiting; it is kept once, regardless of its duration.
  const std::map<WarpName, std::vector<LoggedInstruction>>& warps() const { return warps_; }

 private:
  void read_line(std::string_view line, std::uint64_t number);

  std::string path_;
  std::string text_;
  bool of_spike_ = false;
  std::map<WarpName, std::vector<LoggedInstruction>> warps_;
};

/// The first difference between two logs of a warp.
struct Divergence {
  enum class Kind : std::uint8_t { kPc, kLanes, kInstruction, kEffect, kFirstEnds, kSecondEnds };
  WarpName warp;
  std::size_t first = 0, second = 0;  // indices of the instructions
  Kind kind = Kind::kPc;
};

struct CompareRules {
  bool path_only = false;  // compare pcs, lanes and instructions, but no values
};

/// The differences, one per warp, in the time order of the first log if it has cycles, else by warp. A loop that only
/// waits (no stores, no counting) may have more iterations in one log than in the other. Boot-code instructions of a
/// Spike log, before the program's first one, are ignored.
std::vector<Divergence> compare_logs(const ComparedLog& first, const ComparedLog& second,
                                     const CompareRules& rules);

}  // namespace spica::trace

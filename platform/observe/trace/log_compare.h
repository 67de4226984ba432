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

/// An instruction of a log. The texts are parts of the log's.
struct LoggedInstruction {
  std::uint64_t cycle = 0;  // kNoCycle: the log has none
  std::uint64_t line = 0;  // of the file, from 1 on
  std::uint32_t pc = 0;
  std::string_view lanes;  // hexadecimal; empty: the log does not say
  std::string_view instruction;  // empty: the log does not say
  std::string_view effect;  // registers written, memory
  std::string_view text;  // the whole line

  static constexpr std::uint64_t kNoCycle = ~std::uint64_t{0};
};

/// Core and warp.
using WarpName = std::pair<std::uint32_t, std::uint32_t>;

/// A log of instructions: one of Spica's (--trace FILE.log, with cycles or without them), or commits as Spike writes
/// them (spike -l --log-commits), in which hart n is warp 0 of core n and a line says pc and the registers that were
/// written.
class ComparedLog {
 public:
  /// Throws UserError: no file, or a line that is of neither kind.
  explicit ComparedLog(const std::string& path);

  bool of_spike() const { return of_spike_; }
  /// Instructions of each warp, in its order. A loop that does the same again and again, with the same results, waits
  /// for something: it is there once, however long it waited.
  const std::map<WarpName, std::vector<LoggedInstruction>>& warps() const { return warps_; }

 private:
  void read_line(std::string_view line, std::uint64_t number);

  std::string path_;
  std::string text_;
  bool of_spike_ = false;
  std::map<WarpName, std::vector<LoggedInstruction>> warps_;
};

/// Where two logs of a warp diverge.
struct Divergence {
  enum class Kind : std::uint8_t { kPc, kLanes, kInstruction, kEffect, kFirstEnds, kSecondEnds };
  WarpName warp;
  std::size_t first = 0, second = 0;  // indices of the instructions
  Kind kind = Kind::kPc;
};

struct CompareRules {
  bool path_only = false;  // pcs, lanes and instructions, no values
};

/// One for each warp that is not the same in both, in the order of time of the first log where it has one, else of
/// warps. Rounds of a loop that only waits (it stores nothing, and counts nothing) may be more in one log than in the
/// other. Instructions before the program's first in a log of Spike are of its boot code and left out.
std::vector<Divergence> compare_logs(const ComparedLog& first, const ComparedLog& second,
                                     const CompareRules& rules);

}  // namespace spica::trace

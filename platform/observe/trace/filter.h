// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/types.h"
#include "models/protocol/origin.h"
#include "platform/machine/loader/source_map.h"

namespace spica::trace {

/// First and last of something, both included.
struct Range {
  std::uint64_t first = 0, last = ~std::uint64_t{0};
  bool contains(std::uint64_t value) const { return value >= first && value <= last; }
};

/// Which part of a run a trace shows. A key that is not given keeps everything; values of the same key add up,
/// different keys must all agree.
class Filter {
 public:
  /// What a filter may name.
  struct Machine {
    unsigned cores = 1, warps = 1;  // warps of each core
  };

  Filter() = default;
  /// Reads "core=0,warp=0-3,function=main,pc=0x80000000-0x8000ffff,cycles=1000-5000,cycles=region". What is
  /// wrong is added to `problems`, a sentence each.
  Filter(const std::vector<std::string>& texts, const Machine& machine, const loader::Program& program,
         const loader::SourceMap& sources, std::vector<std::string>& problems);

  bool accepts_core(unsigned core) const { return accepts(cores_, core); }
  bool accepts_warp(unsigned core, unsigned warp) const {
    return accepts_core(core) && accepts(warps_, warp);
  }
  bool accepts_pc(std::uint32_t pc) const { return !by_pc_ || accepts(pcs_, pc); }
  /// An instruction of a core; what comes from anybody else is kept.
  bool accepts(const protocol::Origin& origin) const {
    if (origin.unit != protocol::Origin::Unit::kCore) return true;
    return accepts_warp(origin.core, origin.warp) && accepts_pc(origin.pc);
  }

  /// The cycle is in one of the given ranges.
  bool accepts_cycle(base::Cycle cycle) const { return range_of(cycle) != nullptr; }
  /// Where the range of a cycle begins; the cycle itself when it is in none.
  base::Cycle first_of(base::Cycle cycle) const {
    const Range* range = range_of(cycle);
    return range != nullptr ? range->first : cycle;
  }
  /// The first cycle after the range of a cycle; kNever when it is in none.
  base::Cycle behind(base::Cycle cycle) const {
    const Range* range = range_of(cycle);
    return range != nullptr && range->last != base::kNever ? range->last + 1 : base::kNever;
  }
  /// Also between the program's markers.
  bool only_region() const { return region_; }
  /// Some times are left out.
  bool by_time() const { return region_ || !cycles_.empty(); }

 private:
  static bool accepts(const std::vector<Range>& ranges, std::uint64_t value) {
    if (ranges.empty()) return true;
    for (const Range& range : ranges)
      if (range.contains(value)) return true;
    return false;
  }
  const Range* range_of(base::Cycle cycle) const {
    for (const Range& range : cycles_)
      if (range.contains(cycle)) return &range;
    return nullptr;
  }
  void read(const std::string& key, const std::string& value, const Machine& machine,
            const loader::Program& program, const loader::SourceMap& sources,
            std::vector<std::string>& problems);

  std::vector<Range> cores_, warps_, cycles_, pcs_;
  bool by_pc_ = false;  // pcs_ counts
  bool region_ = false;
};

}  // namespace spica::trace

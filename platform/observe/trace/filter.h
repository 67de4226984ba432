// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/types.h"
#include "models/protocol/payload/origin.h"
#include "platform/machine/loader/source_map.h"

namespace spica::trace {

/// First and last value of a range, both included.
struct Range {
  std::uint64_t first = 0, last = ~std::uint64_t{0};
  bool contains(std::uint64_t value) const { return value >= first && value <= last; }
};

/// Selects the part of a run that a trace shows. A key that is not given keeps everything; several values of one key
/// are combined by "or", different keys by "and".
class Filter {
 public:
  /// The limits for values in a filter.
  struct Machine {
    unsigned cores = 1, warps = 1;  // warps of each core
  };

  Filter() = default;
  /// Parses "core=0,warp=0-3,function=main,pc=0x80000000-0x8000ffff,cycles=1000-5000,cycles=region". Errors are added
  /// to `problems`, one sentence each.
  Filter(const std::vector<std::string>& texts, const Machine& machine, const loader::Program& program,
         const loader::SourceMap& sources, std::vector<std::string>& problems);

  bool accepts_core(unsigned core) const { return accepts(cores_, core); }
  bool accepts_warp(unsigned core, unsigned warp) const {
    return accepts_core(core) && accepts(warps_, warp);
  }
  bool accepts_pc(std::uint32_t pc) const { return !by_pc_ || accepts(pcs_, pc); }
  /// True for a selected instruction of a core, and for all other origins.
  bool accepts(const protocol::Origin& origin) const {
    if (origin.unit != protocol::Origin::Unit::kCore) return true;
    return accepts_warp(origin.core, origin.warp) && accepts_pc(origin.pc);
  }

  /// True if the cycle is in one of the given ranges.
  bool accepts_cycle(base::Cycle cycle) const { return range_of(cycle) != nullptr; }
  /// The first cycle of the range that contains `cycle`; the cycle itself if there is none.
  base::Cycle first_of(base::Cycle cycle) const {
    const Range* range = range_of(cycle);
    return range != nullptr ? range->first : cycle;
  }
  /// The first cycle after the range that contains `cycle`; kNever if there is none.
  base::Cycle behind(base::Cycle cycle) const {
    const Range* range = range_of(cycle);
    return range != nullptr && range->last != base::kNever ? range->last + 1 : base::kNever;
  }
  /// True if only events between the program's markers are kept, in addition to the cycle ranges.
  bool only_region() const { return region_; }
  /// True if times are filtered.
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
  bool by_pc_ = false;  // pcs_ is used
  bool region_ = false;
};

}  // namespace spica::trace

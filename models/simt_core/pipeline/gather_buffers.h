// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/base/types.h"

namespace spica::simt_core {

/// Results of a unit that wait for the write-back port of their warp: a few entries for each warp, first in, first out.
///
/// A full one holds the unit, and with it the results of all warps. The port takes a result in the cycle in which it leaves
/// its entry; the entry can be taken again in the next one.
/// Source   vortex libs/VX_gather_unit.sv (VX_stream_buffer of two entries in VX_tensor_core.sv)
class GatherBuffers {
 public:
  /// `latency`: cycles from the unit to the use of a result that meets no other, one of them in its entry.
  GatherBuffers(unsigned warps, unsigned entries, base::Cycle latency)
      : entries_(entries), latency_(latency), oldest_(warps), usable_(std::size_t{warps} * entries) {}

  /// True if there are none: a unit keeps its result until the port is free. The others require that there are.
  bool none() const { return entries_ == 0; }
  bool full(unsigned warp, base::Cycle now) const { return usable_[place(warp)] + 1 >= now + latency_; }
  /// A result enters that can be used in cycle `usable`: the later, the longer it keeps its entry.
  void enter(unsigned warp, base::Cycle usable) {
    usable_[place(warp)] = usable;
    oldest_[warp] = oldest_[warp] + 1u == entries_ ? 0 : oldest_[warp] + 1;
  }

  void reset() {
    oldest_.assign(oldest_.size(), 0);
    usable_.assign(usable_.size(), 0);
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(oldest_, usable_);
  }

 private:
  std::size_t place(unsigned warp) const { return std::size_t{warp} * entries_ + oldest_[warp]; }

  const unsigned entries_;
  const base::Cycle latency_;
  std::vector<std::uint32_t> oldest_;  // entry, by warp
  std::vector<base::Cycle> usable_;  // by warp and entry: cycle in which its last result is usable
};

}  // namespace spica::simt_core

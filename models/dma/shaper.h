// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "models/base/bounded_queue.h"
#include "models/base/types.h"
#include "models/dma/dma_params.h"
#include "models/dma/dma_stats.h"
#include "models/dma/load_engine.h"

namespace spica::dma {

/// The cost of reshaping a row of a load.
struct ShapeWork {
  ShapeWork(const DmaParams& params, const protocol::Move& move)
      : elements(move.elements_of_row()),
        cycles(elements != 0 ? (elements + params.scale_units - 1) / params.scale_units : 1),
        latency((elements != 0 ? params.scale_latency : 0) + (move.transposes() ? 1 : 0)) {}

  std::uint64_t elements;  // elements that pass through the scale units
  base::Cycle cycles;      // cycles in which no other row can enter
  base::Cycle latency;     // cycles from the last of these to the finished row
};

/// The path of load rows through transposer and scale units to shared memory: in order, one row at a time enters.
class Shaper {
 public:
  Shaper(const DmaParams& params, DmaStats& stats, LoadEngine& loads)
      : params_(params), stats_(stats), loads_(loads), due_(params.scale_latency + 2) {}

  /// True if a row entered or left.
  bool tick(base::Cycle now) {
    const bool leaves = !due_.empty() && due_.front() <= now;
    if (leaves) {
      due_.drop();
      loads_.finish_reshape();
    }
    if (!loads_.has_unshaped() || free_ > now || due_.full()) return leaves;
    const protocol::Move move = loads_.begin_reshape();
    const ShapeWork work(params_, move);
    stats_.scaled_elements += work.elements;
    if (move.transposes()) ++stats_.transposed_rows;
    free_ = now + work.cycles;
    due_.push(free_ - 1 + work.latency);
    return true;
  }
  /// The next cycle after `now` in which a row can enter or leave; kNever: none.
  base::Cycle next(base::Cycle now) const {
    base::Cycle next = base::kNever;
    if (!due_.empty() && due_.front() > now) next = due_.front();
    if (loads_.has_unshaped() && free_ > now) next = std::min(next, free_);
    return next;
  }
  void reset() {
    due_.clear();
    free_ = 0;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(due_, free_);
  }

 private:
  const DmaParams& params_;
  DmaStats& stats_;
  LoadEngine& loads_;
  base::BoundedQueue<base::Cycle> due_;
  base::Cycle free_ = 0;
};

}  // namespace spica::dma

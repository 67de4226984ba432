// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "models/base/types.h"
#include "models/protocol/host_queues/kernel_queue.h"

namespace spica::command_processor {

/// The launched kernels by id (GridLaunch::id): their times, and the data needed when they end.
class KernelRuns {
 public:
  /// Data needed at the end of a kernel.
  struct UnderWay {
    unsigned queue = 0;
    std::uint32_t signal = 0;
    std::optional<unsigned> degree;  // degree index, for a product
    template <class Archive>
    void serialize(Archive& archive) {
      archive(queue, signal, degree);
    }
  };

  /// The kernel of packet `number` is launched in cycle `now`. Returns its id.
  std::uint32_t launch(const UnderWay& kernel, std::uint32_t number, base::Cycle now) {
    const std::uint32_t degree = kernel.degree ? protocol::degree_of(*kernel.degree) : 0;
    runs_.push_back({kernel.queue, number, now, base::kNever, base::kNever, degree});
    const auto id = static_cast<std::uint32_t>(runs_.size());
    under_way_[id] = kernel;
    return id;
  }
  void begin(std::uint32_t id, base::Cycle now) { runs_[id - 1].begun = now; }
  UnderWay end(std::uint32_t id, base::Cycle now) {
    runs_[id - 1].ended = now;
    const UnderWay ended = under_way_.at(id);
    under_way_.erase(id);
    return ended;
  }
  const UnderWay& under_way(std::uint32_t id) const { return under_way_.at(id); }
  /// Kernels that have not ended.
  std::size_t running() const { return under_way_.size(); }
  /// Starts with id 1.
  const std::vector<protocol::KernelRun>& all() const { return runs_; }

  void reset() {
    runs_.clear();
    under_way_.clear();
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(runs_, under_way_);
  }

 private:
  std::vector<protocol::KernelRun> runs_;
  std::map<std::uint32_t, UnderWay> under_way_;
};

}  // namespace spica::command_processor

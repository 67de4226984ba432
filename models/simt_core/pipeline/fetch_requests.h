// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "models/protocol/payload/payload_pool.h"

namespace spica::simt_core {

/// The payloads of fetches: each warp has at most one fetch in flight.
class FetchRequests {
 public:
  explicit FetchRequests(unsigned warps) {
    for (unsigned w = 0; w < warps; ++w) all_.push_back(&pool_.take());
    reset();
  }
  void reset() {
    count_ = static_cast<unsigned>(all_.size());
    std::copy(all_.begin(), all_.end(), free_.begin());
  }
  protocol::LinePayload& take() { return *free_[--count_]; }
  void drop(protocol::LinePayload& request) { free_[count_++] = &request; }

  template <class Checkpoint>
  void add_to(Checkpoint& checkpoint) {
    pool_.add_to(checkpoint);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(pool_, count_, all_);
    for (unsigned i = 0; i < count_; ++i) archive(free_[i]);
  }

 private:
  unsigned count_ = 0;  // free ones
  std::array<protocol::LinePayload*, 32> free_{};  // the last one used comes first: it is in the host's cache
  protocol::LinePool pool_;
  std::vector<protocol::LinePayload*> all_;
};

}  // namespace spica::simt_core

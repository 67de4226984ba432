// SPDX-License-Identifier: Apache-2.0
#include "models/cache/response_path.h"

namespace spica::cache {

ResponsePath::ResponsePath(const Params& params)
    : latency_(params.hit_latency),
      slot_shift_(64 - static_cast<unsigned>(__builtin_clzll(params.hit_latency))),
      slot_mask_((1u << slot_shift_) - 1),
      capacity_{static_cast<std::uint32_t>(params.hit_latency + params.response_queue),
                static_cast<std::uint32_t>(params.hit_latency + params.ack_queue)},
      slots_(params.banks << slot_shift_) {
  late_of_.reserve(params.banks);
  for (std::uint64_t bank = 0; bank < params.banks; ++bank)
    late_of_.push_back(
        {base::BoundedQueue<Response>(capacity_[kData]), base::BoundedQueue<Response>(capacity_[kAck])});
}

void ResponsePath::clear() {
  in_flight_ = {};
  for (ByKind& late : late_of_)
    for (auto& queue : late) queue.clear();
  late_ = 0;
  due_.clear();
}

}  // namespace spica::cache

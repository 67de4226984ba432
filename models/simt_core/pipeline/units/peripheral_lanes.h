// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include "models/protocol/payload/payload_pool.h"
#include "models/simt_core/pipeline/units/memory_ports.h"

namespace spica::simt_core {

/// Sends the lanes of an access to a peripheral as separate requests, one access at a time.
class PeripheralLanes {
 public:
  /// `first_tag`: of the queue that sends the requests.
  explicit PeripheralLanes(std::uint32_t first_tag) : first_tag_(first_tag) {}

  void reset() {
    access_ = nullptr;
    to_send_ = to_answer_ = 0;
  }
  /// Starts `access`, unless it has been started.
  void begin(protocol::WarpPayload& access) {
    if (access_ != nullptr) return;
    access_ = &access;
    to_send_ = to_answer_ = access.access.mask;
  }
  void end() { access_ = nullptr; }
  bool unsent() const { return to_send_ != 0; }
  bool answered() const { return to_answer_ == 0; }
  /// The request of the next lane.
  protocol::LinePayload& next() {
    const auto lane = static_cast<unsigned>(__builtin_ctz(to_send_));
    to_send_ &= to_send_ - 1;
    const protocol::WarpAccess& access = access_->access;
    protocol::LinePayload& request = pool_.take();
    protocol::Origin origin = access_->info.origin;
    origin.lanes = 1u << lane;
    request.setup(access_->get_command(), access.address[lane], access.bytes, origin);
    request.info.tag = first_tag_ | lane;
    request.info.atomic = access_->info.atomic;
    std::memcpy(request.data.data(), &access.data[lane], sizeof access.data[lane]);
    return request;
  }
  /// One of the requests has been answered.
  void answer(protocol::Payload& payload) {
    auto& request = static_cast<protocol::LinePayload&>(payload);
    const unsigned lane = MemoryPorts::number_in_queue(request.info.tag);
    if (request.is_read()) {
      std::uint32_t value = 0;
      std::memcpy(&value, request.data.data(), request.get_data_length());
      access_->access.data[lane] = value;
    }
    to_answer_ &= ~(1u << lane);
    pool_.drop(request);
  }

  template <class Checkpoint>
  void add_to(Checkpoint& checkpoint) {
    pool_.add_to(checkpoint);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(pool_, access_, to_send_, to_answer_);
  }

 private:
  const std::uint32_t first_tag_;
  protocol::LinePool pool_;
  protocol::WarpPayload* access_ = nullptr;
  std::uint32_t to_send_ = 0, to_answer_ = 0;  // lanes
};

}  // namespace spica::simt_core

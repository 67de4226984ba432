// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/coalescer/coalescer_params.h"
#include "models/coalescer/local_memory.h"
#include "models/protocol/payload/payload_pool.h"
#include "models/protocol/payload/reservations.h"
#include "models/protocol/transport/direct_memory.h"

namespace spica::coalescer {

/// Accesses to stacks that the caches interleave (LocalMemory): they take effect at the address that programs see, and
/// continue as timing_only requests to the address that caches use.
class StackAccesses {
 public:
  /// `socket` accesses the bytes.
  StackAccesses(const Params& params, tlm::tlm_initiator_socket<>& socket) : map_(params), memory_(socket) {}

  bool on() const { return map_.on(); }
  /// Marks the lanes of a new access that are in stacks.
  void mark(protocol::WarpAccess& access) const { access.local = map_.lanes_inside(access); }
  /// Prepares the access that is sent next; `first`: it is the oldest open one. False: it must wait, because some of
  /// its lanes are not in stacks.
  bool prepare(protocol::WarpPayload& warp, bool first);
  /// Restores the access for its answer.
  static void end(protocol::WarpPayload& warp) {
    if (warp.access.local != protocol::WarpAccess::Local::kNone) warp.info.timing_only = false;
  }
  /// Stores end these reservations instead of private ones.
  void share(protocol::Reservations& reservations) { reservations_ = &reservations; }

  /// Not saved: map_, memory_, which finds its bytes again; reservations_.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(own_);
  }

 private:
  void perform(protocol::WarpPayload& warp);

  const LocalMemory map_;
  protocol::DirectMemory memory_;
  protocol::Reservations own_;
  protocol::Reservations* reservations_ = &own_;
};

}  // namespace spica::coalescer

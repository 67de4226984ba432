// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/coalescer/coalescer_params.h"
#include "models/coalescer/local_memory.h"
#include "models/protocol/direct_memory.h"
#include "models/protocol/payload_pool.h"
#include "models/protocol/reservations.h"

namespace spica::coalescer {

/// Accesses to stacks that the caches interleave (LocalMemory): they take effect at the bytes that programs see, and
/// continue for timing only to where the caches have them.
class StackAccesses {
 public:
  /// The bytes are seen through `socket`.
  StackAccesses(const Params& params, tlm::tlm_initiator_socket<>& socket) : map_(params), memory_(socket) {}

  bool on() const { return map_.on(); }
  /// Marks the lanes of a new access that are in stacks.
  void mark(protocol::WarpAccess& access) const { access.local = map_.lanes_inside(access); }
  /// The access is the next to be sent, the `first` of those that are open. False: it waits, because other lanes of it
  /// are not in stacks.
  bool prepare(protocol::WarpPayload& warp, bool first);
  /// It is answered; its initiator knows nothing of it.
  static void end(protocol::WarpPayload& warp) {
    if (warp.access.local != protocol::WarpAccess::Local::kNone) warp.info.timing_only = false;
  }
  /// Stores end these reservations, in place of its own.
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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tlm>

#include "models/protocol/atomic.h"
#include "models/protocol/origin.h"

namespace spica::protocol {

using Payload = tlm::tlm_generic_payload;

/// Travels with every request inside the platform (a sticky extension of pooled payloads).
/// A payload from outside may lack it: use info_of() (payload_pool.h), which then returns a neutral one.
struct RequestInfo final : tlm::tlm_extension<RequestInfo> {
  Origin origin;
  std::uint64_t tag = 0;          // the initiator's own; not used by others
  Atomic atomic = Atomic::kNone;  // a 4-byte read-modify-write; the old value comes back in the data
  /// The data was already moved at the point where this request took effect (the L1 for a core): what
  /// travels on is traffic for timing only. Nothing depends on a target knowing this: writes have all their bytes
  /// disabled, the data of reads is not used.
  bool timing_only = false;
  /// Which sectors of the addressed line a request is about, for caches that divide their lines
  /// (cache::Params::sectors), the lowest bit the first of the line; 0: all that its bytes touch.
  std::uint16_t sectors = 0;
  /// A burst: the data moves in beats of this many bytes, one per cycle at best, and the response comes
  /// with the last one. 0: all at once. Targets that do not know bursts need not look at it.
  std::uint16_t beat_bytes = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(origin, tag, atomic, timing_only, sectors, beat_bytes);
  }

  tlm::tlm_extension_base* clone() const override { return new RequestInfo(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const RequestInfo&>(other);
  }
};

/// What a request without RequestInfo counts as.
inline const RequestInfo kNeutralRequestInfo;

}  // namespace spica::protocol

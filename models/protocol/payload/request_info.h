// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tlm>

#include "models/protocol/payload/atomic.h"
#include "models/protocol/payload/origin.h"

namespace spica::protocol {

using Payload = tlm::tlm_generic_payload;

/// Attributes of every request inside the platform (a sticky extension of pooled payloads). A foreign payload may lack
/// it: use info_of() (payload_pool.h), which then returns neutral values.
struct RequestInfo final : tlm::tlm_extension<RequestInfo> {
  Origin origin;
  std::uint64_t tag = 0;  // for the initiator's use only
  Atomic atomic = Atomic::kNone;  // a 4-byte read-modify-write; the data returns the old value
  /// The data has already been moved where this request took effect (for a core, in the L1). The request only models
  /// traffic. Targets need not know this: writes have all bytes disabled, and the data of reads is not used.
  bool timing_only = false;
  /// The sectors of the addressed line that a request accesses, for caches with sectored lines
  /// (cache::Params::sectors); the lowest bit is the first sector. 0: all sectors that its bytes touch.
  std::uint16_t sectors = 0;
  /// Bytes of the addressed line that the cache had to fetch for this request; 0: a hit. Set by the cache.
  std::uint16_t fetched = 0;
  /// Bytes per beat of a burst: beats are sent at most one per cycle, and the response comes with the last. 0: no
  /// burst. Targets without burst support may ignore it.
  std::uint16_t beat_bytes = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(origin, tag, atomic, timing_only, sectors, fetched, beat_bytes);
  }

  tlm::tlm_extension_base* clone() const override { return new RequestInfo(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const RequestInfo&>(other);
  }
};

/// The values of a request without RequestInfo.
inline const RequestInfo kNeutralRequestInfo;

}  // namespace spica::protocol

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/base/types.h"
#include "models/cache/sectors.h"
#include "models/protocol/payload/payload_pool.h"

namespace spica::cache {

/// A request inside a cache.
struct Request {
  protocol::Payload* payload = nullptr;
  const protocol::RequestInfo* info = nullptr;  // of the payload
  base::Address line = 0;                       // address / line size
  std::uint16_t bytes = 0;  // bytes moved
  std::uint8_t port = 0;
  Sectors sectors = 1;  // sectors that it needs; 1 if lines are not sectored
  bool write = false;       // forwards data (write-through) or dirties the line (write-back)
  bool whole = false;       // a write of all bytes of its sectors
  bool plain_read = false;  // no write and no atomic
  bool moves_data = false;  // not timing_only

  template <class Archive>
  void serialize(Archive& archive) {
    archive(payload, line, bytes, port, sectors, write, whole, plain_read, moves_data);
    info = payload != nullptr ? &protocol::info_of(*payload) : nullptr;
  }

  void fill(protocol::Payload& of, unsigned at, const LineMap& map) {
    payload = &of;
    info = &protocol::info_of(of);
    const bool atomic = info->atomic != protocol::Atomic::kNone;
    const std::uint64_t address = of.get_address();
    const unsigned length = of.get_data_length();
    line = map.line(address);
    port = static_cast<std::uint8_t>(at);
    bytes = static_cast<std::uint16_t>(length);
    write = of.is_write() || (atomic && info->atomic != protocol::Atomic::kLoadReserved);
    whole = write && map.whole(address, length) && (of.get_byte_enable_ptr() == nullptr || info->timing_only);
    if (map.divided()) divide(address, length, map);
    plain_read = of.is_read() && !atomic;
    moves_data = !info->timing_only;
  }

  /// Records in the payload that these bytes had to be fetched for its answer.
  void record_fetched(std::uint32_t fetched) const {
    if (auto* const own = payload->get_extension<protocol::RequestInfo>(); own != nullptr)
      own->fetched = static_cast<std::uint16_t>(fetched);
  }

 private:
  void divide(std::uint64_t address, unsigned length, const LineMap& map) {
    sectors = map.touched(address, length);
    if ((sectors & info->sectors) == 0) return;
    sectors = static_cast<Sectors>(sectors & info->sectors);
    bytes = static_cast<std::uint16_t>(map.bytes(sectors));
  }
};

}  // namespace spica::cache

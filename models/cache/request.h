// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/base/types.h"
#include "models/protocol/payload_pool.h"

namespace spica::cache {

/// A request inside a cache.
struct Request {
  protocol::Payload* payload = nullptr;
  const protocol::RequestInfo* info = nullptr;  // of the payload
  base::Address line = 0;                       // address / line size
  std::uint16_t port = 0;
  std::uint16_t bytes = 0;
  bool write = false;       // sends data on (write-through) or dirties the line (write-back)
  bool whole_line = false;  // a write of all bytes of the line
  bool plain_read = false;  // no write and no atomic
  bool moves_data = false;  // not for timing only

  void fill(protocol::Payload& of, unsigned at, unsigned line_shift) {
    payload = &of;
    info = &protocol::info_of(of);
    const bool atomic = info->atomic != protocol::Atomic::kNone;
    line = of.get_address() >> line_shift;
    port = static_cast<std::uint16_t>(at);
    bytes = static_cast<std::uint16_t>(of.get_data_length());
    write = of.is_write() || (atomic && info->atomic != protocol::Atomic::kLoadReserved);
    whole_line = write && bytes == std::uint32_t{1} << line_shift &&
                 (of.get_byte_enable_ptr() == nullptr || info->timing_only);
    plain_read = of.is_read() && !atomic;
    moves_data = !info->timing_only;
  }
};

}  // namespace spica::cache

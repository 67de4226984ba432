// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/protocol/payload/payload_pool.h"

namespace spica::protocol {

/// Marks a debug access as one that was made before the simulation of time began. It moves no data; caches and
/// memories on its way take the tags and open rows that it left.
struct PastAccess final : tlm::tlm_extension<PastAccess> {
  tlm::tlm_extension_base* clone() const override { return new PastAccess(*this); }
  void copy_from(const tlm::tlm_extension_base&) override {}
};

/// The payload of such an access.
class PastPayload final {
 public:
  PastPayload(tlm::tlm_command command, std::uint64_t address, unsigned bytes) {
    line_.set_extension(&mark_);
    line_.setup(command, address, bytes, {});
    line_.disable_bytes();
    line_.info.timing_only = true;
  }
  ~PastPayload() { line_.clear_extension(&mark_); }
  PastPayload(const PastPayload&) = delete;
  PastPayload& operator=(const PastPayload&) = delete;

  Payload& payload() { return line_; }

 private:
  PastAccess mark_;
  LinePayload line_{nullptr};
};

}  // namespace spica::protocol

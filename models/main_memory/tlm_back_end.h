// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/main_memory/back_end.h"
#include "models/protocol/payload/payload_pool.h"
#include "models/protocol/transport/sockets.h"

namespace spica::main_memory {

/// The timing of a TLM-2.0 module that models a memory without its bytes.
///
/// Each access becomes a payload with the offset in the memory as address, sent to `device` by nb_transport. The
/// response of the device is the response of the access, in the cycle that begins then or next. The device receives
/// zeros to write, and its read data is ignored.
///
/// Accepts  while fewer than `requests` accesses are in flight and the device has ended the last request
class TlmBackEnd : public BackEnd, private protocol::ResponseHandler {
 public:
  TlmBackEnd(const BackEndContext& context, std::uint64_t requests);

  /// Bind this to the device. A child of the memory.
  protocol::InitiatorSocket device{"device"};

  bool offer(const Access& access, base::Cycle now) override;
  void tick(base::Cycle) override {}
  base::Cycle next(base::Cycle) const override { return base::kNever; }
  void reset(base::Cycle now) override;
  bool idle() const override { return under_way_ == 0; }
  void dump(std::ostream& out, const char* name) const override;

 protected:
  /// Maps an offset in the memory to an address of the device.
  virtual std::uint64_t address_of(std::uint64_t offset) const { return offset; }

 private:
  struct Request final : protocol::PooledPayload {
    using PooledPayload::PooledPayload;
    protocol::Payload* whose = nullptr;
    std::vector<unsigned char> data;
  };

  void on_response(unsigned port, protocol::Payload& payload) override;
  void on_ready(unsigned port) override;

  BackEndUser& user_;
  const std::uint64_t most_;
  protocol::PayloadPool<Request> pool_;
  std::uint64_t under_way_ = 0;
  base::Cycle earliest_ = 0;  // for a response inside offer(); otherwise 0
};

}  // namespace spica::main_memory

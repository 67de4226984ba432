// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

#include "models/protocol/transport/ports.h"

namespace spica {

/// The socket of a request whose answer is not sent.
struct UncalledSocket final : protocol::TargetPort {
  tlm::tlm_sync_enum backward(protocol::Payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  protocol::InitiatorPort* initiator() override { return nullptr; }
  const sc_core::sc_object& socket() const override { throw std::logic_error("no socket"); }
};

}  // namespace spica

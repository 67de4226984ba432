// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <systemc>

#include "models/base/component.h"
#include "models/protocol/transport/sockets.h"

namespace spica::adapters {

/// Takes the place of a coalescer or a shared memory behind a core: turns its loads and stores into base-protocol
/// requests, one per active lane, for a user-supplied memory.
///
/// Accepts  one warp access at a time
/// Timing   one lane per cycle, in ascending order, from the cycle after the access on; the response comes in the cycle
///          of the last lane
/// Errors   an error of a lane is the response of the whole access; atomics: TLM_COMMAND_ERROR_RESPONSE, because the
///          base protocol has none
class WarpToBase final : public base::Component,
                         private protocol::RequestHandler,
                         private protocol::ResponseHandler {
 public:
  WarpToBase(const sc_core::sc_module_name& name, const base::ClockDomain& clock);

  protocol::WarpTargetSocket in{"in"};
  protocol::InitiatorSocket out{"out"};

  void tick() override;
  void reset() override;
  bool idle() const override { return access_ == nullptr; }
  base::StatGroup& stats() override { return stats_; }
  void dump_state(std::ostream& out) const override;

 private:
  bool on_request(unsigned port, protocol::Payload& payload) override;
  unsigned on_debug(unsigned port, protocol::Payload& payload) override;
  void on_response(unsigned port, protocol::Payload& payload) override;
  void on_ready(unsigned) override { wake_now(); }
  void send(unsigned lane);
  void finish(tlm::tlm_response_status status);

  protocol::WarpPayload* access_ = nullptr;  // the access in progress
  std::uint32_t to_send_ = 0;  // lanes not sent yet
  std::uint32_t answered_ = 0;
  tlm::tlm_response_status status_ = tlm::TLM_OK_RESPONSE;
  protocol::LinePool pool_;
  base::StatGroup stats_;
};

}  // namespace spica::adapters

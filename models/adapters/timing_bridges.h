// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/peq_with_get.h>

#include "models/adapters/between.h"

namespace spica::adapters {

/// For targets that support b_transport only: answers nb_transport with it, one request after the other.
///
/// Timing   END_REQ when the request is forwarded, BEGIN_RESP after the delay that b_transport returns
class ToLooselyTimed final : public Between<> {
 public:
  explicit ToLooselyTimed(const sc_core::sc_module_name& name);

 private:
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(Payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  void serve();

  tlm_utils::peq_with_get<Payload> requests_{"requests"};
  sc_core::sc_event response_ended_;
};

/// For targets that support nb_transport only: turns b_transport into requests; concurrent callers wait for their turn.
///
/// Timing   b_transport returns when the response begins, with no delay left
class ToApproximatelyTimed final : public Between<>, private tlm::tlm_mm_interface {
 public:
  using Between<>::Between;

 private:
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(Payload& payload, sc_core::sc_time& delay) override;
  void free(Payload*) override {}  // payloads belong to the callers of b_transport

  sc_core::sc_mutex turn_;  // one request at a time
  Payload* under_way_ = nullptr;  // the request of a b_transport call
  sc_core::sc_event answered_;
};

}  // namespace spica::adapters

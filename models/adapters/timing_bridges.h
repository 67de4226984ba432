// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/peq_with_get.h>

#include <systemc>
#include <tlm>

namespace spica::adapters {

/// For targets that know b_transport only: answers nb_transport with it, one request after the other.
///
/// Timing   END_REQ when the request is handed on, BEGIN_RESP when the delay that b_transport returns is over
class ToLooselyTimed final : public sc_core::sc_module,
                             private tlm::tlm_fw_transport_if<>,
                             private tlm::tlm_bw_transport_if<> {
 public:
  explicit ToLooselyTimed(const sc_core::sc_module_name& name);

  tlm::tlm_target_socket<> in{"in"};
  tlm::tlm_initiator_socket<> out{"out"};

 private:
  using Payload = tlm::tlm_generic_payload;
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(Payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  void b_transport(Payload& payload, sc_core::sc_time& delay) override { out->b_transport(payload, delay); }
  unsigned transport_dbg(Payload& payload) override { return out->transport_dbg(payload); }
  bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override {
    return out->get_direct_mem_ptr(payload, dmi);
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override {
    in->invalidate_direct_mem_ptr(start, end);
  }
  void serve();

  tlm_utils::peq_with_get<Payload> requests_{"requests"};
  sc_core::sc_event response_ended_;
};

/// For targets that know nb_transport only: makes requests of it from b_transport, whose callers wait for their turn.
///
/// Timing   b_transport returns when the response begins, with no delay left
class ToApproximatelyTimed final : public sc_core::sc_module,
                                   private tlm::tlm_fw_transport_if<>,
                                   private tlm::tlm_bw_transport_if<>,
                                   private tlm::tlm_mm_interface {
 public:
  explicit ToApproximatelyTimed(const sc_core::sc_module_name& name);

  tlm::tlm_target_socket<> in{"in"};
  tlm::tlm_initiator_socket<> out{"out"};

 private:
  using Payload = tlm::tlm_generic_payload;
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    return out->nb_transport_fw(payload, phase, delay);
  }
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(Payload& payload, sc_core::sc_time& delay) override;
  unsigned transport_dbg(Payload& payload) override { return out->transport_dbg(payload); }
  bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override {
    return out->get_direct_mem_ptr(payload, dmi);
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override {
    in->invalidate_direct_mem_ptr(start, end);
  }
  void free(Payload*) override {}  // they belong to the callers of b_transport

  sc_core::sc_mutex turn_;  // one request at a time
  Payload* under_way_ = nullptr;  // from a call of b_transport
  sc_core::sc_event answered_;
};

}  // namespace spica::adapters

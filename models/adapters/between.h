// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <tlm>

namespace spica::adapters {

/// A module between two sockets that forwards every call in the same phase and time. Derived modules observe or change
/// the calls. Any TLM-2.0 bus width and protocol.
template <unsigned From = 32, class Types = tlm::tlm_base_protocol_types, unsigned To = From>
class Between : public sc_core::sc_module,
                protected tlm::tlm_fw_transport_if<Types>,
                protected tlm::tlm_bw_transport_if<Types> {
 public:
  using Payload = typename Types::tlm_payload_type;
  using Phase = typename Types::tlm_phase_type;

  explicit Between(const sc_core::sc_module_name& name) : sc_module(name) {
    in.bind(*this);
    out.bind(*this);
  }

  tlm::tlm_target_socket<From, Types> in{"in"};
  tlm::tlm_initiator_socket<To, Types> out{"out"};

 protected:
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, Phase& phase, sc_core::sc_time& delay) override {
    return out->nb_transport_fw(payload, phase, delay);
  }
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, Phase& phase, sc_core::sc_time& delay) override {
    return in->nb_transport_bw(payload, phase, delay);
  }
  void b_transport(Payload& payload, sc_core::sc_time& delay) override { out->b_transport(payload, delay); }
  unsigned transport_dbg(Payload& payload) override { return out->transport_dbg(payload); }
  bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override {
    return out->get_direct_mem_ptr(payload, dmi);
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override {
    in->invalidate_direct_mem_ptr(start, end);
  }
};

}  // namespace spica::adapters

// SPDX-License-Identifier: Apache-2.0
// The sockets of the blocks: ports.h with a protocol type. Sockets that may be bound to foreign modules (memory,
// registers, host) are InitiatorSocket and TargetSocket: TLM-2.0 base protocol, 32 bit, with ignorable extensions only.
// Protocols between our own blocks have their own types, so a wrong binding does not compile.
#pragma once

#include <tlm>

#include "models/protocol/payload/payload_pool.h"
#include "models/protocol/transport/ports.h"

namespace spica::protocol {

/// A load, store or atomic of one warp instruction: each payload is a WarpPayload.
struct WarpProtocol : tlm::tlm_base_protocol_types {};
/// Moves of a DMA: each payload is a DmaCommandPayload with TLM_IGNORE_COMMAND; the response means that everything has
/// been moved.
struct MoveProtocol : tlm::tlm_base_protocol_types {};
/// Accumulator rows of a matrix unit, at row * accumulator_row_bytes; each payload carries the DmaCommand it belongs
/// to.
struct AccumulatorProtocol : tlm::tlm_base_protocol_types {};

template <class Types>
class InitiatorSocketOf final : public tlm::tlm_initiator_socket<32, Types>,
                                public tlm::tlm_bw_transport_if<Types>,
                                public InitiatorPort {
 public:
  explicit InitiatorSocketOf(const char* name);

 private:
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    return backward(payload, phase, delay);
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  tlm::tlm_sync_enum forward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
    return bound_->nb_transport_fw(payload, phase, delay);
  }
  void forward_blocking(Payload& payload, sc_core::sc_time& delay) override {
    bound_->b_transport(payload, delay);
  }
  TargetPort* target() override;
  const sc_core::sc_object& socket() const override { return *this; }

  tlm::tlm_fw_transport_if<Types>* bound_ = nullptr;  // cached, because the look-up costs more than the call
};

template <class Types>
class TargetSocketOf final : public tlm::tlm_target_socket<32, Types>,
                             public tlm::tlm_fw_transport_if<Types>,
                             public TargetPort {
 public:
  explicit TargetSocketOf(const char* name);

 private:
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override {
    return TargetPort::forward(payload, phase, delay);
  }
  void b_transport(Payload& payload, sc_core::sc_time& delay) override { blocking(payload, delay); }
  unsigned transport_dbg(Payload& payload) override { return handler().on_debug(port(), payload); }
  bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override {
    return handler().on_direct_memory(port(), payload, dmi);
  }
  tlm::tlm_sync_enum backward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
    return bound_->nb_transport_bw(payload, phase, delay);
  }
  InitiatorPort* initiator() override;
  const sc_core::sc_object& socket() const override { return *this; }

  tlm::tlm_bw_transport_if<Types>* bound_ = nullptr;
};

template <class Types>
InitiatorSocketOf<Types>::InitiatorSocketOf(const char* name) : tlm::tlm_initiator_socket<32, Types>(name) {
  this->m_export.bind(*this);
}

template <class Types>
TargetPort* InitiatorSocketOf<Types>::target() {
  bound_ = this->get_base_port()[0];
  return dynamic_cast<TargetSocketOf<Types>*>(bound_);
}

template <class Types>
TargetSocketOf<Types>::TargetSocketOf(const char* name) : tlm::tlm_target_socket<32, Types>(name) {
  this->bind(static_cast<tlm::tlm_fw_transport_if<Types>&>(*this));
}

template <class Types>
InitiatorPort* TargetSocketOf<Types>::initiator() {
  bound_ = this->get_base_port()[0];
  return dynamic_cast<InitiatorSocketOf<Types>*>(bound_);
}

using InitiatorSocket = InitiatorSocketOf<tlm::tlm_base_protocol_types>;
using TargetSocket = TargetSocketOf<tlm::tlm_base_protocol_types>;
using WarpInitiatorSocket = InitiatorSocketOf<WarpProtocol>;
using WarpTargetSocket = TargetSocketOf<WarpProtocol>;
using MoveInitiatorSocket = InitiatorSocketOf<MoveProtocol>;
using MoveTargetSocket = TargetSocketOf<MoveProtocol>;
using AccumulatorInitiatorSocket = InitiatorSocketOf<AccumulatorProtocol>;
using AccumulatorTargetSocket = TargetSocketOf<AccumulatorProtocol>;

extern template class InitiatorSocketOf<tlm::tlm_base_protocol_types>;
extern template class TargetSocketOf<tlm::tlm_base_protocol_types>;
extern template class InitiatorSocketOf<WarpProtocol>;
extern template class TargetSocketOf<WarpProtocol>;
extern template class InitiatorSocketOf<MoveProtocol>;
extern template class TargetSocketOf<MoveProtocol>;
extern template class InitiatorSocketOf<AccumulatorProtocol>;
extern template class TargetSocketOf<AccumulatorProtocol>;

}  // namespace spica::protocol

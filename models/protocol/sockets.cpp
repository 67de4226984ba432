// SPDX-License-Identifier: Apache-2.0
#include "models/protocol/sockets.h"

#include "models/base/invariant.h"

namespace spica::protocol {

InitiatorSocket::InitiatorSocket(const char* name) : tlm::tlm_initiator_socket<>(name) {
  m_export.bind(*this);
}

void InitiatorSocket::send_by_transport(Payload& payload) {
  if (target_ == nullptr) {
    target_ = get_base_port()[0];
    peer_ = dynamic_cast<TargetSocket*>(target_);
  }
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;  // zero
  switch (target_->nb_transport_fw(payload, phase, delay)) {
    case tlm::TLM_UPDATED:
      held_ = false;
      if (phase == tlm::BEGIN_RESP) {
        tlm::tlm_phase end = tlm::END_RESP;
        handler_->on_response(port_, payload);
        target_->nb_transport_fw(payload, end, delay);
      }
      break;
    case tlm::TLM_COMPLETED:
      held_ = false;
      handler_->on_response(port_, payload);
      break;
    case tlm::TLM_ACCEPTED: break;
  }
}

tlm::tlm_sync_enum InitiatorSocket::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                                    sc_core::sc_time&) {
  if (phase == tlm::BEGIN_RESP) {
    // BEGIN_RESP without END_REQ implies END_REQ; these sockets always send END_REQ first.
    handler_->on_response(port_, payload);
    phase = tlm::END_RESP;
    return tlm::TLM_COMPLETED;
  }
  if (phase == tlm::END_REQ) accepted();
  return tlm::TLM_ACCEPTED;
}

TargetSocket::TargetSocket(const char* name) : tlm::tlm_target_socket<>(name) {
  bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
}

tlm::tlm_sync_enum TargetSocket::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;  // END_RESP of a foreign initiator
  if (!take(payload)) return tlm::TLM_ACCEPTED;
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

tlm::tlm_bw_transport_if<>& TargetSocket::initiator() {
  if (initiator_ == nullptr) {
    initiator_ = get_base_port()[0];
    peer_ = dynamic_cast<InitiatorSocket*>(initiator_);
  }
  return *initiator_;
}

void TargetSocket::accept_by_transport() {
  Payload& payload = *held_;
  held_ = nullptr;
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay;  // zero
  initiator().nb_transport_bw(payload, phase, delay);
}

void TargetSocket::respond_by_transport(Payload& payload) {
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay;  // zero
  initiator().nb_transport_bw(payload, phase, delay);
}

void TargetSocket::b_transport(Payload& payload, sc_core::sc_time& delay) {
  handler_->on_blocking(port_, payload, delay);
}

void RequestHandler::on_blocking(unsigned port, Payload& payload, sc_core::sc_time&) {
  const unsigned moved = on_debug(port, payload);
  payload.set_response_status(moved == payload.get_data_length() ? tlm::TLM_OK_RESPONSE
                                                                 : tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

}  // namespace spica::protocol

// SPDX-License-Identifier: Apache-2.0
#include "models/adapters/timing_bridges.h"

namespace spica::adapters {

ToLooselyTimed::ToLooselyTimed(const sc_core::sc_module_name& name) : Between(name) {
  SC_HAS_PROCESS(ToLooselyTimed);
  SC_THREAD(serve);
}

tlm::tlm_sync_enum ToLooselyTimed::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                                   sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_REQ) {
    payload.acquire();
    requests_.notify(payload, delay);
    return tlm::TLM_ACCEPTED;
  }
  if (phase != tlm::END_RESP) return tlm::TLM_ACCEPTED;
  response_ended_.notify(delay);
  return tlm::TLM_COMPLETED;
}

void ToLooselyTimed::serve() {
  for (;;) {
    Payload* const payload = requests_.get_next_transaction();
    if (payload == nullptr) {
      wait(requests_.get_event());
      continue;
    }
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay;
    in->nb_transport_bw(*payload, phase, delay);
    delay = sc_core::SC_ZERO_TIME;
    out->b_transport(*payload, delay);
    wait(delay);
    phase = tlm::BEGIN_RESP;
    delay = sc_core::SC_ZERO_TIME;
    const tlm::tlm_sync_enum result = in->nb_transport_bw(*payload, phase, delay);
    if (result == tlm::TLM_ACCEPTED) wait(response_ended_);
    else if (delay != sc_core::SC_ZERO_TIME) wait(delay);
    payload->release();
  }
}

tlm::tlm_sync_enum ToApproximatelyTimed::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                                         sc_core::sc_time& delay) {
  if (&payload != under_way_) return Between::nb_transport_bw(payload, phase, delay);
  if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
  answered_.notify(delay);
  return tlm::TLM_COMPLETED;
}

void ToApproximatelyTimed::b_transport(Payload& payload, sc_core::sc_time& delay) {
  wait(delay);
  delay = sc_core::SC_ZERO_TIME;
  turn_.lock();
  const bool managed = payload.has_mm();
  if (!managed) payload.set_mm(this);
  payload.acquire();
  under_way_ = &payload;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  const tlm::tlm_sync_enum result = out->nb_transport_fw(payload, phase, delay);
  if (result == tlm::TLM_COMPLETED) {
    wait(delay);
  } else if (result == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP) {
    wait(delay);
    phase = tlm::END_RESP;
    delay = sc_core::SC_ZERO_TIME;
    out->nb_transport_fw(payload, phase, delay);
  } else {
    wait(answered_);
  }
  delay = sc_core::SC_ZERO_TIME;
  under_way_ = nullptr;
  payload.release();
  if (!managed) payload.set_mm(nullptr);
  turn_.unlock();
}

}  // namespace spica::adapters

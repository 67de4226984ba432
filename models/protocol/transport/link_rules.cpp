// SPDX-License-Identifier: Apache-2.0
#include "models/protocol/transport/link_rules.h"

#include <sstream>

namespace spica::protocol {

namespace {

sc_core::sc_time time_of(const sc_core::sc_time& delay) { return sc_core::sc_time_stamp() + delay; }

}  // namespace

void LinkRules::broken(const Payload& payload, const std::string& what) const {
  std::ostringstream text;
  text << what << " (request to 0x" << std::hex << payload.get_address() << std::dec << ", "
       << payload.get_data_length() << " bytes, at " << sc_core::sc_time_stamp() << ")";
  report_(text.str());
}

void LinkRules::check_request(const Payload& payload, bool needs_manager) {
  if (payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE)
    broken(payload, "a request begins with a response status other than TLM_INCOMPLETE_RESPONSE");
  if (payload.is_dmi_allowed()) broken(payload, "a request begins with the DMI hint set");
  if (payload.get_command() != tlm::TLM_IGNORE_COMMAND) {
    if (payload.get_data_ptr() == nullptr) broken(payload, "a request has no data pointer");
    if (payload.get_data_length() == 0) broken(payload, "a request has no data length");
    if (payload.get_streaming_width() == 0) broken(payload, "a request has streaming width 0");
  }
  if (payload.get_byte_enable_ptr() != nullptr && payload.get_byte_enable_length() == 0)
    broken(payload, "a request has byte enables of length 0");
  if (needs_manager && !payload.has_mm())
    broken(payload, "a request through nb_transport has no memory manager");
}

void LinkRules::check_response(const Payload& payload) {
  if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE)
    broken(payload, "a response comes with TLM_INCOMPLETE_RESPONSE");
}

void LinkRules::begin_request(const Payload& payload, const sc_core::sc_time& time) {
  forgotten_.erase(&payload);
  if (transactions_.count(&payload) != 0) return broken(payload, "BEGIN_REQ for a payload that is under way");
  if (requesting_ != nullptr) broken(payload, "BEGIN_REQ before the request before it has ended");
  check_request(payload, true);
  requesting_ = &payload;
  transactions_[&payload] = {State::kRequest,           time,
                             payload.get_command(),     payload.get_data_ptr(),
                             payload.get_data_length(), payload.get_byte_enable_ptr()};
}

void LinkRules::reset() {
  for (const auto& [payload, transaction] : transactions_) forgotten_.insert(payload);
  transactions_.clear();
  requesting_ = responding_ = nullptr;
}

LinkRules::Transaction* LinkRules::find(const Payload& payload, const char* phase) {
  const auto found = transactions_.find(&payload);
  if (found != transactions_.end()) return &found->second;
  if (forgotten_.count(&payload) != 0) return nullptr;
  broken(payload, std::string(phase) + " for a payload that is not under way");
  return nullptr;
}

void LinkRules::pass(Transaction& transaction, const sc_core::sc_time& time, const char* phase) {
  if (time < transaction.last)
    report_(std::string(phase) + " at " + time.to_string() + " is earlier than the phase before it, at " +
            transaction.last.to_string());
  transaction.last = time;
}

void LinkRules::end_request(const Payload& payload, const sc_core::sc_time& time) {
  Transaction* transaction = find(payload, "END_REQ");
  if (transaction == nullptr) return;
  if (transaction->state != State::kRequest) return broken(payload, "END_REQ, and the request had ended");
  pass(*transaction, time, "END_REQ");
  transaction->state = State::kRequested;
  if (requesting_ == &payload) requesting_ = nullptr;
}

void LinkRules::begin_response(const Payload& payload, const sc_core::sc_time& time) {
  Transaction* transaction = find(payload, "BEGIN_RESP");
  if (transaction == nullptr) return;
  if (transaction->state == State::kResponse) return broken(payload, "BEGIN_RESP twice");
  if (responding_ != nullptr) broken(payload, "BEGIN_RESP before the response before it has ended");
  pass(*transaction, time, "BEGIN_RESP");
  if (requesting_ == &payload) requesting_ = nullptr;  // implied
  transaction->state = State::kResponse;
  responding_ = &payload;
  check_response(payload);
  if (payload.get_command() != transaction->command || payload.get_data_ptr() != transaction->data ||
      payload.get_data_length() != transaction->bytes ||
      payload.get_byte_enable_ptr() != transaction->enables)
    broken(payload, "command, data pointer, length or byte enables have changed since the request");
}

void LinkRules::end_response(const Payload& payload, const sc_core::sc_time& time) {
  Transaction* transaction = find(payload, "END_RESP");
  if (transaction == nullptr) return;
  if (transaction->state != State::kResponse) broken(payload, "END_RESP before BEGIN_RESP");
  pass(*transaction, time, "END_RESP");
  if (responding_ == &payload) responding_ = nullptr;
  if (requesting_ == &payload) requesting_ = nullptr;
  transactions_.erase(&payload);
}

void LinkRules::forward(const Payload& payload, const tlm::tlm_phase& phase, const sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_REQ) begin_request(payload, time_of(delay));
  else if (phase == tlm::END_RESP) end_response(payload, time_of(delay));
  else if (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP)
    broken(payload, std::string(phase.get_name()) + " on the forward path");
}

void LinkRules::forward_returns(const Payload& payload, tlm::tlm_sync_enum result,
                                const tlm::tlm_phase& phase, const sc_core::sc_time& delay) {
  if (result == tlm::TLM_ACCEPTED || transactions_.count(&payload) == 0) return;
  const sc_core::sc_time time = time_of(delay);
  if (result == tlm::TLM_COMPLETED) {
    begin_response(payload, time);
    return end_response(payload, time);
  }
  if (phase == tlm::END_REQ) return end_request(payload, time);
  if (phase == tlm::BEGIN_RESP) return begin_response(payload, time);
  if (phase == tlm::BEGIN_REQ || phase == tlm::END_RESP)
    broken(payload, std::string("the forward path returns TLM_UPDATED with ") + phase.get_name());
}

void LinkRules::backward(const Payload& payload, const tlm::tlm_phase& phase, const sc_core::sc_time& delay) {
  if (phase == tlm::END_REQ) end_request(payload, time_of(delay));
  else if (phase == tlm::BEGIN_RESP) begin_response(payload, time_of(delay));
  else if (phase == tlm::BEGIN_REQ || phase == tlm::END_RESP)
    broken(payload, std::string(phase.get_name()) + " on the backward path");
}

void LinkRules::backward_returns(const Payload& payload, tlm::tlm_sync_enum result,
                                 const tlm::tlm_phase& phase, const sc_core::sc_time& delay) {
  if (result == tlm::TLM_ACCEPTED || transactions_.count(&payload) == 0) return;
  if (result == tlm::TLM_COMPLETED || phase == tlm::END_RESP) return end_response(payload, time_of(delay));
  broken(payload, std::string("the backward path returns TLM_UPDATED with ") + phase.get_name());
}

void LinkRules::blocking(const Payload& payload) { check_request(payload, false); }
void LinkRules::blocking_returns(const Payload& payload) { check_response(payload); }

}  // namespace spica::protocol

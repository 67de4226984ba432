// SPDX-License-Identifier: Apache-2.0
#include "models/adapters/warp_to_base.h"

#include <cstring>
#include <ostream>

namespace spica::adapters {

using protocol::Payload;

WarpToBase::WarpToBase(const sc_core::sc_module_name& name, const base::ClockDomain& clock)
    : Component(name, clock) {
  in.attach(*this);
  out.attach(*this);
}

bool WarpToBase::on_request(unsigned, Payload& payload) {
  if (access_ != nullptr) return false;
  access_ = static_cast<protocol::WarpPayload*>(&payload);
  to_send_ = access_->access.mask;
  answered_ = 0;
  status_ = access_->info.atomic == protocol::Atomic::kNone ? tlm::TLM_OK_RESPONSE
                                                            : tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (status_ != tlm::TLM_OK_RESPONSE) to_send_ = 0;
  wake_next();
  return true;
}

void WarpToBase::tick() {
  if (access_ == nullptr) return;
  if (to_send_ == 0) {
    if (answered_ == access_->access.mask || status_ == tlm::TLM_COMMAND_ERROR_RESPONSE) finish(status_);
    return;
  }
  if (!out.ready()) return;  // until on_ready()
  send(static_cast<unsigned>(__builtin_ctz(to_send_)));
  if (to_send_ != 0 && out.ready()) wake_next();
}

void WarpToBase::send(unsigned lane) {
  to_send_ &= to_send_ - 1;
  const protocol::WarpAccess& access = access_->access;
  protocol::LinePayload& request = pool_.take();
  request.setup(access_->get_command(), access.address[lane], access.bytes, access_->info.origin);
  request.info.origin.lanes = 1u << lane;
  request.info.tag = lane;
  std::memcpy(request.data.data(), &access.data[lane], access.bytes);
  out.send(request);
}

void WarpToBase::on_response(unsigned, Payload& payload) {
  auto& answer = static_cast<protocol::LinePayload&>(payload);
  const auto lane = static_cast<unsigned>(answer.info.tag);
  answered_ |= 1u << lane;
  if (answer.is_response_error()) status_ = answer.get_response_status();
  if (answer.is_read()) {
    access_->access.data[lane] = 0;
    std::memcpy(&access_->access.data[lane], answer.data.data(), access_->access.bytes);
  }
  pool_.drop(answer);
  if (to_send_ == 0 && answered_ == access_->access.mask) wake_now();
}

void WarpToBase::finish(tlm::tlm_response_status status) {
  protocol::WarpPayload& done = *access_;
  done.set_response_status(status);
  access_ = nullptr;
  if (Payload* const held = in.held(); held != nullptr && on_request(0, *held)) in.take_held();
  in.respond(done);
}

unsigned WarpToBase::on_debug(unsigned, Payload& payload) { return out->transport_dbg(payload); }

void WarpToBase::reset() {
  pool_.drop_all();
  access_ = nullptr;
  to_send_ = 0;
  in.reset();
  out.reset();
}

void WarpToBase::dump_state(std::ostream& os) const {
  if (access_ != nullptr)
    os << name() << ": lanes to send 0x" << std::hex << to_send_ << ", answered 0x" << answered_ << std::dec
       << '\n';
}

}  // namespace spica::adapters

// SPDX-License-Identifier: Apache-2.0
#include "models/main_memory/tlm_back_end.h"

#include <ostream>

namespace spica::main_memory {

TlmBackEnd::TlmBackEnd(const BackEndContext& context, std::uint64_t requests)
    : user_(context.user), most_(requests) {
  device.attach(*this);
}

bool TlmBackEnd::offer(const Access& access, base::Cycle now) {
  if (under_way_ == most_ || !device.ready()) return false;
  Request& request = pool_.take();
  request.reset();  // of the extensions that the device has left
  request.whose = access.payload;
  request.data.assign(access.bytes, 0);
  request.set_command(access.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  request.set_address(address_of(access.offset));
  request.set_data_ptr(request.data.data());
  request.set_data_length(access.bytes);
  request.set_streaming_width(access.bytes);
  request.set_byte_enable_ptr(nullptr);
  request.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  ++under_way_;
  earliest_ = now + 1;
  device.send(request);
  earliest_ = 0;
  return true;
}

void TlmBackEnd::on_response(unsigned, protocol::Payload& payload) {
  auto& request = static_cast<Request&>(payload);
  protocol::Payload& whose = *request.whose;
  if (payload.is_response_error())
    SC_REPORT_ERROR("/spica/main_memory",
                    (std::string(device.name()) + ": " + payload.get_response_string()).c_str());
  --under_way_;
  pool_.drop(request);
  user_.done(whose, earliest_);
  user_.wake(earliest_);  // there is room
}

void TlmBackEnd::on_ready(unsigned) { user_.wake(0); }

void TlmBackEnd::reset(base::Cycle) {
  device.reset();
  pool_.drop_all();
  under_way_ = 0;
}

void TlmBackEnd::dump(std::ostream& out, const char* name) const {
  if (under_way_ != 0) out << name << ": " << under_way_ << " requests in " << device.name() << '\n';
}

}  // namespace spica::main_memory

// SPDX-License-Identifier: Apache-2.0
#include "models/host_port/host_port.h"

#include <algorithm>
#include <cstring>

namespace spica::host_port {

using protocol::LinePayload;
using protocol::Payload;
using Kind = HostMap::Kind;

namespace {

const protocol::Origin kHost{protocol::Origin::Unit::kHost, 0, 0, 0, 1, 0};

bool enabled(const Payload& payload, unsigned byte) {
  const unsigned char* enables = payload.get_byte_enable_ptr();
  return enables == nullptr || enables[byte % payload.get_byte_enable_length()] != TLM_BYTE_DISABLED;
}

}  // namespace

HostPort::HostPort(const sc_core::sc_module_name& name, const HostPortParams& params,
                   const base::ClockDomain& clock, const protocol::AddressMap& guest, Behind behind)
    : Component(name, clock),
      smem("smem", params.clusters),
      mmio("mmio", params.clusters),
      params_(params),
      map_(params, guest),
      behind_(behind),
      registers_(params),
      queue_(params.queue_depth) {
  in.attach(*this);
  gmem.attach(*this);
  for (auto& socket : smem) socket.attach(*this);
  for (auto& socket : mmio) socket.attach(*this);
  fault_in.bind(*this);
  SC_HAS_PROCESS(HostPort);
  SC_METHOD(put_line);
  sensitive << level_changes_;
  dont_initialize();
  SC_METHOD(read_reset_line);
  sensitive << reset_line;
}

// -- requests of the host

bool HostPort::on_request(unsigned, Payload& payload) {
  if (queue_.full()) return false;
  queue_.push({&payload, now() + params_.latency});
  wake_at(now() + params_.latency);
  return true;
}

void HostPort::tick() {
  if (served_.request == nullptr && !queue_.empty() && queue_.front().ready <= now()) {
    begin(*queue_.pop().payload);
    if (Payload* const held = in.held(); held != nullptr) {
      queue_.push({held, now() + params_.latency});
      in.take_held();
    }
  }
  if (served_.request != nullptr) send_parts();
  if (served_.request == nullptr && !queue_.empty()) wake_at(std::max(queue_.front().ready, now() + 1));
  check_machine();
  drive();
}

void HostPort::begin(Payload& payload) {
  served_.request = &payload;
  served_.sent = 0;
  served_.status = tlm::TLM_OK_RESPONSE;
  served_.place = map_.find(payload.get_address());
  if (payload.is_read()) ++stats_.reads;
  if (payload.is_write()) ++stats_.writes;
  const bool inside = served_.place.kind != Kind::kNone &&
                      served_.place.holds(payload.get_address(), payload.get_data_length());
  if (in_reset_) finish(tlm::TLM_GENERIC_ERROR_RESPONSE);
  else if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) finish(tlm::TLM_COMMAND_ERROR_RESPONSE);
  else if (!inside) finish(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  else if (served_.place.kind == Kind::kRegisters) finish(access_register(payload, served_.place.address));
}

void HostPort::finish(tlm::tlm_response_status status) {
  Payload& payload = *served_.request;
  served_.request = nullptr;
  payload.set_response_status(status);
  if (status != tlm::TLM_OK_RESPONSE) ++stats_.errors;
  else (payload.is_read() ? stats_.bytes_read : stats_.bytes_written) += payload.get_data_length();
  payload.set_dmi_allowed(status == tlm::TLM_OK_RESPONSE && served_.place.kind == Kind::kGlobal);
  in.respond(payload);
}

protocol::InitiatorSocket& HostPort::socket_of(const HostMap::Place& place) {
  if (place.kind == Kind::kGlobal) return gmem;
  return place.kind == Kind::kShared ? smem[place.cluster] : mmio[place.cluster];
}

/// Bytes of the next part, from `address` on.
unsigned HostPort::part_at(std::uint64_t address, unsigned left) const {
  if (served_.place.kind == Kind::kPeripheral) {  // registers have their size
    unsigned bytes = 4;
    while (address % bytes != 0 || bytes > left) bytes /= 2;
    return bytes;
  }
  const std::uint64_t most = served_.place.kind == Kind::kShared
                                 ? std::min(params_.max_request, params_.shared_line)
                                 : params_.max_request;
  return static_cast<unsigned>(std::min<std::uint64_t>(left, most - address % most));
}

/// One part per cycle; without time, all of them.
void HostPort::send_parts() {
  protocol::InitiatorSocket& socket = socket_of(served_.place);
  const std::uint64_t most = served_.place.kind == Kind::kPeripheral ? 1 : params_.outstanding;
  const unsigned length = served_.request->get_data_length();
  while (served_.sent < length && served_.status == tlm::TLM_OK_RESPONSE && served_.outstanding < most &&
         socket.ready()) {
    send(socket, part_at(served_.place.address + served_.sent, length - served_.sent));
    if (behind_ == Behind::kUntimed) continue;
    if (served_.sent < length) wake_next();
    break;
  }
  if (served_.outstanding == 0 && (served_.sent == length || served_.status != tlm::TLM_OK_RESPONSE))
    finish(served_.status);
}

void HostPort::send(protocol::InitiatorSocket& socket, unsigned bytes) {
  LinePayload& part = pool_.take();
  part.setup(served_.request->get_command(), served_.place.address + served_.sent, bytes, kHost);
  part.info.tag = served_.sent;
  if (served_.request->is_write())
    std::memcpy(part.data.data(), served_.request->get_data_ptr() + served_.sent, bytes);
  if (served_.request->get_byte_enable_ptr() != nullptr) {
    part.use_byte_enables();
    for (unsigned i = 0; i < bytes; ++i)
      part.enables[i] = enabled(*served_.request, served_.sent + i) ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
  }
  served_.sent += bytes;
  ++served_.outstanding;
  if (behind_ == Behind::kTimed) return socket.send(part);
  sc_core::sc_time none;
  socket->b_transport(part, none);
  on_response(0, part);
}

void HostPort::on_response(unsigned, Payload& payload) {
  auto& part = static_cast<LinePayload&>(payload);
  const auto begin = static_cast<unsigned>(part.info.tag);
  if (part.is_response_error()) served_.status = part.get_response_status();
  else if (part.is_read())
    for (unsigned i = 0; i < part.get_data_length(); ++i)
      if (enabled(*served_.request, begin + i)) served_.request->get_data_ptr()[begin + i] = part.data[i];
  pool_.drop(part);
  --served_.outstanding;
  wake_now();
}

// -- registers

tlm::tlm_response_status HostPort::access_register(Payload& payload, std::uint64_t offset) {
  if (payload.get_data_length() != 4 || offset % 4 != 0) return tlm::TLM_BURST_ERROR_RESPONSE;
  for (unsigned i = 0; i < 4; ++i)
    if (!enabled(payload, i)) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (payload.is_read())
    return read_registers(payload, offset) != 0 ? tlm::TLM_OK_RESPONSE : tlm::TLM_COMMAND_ERROR_RESPONSE;
  std::uint32_t value = 0;
  std::memcpy(&value, payload.get_data_ptr(), sizeof value);
  return write_register(offset, value);
}

tlm::tlm_response_status HostPort::write_register(std::uint64_t offset, std::uint32_t value) {
  switch (registers_.write(offset, value)) {
    case Registers::Action::kRefused: return tlm::TLM_COMMAND_ERROR_RESPONSE;
    case Registers::Action::kNone: break;
    case Registers::Action::kReset:
      reset_machine();
      registers_.machine_reset();
      break;
    case Registers::Action::kLaunch:
      ++stats_.launches;
      registers_.launched(now());
      machine->launch(registers_.entry());
      next_check_ = now() + 1;
      break;
  }
  return tlm::TLM_OK_RESPONSE;
}

/// One register, without side effects. Returns the bytes moved.
unsigned HostPort::read_registers(Payload& payload, std::uint64_t offset) const {
  if (payload.get_data_length() != 4) return 0;
  const std::optional<std::uint32_t> value = registers_.read(offset, now());
  if (!value) return 0;
  std::memcpy(payload.get_data_ptr(), &*value, sizeof *value);
  return sizeof *value;
}

}  // namespace spica::host_port

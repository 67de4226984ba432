// SPDX-License-Identifier: Apache-2.0
#include "models/console/console.h"

#include <algorithm>
#include <ostream>

#include "models/base/checkpoint.h"
#include "models/protocol/payload/payload_pool.h"

namespace spica::console {

Console::Console(const sc_core::sc_module_name& name, const ConsoleParams& params,
                 const base::ClockDomain& clock)
    : Component(name, clock),
      params_(params),
      ram_(params.size),
      queue_(params.queue_depth),
      stores_(stats_.counter("stores", base::Unit::kCount, "store requests served")),
      loads_(stats_.counter("loads", base::Unit::kCount, "load requests served")),
      characters_(stats_.counter("characters", base::Unit::kBytes, "bytes stored")) {
  in.attach(*this);
}

bool Console::on_request(unsigned, protocol::Payload& payload) {
  if (queue_.full()) return false;
  queue_.push({&payload, now() + 1});
  wake_next();
  return true;
}

void Console::tick() {
  responses_.take_due(now(), [&](protocol::Payload* payload) { in.respond(*payload); });
  if (!queue_.empty() && queue_.front().ready <= now()) {
    protocol::Payload& payload = *queue_.pop().payload;
    serve(payload);
    responses_.schedule(now(), now() + params_.latency - 1, &payload);
  }
  if (protocol::Payload* held = in.held(); held != nullptr && !queue_.full()) {
    queue_.push({held, now() + 1});
    in.take_held();
  }
  if (!queue_.empty()) wake_next();
  wake_at(responses_.next(now()));
}

void Console::architecture(base::Checkpoint& checkpoint) { checkpoint.bytes(ram_.data(), ram_.size()); }

bool Console::timing(base::Checkpoint& checkpoint) {
  checkpoint(in, queue_, responses_, stats_);
  return true;
}

void Console::serve(protocol::Payload& payload) {
  const protocol::RequestInfo& info = protocol::info_of(payload);
  if (info.atomic != protocol::Atomic::kNone) {
    payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return;
  }
  if (!move(payload)) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (payload.is_read()) {
    ++loads_;
    return;
  }
  ++stores_;
  const unsigned lane = info.origin.lanes == 0 ? 0 : static_cast<unsigned>(__builtin_ctz(info.origin.lanes));
  const auto* characters = reinterpret_cast<const char*>(payload.get_data_ptr());
  const unsigned char* enables = payload.get_byte_enable_ptr();
  const unsigned length = payload.get_data_length();
  // One call per run of enabled bytes.
  for (unsigned start = 0, end = 0; start < length; start = end + 1) {
    const auto enabled = [&](unsigned i) {
      return enables == nullptr || enables[i % payload.get_byte_enable_length()] != 0;
    };
    end = start;
    while (end < length && enabled(end)) ++end;
    if (end == start) continue;
    characters_ += end - start;
    console->put(info.origin, lane, characters + start, end - start);
  }
}

bool Console::move(protocol::Payload& payload) {
  const std::uint64_t offset = payload.get_address() - params_.base;
  const unsigned length = payload.get_data_length();
  if (offset >= params_.size || length > params_.size - offset) return false;
  unsigned char* data = payload.get_data_ptr();
  const unsigned char* enables = payload.get_byte_enable_ptr();
  for (unsigned i = 0; i < length; ++i) {
    if (enables != nullptr && enables[i % payload.get_byte_enable_length()] == 0) continue;
    if (payload.is_read()) data[i] = ram_[offset + i];
    if (payload.is_write()) ram_[offset + i] = data[i];
  }
  return true;
}

unsigned Console::on_debug(unsigned, protocol::Payload& payload) {
  return move(payload) ? payload.get_data_length() : 0;
}

void Console::reset() {
  std::fill(ram_.begin(), ram_.end(), static_cast<unsigned char>(0));
  queue_.clear();
  responses_.clear();
  in.reset();
}

void Console::dump_state(std::ostream& out) const {
  out << name() << ": " << queue_.size() << " queued, " << responses_.size() << " to answer"
      << (in.held() != nullptr ? ", one more held at the socket" : "") << '\n';
}

}  // namespace spica::console

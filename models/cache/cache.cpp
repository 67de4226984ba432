// SPDX-License-Identifier: Apache-2.0
#include "models/cache/cache.h"

#include <algorithm>
#include <ostream>

namespace spica::cache {

using base::Cycle;
using protocol::Payload;

Cache::BankPort::BankPort(const Params& params)
    : bank(params),
      free_ids(~std::uint64_t{0} >> (64 - params.memory_ids)),
      at_memory(params.memory_ids),
      held(params.ports) {}

Cache::Cache(const sc_core::sc_module_name& name, const Params& params, const base::ClockDomain& clock)
    : Component(name, clock),
      in("in", params.ports),
      params_(params),
      line_shift_(static_cast<unsigned>(__builtin_ctzll(params.line_bytes))),
      bank_mask_(static_cast<unsigned>(params.banks - 1)),
      data_(out),
      memory_due_(params.banks, base::kNever),
      memory_arbiter_(static_cast<unsigned>(params.banks)),
      activity_(stats_.activity),
      read_only_(params.write_policy == WritePolicy::kReadOnly),
      counters_{&nothing_,          &stats_.read_hits,    &stats_.read_misses,    &stats_.read_merged,
                &stats_.write_hits, &stats_.write_misses, &stats_.write_merged,   &stats_.replays,
                &stats_.fills,      &stats_.blocked_mshr, &stats_.blocked_memory, &stats_.blocked_response,
                &stats_.hazards} {
  banks_.reserve(params.banks);
  for (std::uint64_t i = 0; i < params.banks; ++i) banks_.emplace_back(params);
  for (unsigned port = 0; port < in.size(); ++port) {
    in[port].attach(*this, port);
    ports_.push_back(&in[port]);
  }
  out.attach(*this);
  // With more ports or writes, who comes first would have to be known in advance.
  if (params.write_policy == WritePolicy::kReadOnly && params.ports == 1 && params.sub_banks == 1)
    in[0].offer_words();
}

bool Cache::on_request(unsigned port, Payload& payload) {
  const unsigned number = bank_of(payload.get_address());
  BankPort& place = banks_[number];
  if (place.bank.full()) {
    place.held.push(static_cast<std::uint16_t>(port));
    return false;
  }
  // Behind another request it has to wait for that one anyway.
  if (place.bank.queued() == 0) {
    active_ |= std::uint64_t{1} << number;
    freed_ |= std::uint64_t{1} << number;
    wake_next();
  }
  accept(place.bank, port, payload);
  return true;
}

bool Cache::read_word(unsigned, std::uint64_t address, std::uint32_t& word, Cycle& cycles) {
  Bank& bank = banks_[bank_of(address)].bank;
  if (!bank.take_early(address >> line_shift_, now())) return false;
  ++stats_.read_hits;
  stats_.bytes_read += sizeof word;
  if (!data_.read_word(address, word)) word = 0;
  ++early_hits_;
  early_last_ = now() + 1;
  cycles = 1 + params_.hit_latency;
  return true;
}

/// Charges the cycles of early hits that are over.
void Cache::charge_early() {
  const Cycle pending = early_hits_ != 0 && early_last_ >= now() ? 1 : 0;
  stats_.activity.spend(Stats::kServing, early_hits_ - pending);
  early_hits_ = pending;
}

void Cache::settle_stats() {
  charge_early();
  Component::settle_stats();
}

void Cache::accept(Bank& bank, unsigned port, Payload& payload) {
  Request request;
  request.payload = &payload;
  request.info = &protocol::info_of(payload);
  request.line = payload.get_address() >> line_shift_;
  request.port = port;
  request.bytes = static_cast<std::uint16_t>(payload.get_data_length());
  request.write = payload.is_write() || (request.info->atomic != protocol::Atomic::kNone &&
                                         request.info->atomic != protocol::Atomic::kLoadReserved);
  request.whole_line =
      request.write && request.bytes == params_.line_bytes && payload.get_byte_enable_ptr() == nullptr;
  bank.accept(request);
}

void Cache::tick() {
  const Cycle now = this->now();
  ports_used_ = 0;
  if (early_hits_ != 0) charge_early();
  if (to_memory_ != 0 && out.ready()) send_to_memory();
  bool served = false;
  std::uint64_t due = freed_ | calendar_.take(now);
  freed_ = 0;
  for (; due != 0; due &= due - 1)
    if (visit(static_cast<unsigned>(__builtin_ctzll(due)))) served = true;
  Cycle next = calendar_.next(now);
  if (to_memory_ != 0 && out.ready()) next = std::min(next, next_to_memory());
  if (next != base::kNever) wake_at(std::max(next, now + 1));

  // What follows until the next tick: blocked requests, outstanding misses, or nothing.
  const unsigned rest = blocked_ != 0 ? Stats::kBlocked : active_ != 0 ? Stats::kWaiting : Stats::kIdle;
  if (served) activity_.charge(Stats::kServing, now);
  activity_.charge(rest, served ? now + 1 : now);
}

/// What a bank does in this cycle; true when it served a request or filled a line.
bool Cache::visit(unsigned number) {
  const Cycle now = this->now();
  BankPort& place = banks_[number];
  Bank& bank = place.bank;
  if (bank.responses().due() <= now) respond(bank.responses(), bank);
  if (bank.acks().due() <= now) respond(bank.acks(), bank);
  bool served = false;
  if (bank.step_due() <= now) served = serve(place);
  if (bank.fill_due(now) && fill(bank)) served = true;

  const std::uint64_t bit = std::uint64_t{1} << number;
  blocked_ = (blocked_ & ~bit) | std::uint64_t{bank.blocked()} << number;
  if ((to_memory_ & bit) == 0 && !bank.memory().empty()) plan_memory(number);
  // What waits for a free socket, for memory or for an MSHR is woken by the callback that
  // announces it.
  const Cycle next = bank.next_due(now);
  if (next != base::kNever) calendar_.add(now, next, number);
  else if (bank.idle()) active_ &= ~bit;
  return served;
}

/// Sends the first response, which is due, when its port is still free in this cycle.
void Cache::respond(ResponseQueue& queue, Bank& bank) {
  const std::uint32_t port = queue.front().port;
  if ((ports_used_ >> port & 1) != 0) return;
  ports_used_ |= std::uint64_t{1} << port;
  Payload& payload = *queue.pop().payload;
  bank.retry();
  ports_[port]->respond(payload);
}

void Cache::send_to_memory() {
  std::uint64_t requests = 0;
  for (std::uint64_t left = to_memory_; left != 0; left &= left - 1) {
    const unsigned number = static_cast<unsigned>(__builtin_ctzll(left));
    requests |= std::uint64_t{memory_due_[number] <= now()} << number;
  }
  if (requests == 0) return;

  const unsigned number = memory_arbiter_.pick(requests);
  BankPort& place = banks_[number];
  const MemoryRequest request = place.bank.memory().pop();
  place.bank.retry();
  freed_ |= std::uint64_t{1} << number;
  const unsigned id = static_cast<unsigned>(__builtin_ctzll(place.free_ids));
  place.free_ids &= place.free_ids - 1;
  plan_memory(number);
  protocol::LinePayload& payload = pool_.take();
  payload.setup(request.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, request.address,
                request.bytes, request.origin);
  payload.info.timing_only = true;
  payload.info.tag = std::uint64_t{request.mshr} << 32 | number << 8 | id;
  place.at_memory[id] = &payload;
  if (request.write) ++stats_.memory_writes;
  else ++stats_.memory_reads;
  out.send(payload);
}

/// Notes when a bank may send its next request to memory.
void Cache::plan_memory(unsigned number) {
  const BankPort& place = banks_[number];
  const bool can = place.free_ids != 0 && !place.bank.memory().empty();
  memory_due_[number] = can ? place.bank.memory().front().due : base::kNever;
  to_memory_ = (to_memory_ & ~(std::uint64_t{1} << number)) | std::uint64_t{can} << number;
}

Cycle Cache::next_to_memory() const {
  Cycle next = base::kNever;
  for (std::uint64_t left = to_memory_; left != 0; left &= left - 1)
    next = std::min(next, memory_due_[static_cast<unsigned>(__builtin_ctzll(left))]);
  return next;
}

/// One cycle of a bank's pipeline; true when it did something.
inline bool Cache::serve(BankPort& place) {
  const Request* request = place.bank.step(now());
  const Outcome outcome = place.bank.outcome();
  ++*counters_[static_cast<std::size_t>(outcome)];
  if (request == nullptr) {
    if (place.bank.wrote_back()) ++stats_.write_backs;
    return outcome == Outcome::kReplay || outcome == Outcome::kFill;
  }
  if (request->write) {
    stats_.bytes_written += request->bytes;
    if (place.bank.wrote_back()) ++stats_.write_backs;
  } else {
    stats_.bytes_read += request->bytes;
  }
  if (request->info->atomic != protocol::Atomic::kNone) ++stats_.atomics;
  if (request->write && read_only_) request->payload->set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
  else data_.perform(*request->payload, *request->info);
  if (!place.held.empty()) take_held(place);
  return true;
}

/// A fill in parallel with the request of the cycle.
bool Cache::fill(Bank& bank) {
  if (!bank.step_fill(now())) return false;
  ++stats_.fills;
  if (bank.wrote_back()) ++stats_.write_backs;
  return true;
}

void Cache::take_held(BankPort& place) {
  while (!place.held.empty() && !place.bank.full()) {
    const unsigned port = place.held.pop();
    accept(place.bank, port, *ports_[port]->held());
    ports_[port]->take_held();
  }
}

void Cache::on_response(unsigned, Payload& payload) {
  auto& line = static_cast<protocol::LinePayload&>(payload);
  const std::uint64_t tag = line.info.tag;
  const unsigned id = tag & 0xFF, number = tag >> 8 & 0xFF, mshr = static_cast<unsigned>(tag >> 32);
  BankPort& place = banks_[number];
  const bool starved = place.free_ids == 0;
  place.free_ids |= std::uint64_t{1} << id;
  pool_.drop(line);
  if (mshr != MshrFile::kNone) {
    place.bank.fill(mshr);
    freed_ |= std::uint64_t{1} << number;
    wake_now();
  }
  if (starved && !place.bank.memory().empty()) {
    plan_memory(number);
    wake_now();
  }
}

unsigned Cache::on_debug(unsigned, Payload& payload) { return out->transport_dbg(payload); }

bool Cache::on_direct_memory(unsigned, Payload& payload, tlm::tlm_dmi& dmi) {
  return out->get_direct_mem_ptr(payload, dmi);
}

void Cache::reset() {
  for (BankPort& place : banks_) {
    place.bank.clear();
    place.held.clear();
    for (std::size_t id = 0; id < params_.memory_ids; ++id)
      if ((place.free_ids >> id & 1) == 0) pool_.drop(*place.at_memory[id]);
    place.free_ids = ~std::uint64_t{0} >> (64 - params_.memory_ids);
  }
  for (auto& socket : in) socket.reset();
  out.reset();
  data_.clear();
  memory_arbiter_.reset();
  active_ = blocked_ = freed_ = to_memory_ = 0;
  std::fill(memory_due_.begin(), memory_due_.end(), base::kNever);
  calendar_.clear();
  charge_early();
  early_hits_ = 0;
  stats_.activity.charge(Stats::kIdle, now());
}

bool Cache::idle() const {
  for (const BankPort& place : banks_)
    if (!place.bank.idle() || place.free_ids != ~std::uint64_t{0} >> (64 - params_.memory_ids)) return false;
  return true;
}

void Cache::dump_state(std::ostream& os) const {
  for (std::size_t i = 0; i < banks_.size(); ++i) {
    const BankPort& place = banks_[i];
    if (place.bank.idle()) continue;
    os << name() << " bank " << i << ": " << place.bank.queued() << " queued, " << place.held.size()
       << " held at the ports, " << place.bank.mshrs().lines() << " lines outstanding for "
       << place.bank.mshrs().waiting() << " requests, " << place.bank.replaying() << " to replay, "
       << __builtin_popcountll(place.free_ids) << " free memory ids\n";
  }
  if (!out.ready()) os << name() << ": memory side holds a request\n";
}

}  // namespace spica::cache

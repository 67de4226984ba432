// SPDX-License-Identifier: Apache-2.0
#include "models/cache/cache.h"

#include <algorithm>

#include "models/base/hot_inline.h"

namespace spica::cache {

using base::Cycle;
using protocol::Payload;

Cache::Cache(const sc_core::sc_module_name& name, const Params& params, const base::ClockDomain& clock)
    : Component(name, clock),
      in("in", params.ports),
      params_(params),
      map_(params.line_bytes, params.sectors),
      bank_mask_(static_cast<unsigned>(params.banks - 1)),
      data_(out),
      activity_(stats_.activity),
      read_only_(params.write_policy == WritePolicy::kReadOnly),
      counters_{&nothing_,          &stats_.read_hits,    &stats_.read_misses,    &stats_.read_merged,
                &stats_.write_hits, &stats_.write_misses, &stats_.write_merged,   &stats_.replays,
                &stats_.fills,      &stats_.blocked_mshr, &stats_.blocked_memory, &stats_.blocked_response,
                &stats_.hazards} {
  banks_.reserve(params.banks);
  for (unsigned i = 0; i < params.banks; ++i) {
    banks_.emplace_back(params, i, responses_);
    memory_.add(banks_[i].bank.memory());
  }
  for (unsigned port = 0; port < in.size(); ++port) {
    in[port].attach(*this, port);
    ports_.push_back(&in[port]);
  }
  out.attach(*this);
  // With several ports, or with writes, arbitration would have to be known in advance.
  if (params.write_policy == WritePolicy::kReadOnly && params.ports == 1 && params.sub_banks == 1 &&
      params.sectors == 1 && prefetching_ == nullptr)
    in[0].offer_words();
}

bool Cache::on_request(unsigned port, Payload& payload) {
  const unsigned number = bank_of(payload.get_address());
  BankPort& place = banks_[number];
  if (place.bank.full()) {
    place.held.push(static_cast<std::uint16_t>(port));
    return false;
  }
  // Behind another request it must wait for that one anyway.
  if (place.bank.queued() == 0) {
    freed_ |= std::uint32_t{1} << number;
    wake_next();
  }
  accept(place.bank, port, payload);
  return true;
}

bool Cache::read_word(unsigned, std::uint64_t address, std::uint32_t& word, Cycle& cycles) {
  Bank& bank = banks_[bank_of(address)].bank;
  if (!bank.take_early(map_.line(address), now())) return false;
  ++stats_.read_hits;
  stats_.bytes_read += sizeof word;
  if (!data_.read_word(address, word)) word = 0;
  early_hits_.spend(now() + 1);
  cycles = 1 + params_.hit_latency;
  return true;
}

void Cache::settle_stats() {
  early_hits_.settle(activity_, Stats::kServing, now());
  Component::settle_stats();
}

inline void Cache::accept(Bank& bank, unsigned port, Payload& payload) {
  ++inside_;
  bank.append().fill(payload, port, map_);
}

void Cache::tick() {
  const Cycle now = this->now();
  if (early_hits_.pending()) early_hits_.settle(activity_, Stats::kServing, now);
  if (memory_.waits() && memory_.next() <= now) retry(memory_.send(now));
  deliver();
  bool served = false;
  std::uint32_t due = freed_ | calendar_.take(now);
  freed_ = 0;
  for (; due != 0; due &= due - 1) {
    const auto number = static_cast<unsigned>(__builtin_ctz(due));
    if (serve_hit(number) || visit(number)) served = true;
  }
  charge(served);
  Cycle next = std::min(calendar_.next(now + 1), responses_.next(now));
  if (memory_.waits()) next = std::min(next, std::max(memory_.next(), now + 1));
  if (next != base::kNever) wake_at(next);
}

/// A request or a response of the bank has left: blocked items continue in this tick.
inline void Cache::retry(unsigned number) {
  Bank& bank = banks_[number].bank;
  if (!bank.stuck()) return;
  bank.retry();
  freed_ |= std::uint32_t{1} << number;
}

SPICA_HOT_INLINE void Cache::deliver() {  // of every tick
  responses_.deliver(now(), [this](unsigned number, std::uint32_t port, Payload& payload) {
    --inside_;
    retry(number);
    ports_[port]->respond(payload);
  });
}

/// The simple case of visit(): a read hit.
inline bool Cache::serve_hit(unsigned number) {
  BankPort& place = banks_[number];
  const Request* request = place.bank.take_hit(now());
  if (request == nullptr) return false;
  blocked_ &= ~(std::uint32_t{1} << number);
  ++stats_.read_hits;
  stats_.bytes_read += request->bytes;
  copy(*request);
  if (!place.held.empty()) take_held(place);
  if (const Cycle next = place.bank.step_due(); next != base::kNever) calendar_.add(next, number);
  return true;
}

/// The actions of a bank in this cycle; true if it served a request or filled a line.
bool Cache::visit(unsigned number) {
  const Cycle now = this->now();
  BankPort& place = banks_[number];
  Bank& bank = place.bank;
  bool served = bank.step_due() <= now && serve(place);
  if (bank.fill_due(now) && fill(bank)) served = true;

  blocked_ = (blocked_ & ~(std::uint32_t{1} << number)) | std::uint32_t{bank.blocked()} << number;
  if (!bank.memory().empty()) memory_.plan(number);
  // Items that wait for a socket, for memory or for an MSHR are woken by the corresponding callback.
  const Cycle next = bank.next_due(now);
  if (next == base::kNever) return served;
  SPICA_INVARIANT(next - now < base::CycleRing::kCycles);
  calendar_.add(next, number);
  return served;
}

/// Charges this cycle and the following ones until the next tick: blocked requests, outstanding misses, or nothing.
inline void Cache::charge(bool served) {
  const unsigned rest = blocked_ != 0                      ? Stats::kBlocked
                        : inside_ != 0 || !memory_.empty() ? Stats::kWaiting
                                                           : Stats::kIdle;
  if (served) activity_.charge_cycle(Stats::kServing, rest, now());
  else if (rest != activity_.current()) activity_.charge(rest, now());
}

/// One cycle of a bank's pipeline; true if it did something.
inline bool Cache::serve(BankPort& place) {
  const Request* request = place.bank.step(now());
  const Outcome outcome = place.bank.outcome();
  ++*counters_[static_cast<std::size_t>(outcome)];
  if (parts_.several()) parts_.count(place.bank, request);
  if (prefetching_ != nullptr) prefetch(place.bank, request);
  if (request == nullptr) {
    count_sectors(place.bank);
    return outcome == Outcome::kReplay || outcome == Outcome::kFill;
  }
  if (request->plain_read) {
    stats_.bytes_read += request->bytes;
    if (request->sectors > 1) count_sectors(place.bank);
    copy(*request);
  } else {
    perform(*request, place.bank);
  }
  if (!place.held.empty()) take_held(place);
  return true;
}

/// Passes the lines that the prefetcher requests after a step of a bank to their banks.
void Cache::prefetch(const Bank& bank, const Request* request) {
  prefetching_->after(bank, request, [&](base::Address line) {
    const unsigned number = static_cast<unsigned>(line) & bank_mask_;
    Cause cause = bank.cause_of(*request);
    cause.line = line;
    calendar_.add(now() + 1, number);
    return banks_[number].bank.want(cause);
  });
}

/// The cases that move more than a read.
void Cache::perform(const Request& request, const Bank& bank) {
  if (request.write) {
    stats_.bytes_written += request.bytes;
  } else {
    stats_.bytes_read += request.bytes;
  }
  count_sectors(bank);
  if (request.info->atomic != protocol::Atomic::kNone) ++stats_.atomics;
  if (request.write && read_only_) request.payload->set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
  else data_.perform(*request.payload, *request.info);
}

/// A fill in parallel with the request of the cycle.
bool Cache::fill(Bank& bank) {
  if (!bank.step_fill(now())) return false;
  ++stats_.fills;
  if (parts_.several()) parts_.count_placed(bank);
  if (bank.moved() > 1) stats_.more_sectors_filled += count(bank.moved()) - 1;
  count_write_back(bank);
  return true;
}

/// Counts the sectors of a replay, a fill or a served request.
void Cache::count_sectors(const Bank& bank) {
  count_write_back(bank);
  if (bank.moved() == 0) return;
  const unsigned more = count(bank.moved()) - 1;
  switch (bank.outcome()) {
    case Outcome::kReadHit:
    case Outcome::kReplay: stats_.more_sectors_read += more; break;
    case Outcome::kWriteHit: stats_.more_sectors_written += more; break;
    case Outcome::kWriteMiss: stats_.more_sectors_written += more + 1; break;
    case Outcome::kFill: stats_.more_sectors_filled += more; break;
    default: break;
  }
}

inline void Cache::count_write_back(const Bank& bank) {
  if (bank.wrote_back() == 0) return;
  ++stats_.write_backs;
  stats_.more_sectors_written_back += count(bank.wrote_back()) - 1;
}

void Cache::take_held(BankPort& place) {
  while (!place.held.empty() && !place.bank.full()) {
    const unsigned port = place.held.pop();
    accept(place.bank, port, *ports_[port]->held());
    ports_[port]->take_held();
  }
}

void Cache::on_response(unsigned, Payload& payload) {
  const MemorySide::Answer answer = memory_.take(payload);
  if (answer.mshr != MshrFile::kNone) {
    banks_[answer.bank].bank.fill(answer.mshr, answer.sectors);
    freed_ |= std::uint32_t{1} << answer.bank;
  }
  if (answer.mshr != MshrFile::kNone || answer.was_starved) wake_now();
}

}  // namespace spica::cache

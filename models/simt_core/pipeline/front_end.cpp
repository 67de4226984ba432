// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/pipeline/front_end.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "models/base/hot_inline.h"

namespace spica::simt_core {

FrontEnd::FrontEnd(Context& core, protocol::InitiatorSocket& icache)
    : decoding_(core.params.warps),
      turn_(static_cast<unsigned>(core.params.warps)),
      core_(core),
      icache_(icache),
      decoder_(core.params),
      decode_latency_(core.params.decode_latency),
      counts_latency_(core.counts_latency()) {
  for (unsigned w = 0; w < core.params.warps; ++w) {
    warps_.emplace_back(core.params.instruction_buffer);
    requests_.push_back(&pool_.take());
  }
}

void FrontEnd::reset() {
  for (Warp& warp : warps_) {
    warp.buffer.clear();
    warp.pc = 0;
  }
  decoding_.clear();
  last_ready_ = 0;
  turn_.reset();
  free_count_ = static_cast<unsigned>(requests_.size());
  std::copy(requests_.begin(), requests_.end(), free_.begin());
  locked_ = resolving_ = buffered_ = discards_ = begun_ = 0;
  room_ = ~std::uint32_t{0} >> (32 - core_.params.warps);
  fetch_cycles_ = 0;
}

SPICA_HOT_INLINE void FrontEnd::arrive(const Decoding& word) {
  decoding_.push(word);
  if (word.ready >= last_ready_) {
    last_ready_ = word.ready;
    return;
  }
  // Words that were read at once may be queued after one that comes now.
  for (std::size_t i = decoding_.size() - 1; i != 0 && decoding_[i - 1].ready > word.ready; --i)
    std::swap(decoding_[i - 1], decoding_[i]);
}

void FrontEnd::fetch(base::Cycle now) {
  const unsigned w = turn_.pick(core_.state.active() & room_ & ~locked_);
  locked_ |= 1u << w;
  const std::uint32_t pc = warps_[w].pc;
  warps_[w].pc = pc + 4;
  ++core_.stats.fetches;
  if (core_.watchers.any()) core_.watchers.fetch(now, core_.origin(w, pc));
  if (pc - code_begin_ >= code_bytes_ && !executable(pc)) {
    // An illegal word takes its place, and issue reports the unmapped fetch.
    arrive({now + decode_latency_, 0, pc, static_cast<std::uint8_t>(w)});
    return;
  }
  std::uint32_t word;
  base::Cycle cycles;
  if (icache_.read_word(pc, word, cycles)) {
    if (counts_latency_) fetch_cycles_ += cycles;
    arrive({now + cycles + decode_latency_, word, pc, static_cast<std::uint8_t>(w)});
    return;
  }
  protocol::LinePayload& request = *free_[--free_count_];
  request.setup(tlm::TLM_READ_COMMAND, pc, 4, core_.identity.origin(w, pc, 0));
  request.info.tag = w;
  if (counts_latency_) sent_[w] = now;
  icache_.send(request);
}

/// Finds the executable memory around `pc`.
bool FrontEnd::executable(std::uint32_t pc) {
  const protocol::AddressMap::Stretch stretch = core_.map.stretch(pc);
  if (stretch.region == nullptr || stretch.region->route != protocol::Route::kGlobal) return false;
  code_begin_ = static_cast<std::uint32_t>(stretch.begin);
  code_bytes_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(stretch.size, ~std::uint32_t{0}));
  return true;
}

void FrontEnd::take(protocol::Payload& payload, base::Cycle now) {
  auto& request = static_cast<protocol::LinePayload&>(payload);
  std::uint32_t word = 0;
  if (counts_latency_) fetch_cycles_ += now - sent_[request.info.tag];
  if (!request.is_response_error()) std::memcpy(&word, request.data.data(), sizeof word);
  free_[free_count_++] = &request;
  arrive({now + decode_latency_, word, static_cast<std::uint32_t>(request.get_address()),
          static_cast<std::uint8_t>(request.info.tag)});
}

std::uint32_t FrontEnd::decode(base::Cycle now) {
  const Decoding next = decoding_.front();
  decoding_.drop();
  const unsigned w = next.warp;
  const std::uint32_t pc = next.pc;
  Warp& warp = warps_[w];
  const std::uint32_t bit = 1u << w;
  if ((discards_ & bit) != 0) {  // respawned while this fetch was under way
    discards_ &= ~bit;
    locked_ &= ~bit;
    core_.watchers.drop(now, core_.identity.origin(w, pc, 0));
    return 0;
  }
  const Decoded& instruction = decoder_.get(next.word, pc);
  ++core_.stats.decodes;
  if (core_.watchers.any()) core_.watchers.decode(now, core_.origin(w, pc), instruction);
  const bool was_empty = warp.buffer.empty();
  warp.buffer.push({&instruction, pc});
  buffered_ |= bit;
  if (warp.buffer.full()) room_ &= ~bit;
  if (instruction.holds_fetch) resolving_ |= bit;
  else locked_ &= ~bit;
  return was_empty ? bit : 0;
}

void FrontEnd::redirect(unsigned w, std::uint32_t pc) {
  Warp& warp = warps_[w];
  const std::uint32_t bit = 1u << w;
  // A fetch under way is dropped when it arrives. A lock without one is that of a control instruction.
  discards_ = (discards_ & ~bit) | (locked_ & ~resolving_ & bit);
  if ((discards_ & bit) == 0) locked_ &= ~bit;
  for (std::size_t i = has_begun(w) ? 1 : 0; i < warp.buffer.size(); ++i)
    core_.watchers.drop(core_.now(), core_.identity.origin(w, warp.buffer[i].pc, 0));
  if (has_begun(w)) {
    const Fetched begun = warp.buffer.front();
    warp.buffer.clear();
    warp.buffer.push(begun);
  } else {
    warp.buffer.clear();
    buffered_ &= ~bit;
  }
  resolving_ &= ~bit;
  room_ |= bit;
  warp.pc = pc;
}

std::uint32_t FrontEnd::next_pc(unsigned w) const {
  const std::uint32_t bit = 1u << w;
  if (!warps_[w].buffer.empty()) return warps_[w].buffer.front().pc;
  const bool fetch_under_way = (locked_ & bit) != 0 && (resolving_ & bit) == 0 && (discards_ & bit) == 0;
  return fetch_under_way ? warps_[w].pc - 4 : warps_[w].pc;
}

}  // namespace spica::simt_core

// SPDX-License-Identifier: Apache-2.0
#include "models/cache/memory_side.h"

#include <algorithm>

#include "models/cache/mshr_file.h"

namespace spica::cache {

using base::Cycle;

MemorySide::MemorySide(const Params& params, Stats& stats, protocol::InitiatorSocket& out)
    : params_(params),
      stats_(stats),
      out_(out),
      due_(params.banks, base::kNever),
      ids_(params.banks, static_cast<std::uint32_t>(params.memory_ids)),
      arbiter_(static_cast<unsigned>(params.banks)) {
  queues_.reserve(params.banks);
}

void MemorySide::add(MemoryQueue& queue) { queues_.push_back(&queue); }

unsigned MemorySide::send(Cycle now) {
  std::uint64_t requests = 0;
  for (std::uint64_t left = waiting_; left != 0; left &= left - 1) {
    const auto bank = static_cast<unsigned>(__builtin_ctzll(left));
    requests |= std::uint64_t{due_[bank] <= now} << bank;
  }
  const unsigned bank = arbiter_.pick(requests);
  const MemoryRequest request = queues_[bank]->pop();
  --ids_[bank];
  replan(bank);
  protocol::LinePayload& payload = pool_.take();
  payload.setup(request.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, request.address,
                request.bytes, request.origin);
  payload.info.timing_only = true;
  if (request.write)
    payload.disable_bytes();  // a memory that does not know the extension writes nothing either
  payload.info.tag = std::uint64_t{request.mshr} << 32 | std::uint64_t{request.sectors} << 8 | bank;
  if (request.write) ++stats_.memory_writes;
  else ++stats_.memory_reads;
  out_.send(payload);
  return bank;
}

void MemorySide::replan(unsigned bank) {
  const bool queued = !queues_[bank]->empty();
  const bool can = queued && ids_[bank] != 0;
  due_[bank] = can ? queues_[bank]->front().due : base::kNever;
  queued_ = (queued_ & ~(std::uint64_t{1} << bank)) | std::uint64_t{queued} << bank;
  waiting_ = (waiting_ & ~(std::uint64_t{1} << bank)) | std::uint64_t{can} << bank;
  first_due_ = base::kNever;
  for (std::uint64_t left = waiting_; left != 0; left &= left - 1)
    first_due_ = std::min(first_due_, due_[static_cast<unsigned>(__builtin_ctzll(left))]);
}

MemorySide::Answer MemorySide::take(protocol::Payload& payload) {
  auto& line = static_cast<protocol::LinePayload&>(payload);
  const auto bank = static_cast<unsigned>(line.info.tag & 0xFF);
  const auto sectors = static_cast<Sectors>(line.info.tag >> 8);
  const auto mshr = static_cast<unsigned>(line.info.tag >> 32);
  const bool starved = ids_[bank]++ == 0 && !queues_[bank]->empty();
  pool_.drop(line);
  if (starved) replan(bank);
  return {bank, mshr, sectors, starved};
}

void MemorySide::clear() {
  pool_.drop_all();
  std::fill(ids_.begin(), ids_.end(), static_cast<std::uint32_t>(params_.memory_ids));
  std::fill(due_.begin(), due_.end(), base::kNever);
  queued_ = waiting_ = 0;
  first_due_ = base::kNever;
  arbiter_.reset();
}

}  // namespace spica::cache

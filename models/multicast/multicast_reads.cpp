// SPDX-License-Identifier: Apache-2.0
// Reads in flight to shared memory, and their answers to one or two register files.
#include <algorithm>

#include "models/base/bits.h"
#include "models/multicast/multicast_unit.h"

namespace spica::multicast {

using protocol::Payload;
using protocol::WarpPayload;

void MulticastUnit::add_read(unsigned core, const Read& read) {
  if (free_reads_.empty()) {
    free_reads_.push_back(static_cast<std::uint16_t>(reads_.size()));
    reads_.emplace_back();
  }
  const std::uint16_t number = free_reads_.back();
  free_reads_.pop_back();
  reads_[number] = read;
  read.first->access.sharing.read = number;
  cores_[core].reads.push_back(number);
}

/// Sends the next read, if possible.
void MulticastUnit::send_reads(unsigned number) {
  Core& core = cores_[number];
  if (core.reads.empty() || !out[number].ready()) return;
  const Read& read = reads_[core.reads.front()];
  if (read.ready > now()) return;
  core.reads.erase(core.reads.begin());
  if (read.last) --queued_;
  const unsigned bytes = base::count_bits(read.first->access.mask) * read.first->access.bytes;
  ++stats_.reads;
  stats_.bytes_read += bytes;
  if (read.second != nullptr) stats_.bytes_saved += bytes;
  out[number].send(*read.first);
}

void MulticastUnit::on_response(unsigned number, Payload& payload) {
  auto& request = static_cast<WarpPayload&>(payload);
  if (!is_marked(request)) {
    if (stores(request)) remove(cores_[number].stores[request.info.origin.warp], request);
    --open_;
    return in[number].respond(payload);
  }
  const std::uint16_t place = request.access.sharing.read;
  const Read read = reads_[place];
  free_reads_.push_back(place);
  if (read.second != nullptr) {
    read.second->access.data = request.access.data;
    read.second->set_response_status(request.get_response_status());
  }
  answer(read.first_core, request);
  if (read.second == nullptr) return;
  if (read.second_core != read.first_core) return answer(read.second_core, *read.second);
  cores_[read.second_core].late.push_back(read.second);
  wake_next();
}

/// Answers one per cycle.
void MulticastUnit::answer_late(unsigned number) {
  std::vector<WarpPayload*>& late = cores_[number].late;
  if (late.empty()) return;
  WarpPayload& next = *late.front();
  late.erase(late.begin());
  answer(number, next);
}

/// Passes the data of a load to its core.
void MulticastUnit::answer(unsigned core, WarpPayload& payload) {
  remove(cores_[core].loads[payload.info.origin.warp], payload);
  --open_;
  if (in[core].held() != nullptr) wake_now();
  in[core].respond(payload);
}

void MulticastUnit::on_ready(unsigned core) {
  if (cores_[core].passes) {
    cores_[core].passes = false;
    in[core].take_held();
  }
  wake_now();
}

}  // namespace spica::multicast

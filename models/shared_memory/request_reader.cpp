// SPDX-License-Identifier: Apache-2.0
#include "models/shared_memory/request_reader.h"

#include <algorithm>
#include <typeinfo>

namespace spica::shared_memory {

template <class WordBanks>
void BasicRequestReader<WordBanks>::read_wide(Request& request) const {
  const std::uint64_t offset = request.payload->get_address();
  const unsigned bytes = request.payload->get_data_length();
  if (offset >= params_.size || bytes > params_.size - offset)
    return refuse(request, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  const auto begin = static_cast<std::uint32_t>(offset);
  const unsigned beat = protocol::info_of(*request.payload).beat_bytes;
  const unsigned beat_bytes = beat == 0 ? bytes : beat;
  const bool burst = beat_bytes != bytes;
  if (bytes == 0 || !map_.in_one_line(begin, beat_bytes) ||
      (burst && (bytes % beat != 0 || begin % beat != 0 || map_.line_bytes() % beat != 0)))
    return refuse(request, tlm::TLM_BURST_ERROR_RESPONSE);
  request.offset = begin;
  request.bytes = static_cast<std::uint8_t>(beat_bytes);
  request.beats = burst ? bytes / beat : 1;
  request.followers = request.beats - 1;
  request.banks = map_.span(begin, beat_bytes);
  request.words = static_cast<std::uint8_t>(map_.word_count(begin, beat_bytes));
  stats_.wide_requests += request.beats;
}

template <class WordBanks>
void BasicRequestReader<WordBanks>::read_warp(Request& request) const {
  if (&typeid(*request.payload) == &typeid(protocol::WarpPayload)) {  // asked once: nearly all are
    auto& warp = static_cast<protocol::WarpPayload&>(*request.payload);
    request.access = &warp.access;
    request.atomic = warp.info.atomic;
  } else {
    request.access = protocol::access_of(*request.payload);
    request.atomic = protocol::info_of(*request.payload).atomic;
  }
  if (request.access == nullptr) return refuse(request, tlm::TLM_COMMAND_ERROR_RESPONSE);
  request.independent = request.access->wires != nullptr;
  const bool atomic = request.atomic != protocol::Atomic::kNone;
  if (atomic) request.direction = kRead;
  filter_.split(*request.access, !atomic, request);
  if (!request.in_range) return refuse(request, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  request.access->unanswered = request.access->mask;
  if (atomic) request.contiguous = false;
  request.access->passes = std::max<std::uint8_t>(request.degree, 1);
  ++stats_.core_accesses;
  if (request.degree != 0) ++*stats_.degree[request.degree - 1u];
}

/// An error takes its turn like a request that needs no bank.
template <class WordBanks>
void BasicRequestReader<WordBanks>::refuse(Request& request, tlm::tlm_response_status status) const {
  request.payload->set_response_status(status);
  ++stats_.refused_requests;
}

template class BasicRequestReader<std::uint64_t>;
template class BasicRequestReader<BankSet<4>>;
template class BasicRequestReader<BankSet<32>>;

}  // namespace spica::shared_memory

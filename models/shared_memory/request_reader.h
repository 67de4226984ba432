// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/protocol/payload/payload_pool.h"
#include "models/shared_memory/align_filter.h"
#include "models/shared_memory/bank_map.h"
#include "models/shared_memory/request.h"
#include "models/shared_memory/shared_memory_params.h"
#include "models/shared_memory/shared_memory_stats.h"

namespace spica::shared_memory {

/// Decodes a payload into lanes or bytes, the word banks they need, and errors.
///
/// Errors   as in shared_memory.h. A request with an error gets its response status and needs no bank; it keeps its
///          place in the queue
template <class WordBanks>
class BasicRequestReader {
  using BankMap = BasicBankMap<WordBanks>;
  using Request = BasicRequest<WordBanks>;

 public:
  BasicRequestReader(const SharedMemoryParams& params, const BankMap& map, SharedMemoryStats& stats)
      : params_(params), map_(map), filter_(params, map), stats_(stats) {}

  /// Fills in `request`, which must be new, and counts it. `core`: it came from a core port.
  void read(bool core, protocol::Payload& payload, Request& request) const {
    request.payload = &payload;
    request.direction = payload.is_write() ? kWrite : kRead;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) refuse(request, tlm::TLM_COMMAND_ERROR_RESPONSE);
    else if (core) read_warp(request);
    else read_wide(request);
  }

 private:
  void read_wide(Request& request) const;
  void read_warp(Request& request) const;
  void refuse(Request& request, tlm::tlm_response_status status) const;

  const SharedMemoryParams& params_;
  const BankMap& map_;
  const BasicAlignFilter<WordBanks> filter_;
  SharedMemoryStats& stats_;
};

}  // namespace spica::shared_memory

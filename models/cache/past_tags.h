// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "models/cache/cache_params.h"
#include "models/cache/sectors.h"
#include "models/cache/tag_array.h"
#include "models/protocol/transport/sockets.h"

namespace spica::cache {

/// What past accesses (protocol::PastAccess) leave in the tags of a cache: the lines that they fetch, write and evict,
/// by the rules of Bank. Its requests to memory are past accesses also.
///
/// Omits    prefetches; lines of caches with several partitions, because the way of the access is not known
class PastTags {
 public:
  using TagsOf = std::function<TagArray&(base::Address line)>;

  PastTags(const Params& params, protocol::InitiatorSocket& out)
      : params_(params), map_(params.line_bytes, params.sectors), out_(out) {}

  /// Returns the bytes of the access.
  unsigned access(const protocol::Payload& payload, const TagsOf& tags_of);

 private:
  void read(TagArray& tags, base::Address line, Sectors sectors);
  void write(TagArray& tags, base::Address line, Sectors sectors, bool whole);
  void place(TagArray& tags, base::Address line, Sectors sectors, Sectors dirty);
  void send(tlm::tlm_command command, base::Address line, Sectors sectors);

  const Params& params_;
  const LineMap map_;
  protocol::InitiatorSocket& out_;
};

}  // namespace spica::cache

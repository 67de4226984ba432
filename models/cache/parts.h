// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/cache/cache_params.h"
#include "models/protocol/payload/route_stack.h"

namespace spica::cache {

/// The partition of the ways in which a request may allocate: that of the bus port through which it came. Requests of
/// ports without a partition, or without a bus, use partition 0.
class Parts {
 public:
  explicit Parts(const Params& params) : several_(params.partitions > 1), of_source_(params.part_of_source) {}

  bool several() const { return several_; }
  unsigned of(const protocol::Payload& payload) const {
    if (!several_) return 0;
    const unsigned source = protocol::RouteStack::source(payload);
    return source < of_source_.size() ? of_source_[source] : 0;
  }

 private:
  const bool several_;
  const std::vector<std::uint8_t> of_source_;
};

}  // namespace spica::cache

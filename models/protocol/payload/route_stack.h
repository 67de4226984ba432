// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <tlm>

#include "models/base/invariant.h"
#include "models/base/objects.h"
#include "models/protocol/payload/request_info.h"

namespace spica::protocol {

/// The return path of a request through the buses it has crossed: each bus pushes the port on which the request came
/// and pops it for the response. It is kept with a pooled payload, so it is allocated once. A payload that a reset
/// recalled on its way may still carry ports; a bus that finds itself on the stack restarts from there.
class RouteStack final : public tlm::tlm_extension<RouteStack> {
 public:
  static constexpr unsigned kMaxBuses = 8;

  static void push(Payload& payload, const void* bus, unsigned port) {
    RouteStack* stack = payload.get_extension<RouteStack>();
    if (stack == nullptr) {
      stack = new RouteStack;
      payload.set_extension(stack);
    }
    for (unsigned i = 0; i < stack->depth_; ++i)
      if (stack->hops_[i].bus == bus) stack->depth_ = i;
    SPICA_INVARIANT(stack->depth_ < kMaxBuses);
    stack->hops_[stack->depth_++] = {bus, port};
  }
  static unsigned pop(Payload& payload, const void* bus) {
    RouteStack* stack = payload.get_extension<RouteStack>();
    SPICA_INVARIANT(stack != nullptr && stack->depth_ > 0);
    const Hop& hop = stack->hops_[--stack->depth_];
    SPICA_INVARIANT(hop.bus == bus);
    static_cast<void>(bus);
    return hop.port;
  }

  static constexpr unsigned kNoSource = ~0u;
  /// The bus port through which the request entered its last bus; kNoSource: it has crossed none.
  static unsigned source(const Payload& payload) {
    const RouteStack* stack = payload.get_extension<RouteStack>();
    return stack != nullptr && stack->depth_ != 0 ? stack->hops_[stack->depth_ - 1].port : kNoSource;
  }

  /// Saves or loads the route of a payload, with buses as Objects; empty if it has crossed none.
  template <class Archive>
  static void serialize(Archive& archive, Payload& payload) {
    RouteStack* stack = payload.get_extension<RouteStack>();
    std::uint32_t depth = stack != nullptr ? stack->depth_ : 0;
    archive(depth);
    if constexpr (Archive::is_loading::value) {
      if (stack == nullptr && depth != 0) payload.set_extension(stack = new RouteStack);
      if (stack != nullptr) stack->depth_ = depth;
    }
    for (unsigned i = 0; i < depth; ++i) {
      base::point<const void>(archive, stack->hops_[i].bus);
      archive(stack->hops_[i].port);
    }
  }

  tlm::tlm_extension_base* clone() const override { return new RouteStack(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const RouteStack&>(other);
  }

 private:
  struct Hop {
    const void* bus = nullptr;
    unsigned port = 0;
  };
  unsigned depth_ = 0;
  std::array<Hop, kMaxBuses> hops_{};
};

}  // namespace spica::protocol

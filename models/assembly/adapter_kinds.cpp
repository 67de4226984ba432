// SPDX-License-Identifier: Apache-2.0
#include "models/assembly/adapter_kinds.h"

#include <fmt/format.h>

#include "models/adapters/link_monitor.h"
#include "models/adapters/protocol_checker.h"
#include "models/adapters/warp_to_base.h"
#include "models/adapters/width_bridge.h"
#include "models/assembly/kinds.h"
#include "models/protocol/transport/sockets.h"

namespace spica::assembly {

namespace {

template <class Types>
bool starts(const sc_core::sc_object* from) {
  return dynamic_cast<const tlm::tlm_base_initiator_socket_b<32, tlm::tlm_fw_transport_if<Types>,
                                                             tlm::tlm_bw_transport_if<Types>>*>(from) !=
         nullptr;
}

/// Creates the module for the protocol of the preceding socket.
template <template <class> class Make>
std::unique_ptr<sc_core::sc_module> for_protocol_of(const BuildSite& site) {
  if (starts<tlm::tlm_base_protocol_types>(site.from)) return Make<tlm::tlm_base_protocol_types>::block(site);
  if (starts<protocol::WarpProtocol>(site.from)) return Make<protocol::WarpProtocol>::block(site);
  if (starts<protocol::MoveProtocol>(site.from)) return Make<protocol::MoveProtocol>::block(site);
  if (starts<protocol::AccumulatorProtocol>(site.from))
    return Make<protocol::AccumulatorProtocol>::block(site);
  throw PlanError(fmt::format("'{}' needs a TLM socket on each side, but '{}' is not one", site.name,
                              site.from != nullptr ? site.from->name() : "nothing before it"));
}

template <class Types>
struct MakeMonitor {
  static std::unique_ptr<sc_core::sc_module> block(const BuildSite& site) {
    return std::make_unique<adapters::LinkMonitor<Types>>(site.name, site.clock);
  }
};

template <class Types>
struct MakeChecker {
  static std::unique_ptr<sc_core::sc_module> block(const BuildSite& site) {
    return std::make_unique<adapters::ProtocolChecker<32, Types>>(site.name);
  }
};

/// A bridge from or to sockets of 32 bit, when the other width is `Bits`.
template <unsigned Bits>
std::unique_ptr<sc_core::sc_module> bridge_of(const BuildSite& site, const WidthBridgeParams& params) {
  if (params.from == Bits) return std::make_unique<adapters::WidthBridge<Bits, 32>>(site.name);
  if (params.to == Bits) return std::make_unique<adapters::WidthBridge<32, Bits>>(site.name);
  return nullptr;
}

std::unique_ptr<sc_core::sc_module> make_bridge(const BuildSite& site) {
  const auto& params = std::any_cast<const WidthBridgeParams&>(site.params);
  for (const auto make : {bridge_of<64>, bridge_of<128>, bridge_of<256>, bridge_of<512>})
    if (auto bridge = make(site, params)) return bridge;
  throw PlanError("exactly one of the two widths must be 32");
}

std::unique_ptr<sc_core::sc_module> make_warp_to_base(const BuildSite& site) {
  return std::make_unique<adapters::WarpToBase>(site.name, site.clock);
}

}  // namespace

void add_adapter_kinds(Kinds& kinds) {
  kinds.add(Kind{"tlm_monitor", "counts the transactions of a link, and their latency"}
                .with_cycle(for_protocol_of<MakeMonitor>)
                .with_wire("link.out")
                .with_ends("link.in", "link.out"));
  kinds.add(Kind{"protocol_checker", "ends the run where a module breaks a rule of the TLM-2.0 base protocol"}
                .with_cycle(for_protocol_of<MakeChecker>)
                .with_wire("out"));
  kinds.add(
      Kind{"warp_to_base",
           "makes requests of the TLM-2.0 base protocol, one per lane, of the loads and stores of a core"}
          .with_cycle(make_warp_to_base)
          .with_wire("out"));
  kinds.add(Kind{"width_bridge", "joins sockets of different bus widths"}.with_both(make_bridge).with_stay());
}

}  // namespace spica::assembly

// SPDX-License-Identifier: Apache-2.0
#include "models/assembly/link_types.h"

#include <fmt/format.h>

#include <deque>
#include <map>
#include <typeindex>
#include <utility>

#include "models/assembly/plan.h"
#include "models/protocol/ports/accelerator_if.h"
#include "models/protocol/ports/barrier_if.h"
#include "models/protocol/ports/console_if.h"
#include "models/protocol/ports/decoupled_tensor_if.h"
#include "models/protocol/ports/fault_if.h"
#include "models/protocol/ports/functional_tensor_if.h"
#include "models/protocol/ports/hart_if.h"
#include "models/protocol/ports/hosted_if.h"
#include "models/protocol/ports/lane_stream_if.h"
#include "models/protocol/ports/launch_if.h"
#include "models/protocol/ports/load_reuse_if.h"
#include "models/protocol/ports/marker_if.h"
#include "models/protocol/ports/memory_hints_if.h"
#include "models/protocol/ports/tensor_if.h"
#include "models/protocol/ports/warp_mma_if.h"
#include "models/protocol/ports/work_group_if.h"
#include "models/protocol/transport/pointer_ports.h"
#include "models/protocol/transport/sockets.h"

namespace spica::assembly {

namespace {

LinkType pointer_link() {
  using protocol::MemoryExport;
  using protocol::MemoryPort;
  return {"memory by pointer",
          [](sc_core::sc_object& from) { return dynamic_cast<MemoryPort*>(&from) != nullptr; },
          [](sc_core::sc_object& to) { return dynamic_cast<MemoryExport*>(&to) != nullptr; },
          [](sc_core::sc_object& from, sc_core::sc_object& to) {
            dynamic_cast<MemoryPort&>(from).bind(dynamic_cast<MemoryExport&>(to));
          }};
}

std::deque<LinkType>& types() {
  using namespace protocol;
  using Base = tlm::tlm_base_protocol_types;
  static std::deque<LinkType> all{
      socket_link<32, Base>("the TLM-2.0 base protocol"),
      socket_link<32, WarpProtocol>("WarpProtocol"),
      socket_link<32, MoveProtocol>("MoveProtocol"),
      socket_link<32, AccumulatorProtocol>("AccumulatorProtocol"),
      pointer_link(),
      port_link<FaultIf>("FaultIf"),
      port_link<ConsoleIf>("ConsoleIf"),
      port_link<MarkerIf>("MarkerIf"),
      port_link<BarrierIf>("BarrierIf"),
      port_link<BarrierReleaseIf>("BarrierReleaseIf"),
      port_link<AcceleratorIf>("AcceleratorIf"),
      port_link<LaunchIf>("LaunchIf"),
      port_link<HostedIf>("HostedIf"),
      port_link<LaneStreamIf>("LaneStreamIf"),
      port_link<MemoryHintsIf>("MemoryHintsIf"),
      port_link<LoadReuseIf>("LoadReuseIf"),
      port_link<WarpLaunchIf>("WarpLaunchIf"),
      port_link<WarpEndIf>("WarpEndIf"),
      port_link<BarrierShareIf>("BarrierShareIf"),
      port_link<GridLaunchIf>("GridLaunchIf"),
      port_link<GridProgressIf>("GridProgressIf"),
      port_link<HartIf>("HartIf"),
      port_link<HartBusIf>("HartBusIf"),
      port_link<TensorCoreIf>("TensorCoreIf"),
      port_link<TensorResultIf>("TensorResultIf"),
      port_link<DecoupledTensorIf>("DecoupledTensorIf"),
      port_link<TensorRegistersIf>("TensorRegistersIf"),
      port_link<FunctionalTensorIf>("FunctionalTensorIf"),
      port_link<WarpMmaIf>("WarpMmaIf"),
      port_link<FunctionalWarpMmaIf>("FunctionalWarpMmaIf"),
      socket_link<64, Base>("the TLM-2.0 base protocol with 64 bit"),
      socket_link<128, Base>("the TLM-2.0 base protocol with 128 bit"),
      socket_link<256, Base>("the TLM-2.0 base protocol with 256 bit"),
      socket_link<512, Base>("the TLM-2.0 base protocol with 512 bit"),
  };
  return all;
}

/// The type of link that starts at an object, or nullptr; determined once per C++ type, because casts are slow.
const LinkType* type_from(sc_core::sc_object& from) {
  static std::map<std::type_index, const LinkType*> known;
  const auto [place, is_new] = known.try_emplace(typeid(from), nullptr);
  if (is_new || place->second == nullptr)
    for (const LinkType& type : types())
      if (type.starts(from)) {
        place->second = &type;
        break;
      }
  return place->second;
}

/// Whether such a link ends at an object; determined once per C++ type as well.
bool ends_at(const LinkType& type, sc_core::sc_object& to) {
  static std::map<std::pair<const LinkType*, std::type_index>, bool> known;
  bool& ends = known[{&type, typeid(to)}];
  if (!ends) ends = type.ends(to);
  return ends;
}

/// `is`: starts or ends. nullptr: none.
const LinkType* type_of(sc_core::sc_object& object, bool (*LinkType::*is)(sc_core::sc_object&)) {
  for (const LinkType& type : types())
    if ((type.*is)(object)) return &type;
  return nullptr;
}

/// "speaks WarpProtocol".
std::string language(sc_core::sc_object& object, bool (*LinkType::*is)(sc_core::sc_object&)) {
  const LinkType* const type = type_of(object, is);
  return type != nullptr ? "speaks " + type->name
                         : fmt::format("is a {}, which cannot be linked", object.kind());
}

}  // namespace

void add_link_type(const LinkType& type) { types().push_back(type); }

void connect(sc_core::sc_object& from, sc_core::sc_object& to) {
  const LinkType* const type = type_from(from);
  if (type != nullptr && ends_at(*type, to)) return type->bind(from, to);
  throw PlanError(fmt::format("'{}' {}, but '{}' {}", from.name(), language(from, &LinkType::starts),
                              to.name(), language(to, &LinkType::ends)));
}

bool can_be_linked(sc_core::sc_object& object) {
  return type_of(object, &LinkType::starts) != nullptr || type_of(object, &LinkType::ends) != nullptr;
}

std::string adapter_between(sc_core::sc_object& from, sc_core::sc_object& to) {
  const LinkType *const first = type_of(from, &LinkType::starts), *const last = type_of(to, &LinkType::ends);
  if (first == nullptr || last == nullptr || last->base_bits == 0) return "";
  if (last->base_bits == 32 && first->name == "WarpProtocol") return "kind: warp_to_base";
  if ((first->base_bits == 32) == (last->base_bits == 32) || first->base_bits == 0) return "";
  return fmt::format("kind: width_bridge, params: {{from: {}, to: {}}}", first->base_bits, last->base_bits);
}

}  // namespace spica::assembly

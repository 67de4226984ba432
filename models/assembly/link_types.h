// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <systemc>
#include <tlm>
#include <type_traits>
#include <vector>

namespace spica::assembly {

/// An interface or protocol by which two blocks can be linked.
struct LinkType {
  std::string name;  // "TLM-2.0 base protocol, 32 bit"
  bool (*starts)(sc_core::sc_object& from);
  bool (*ends)(sc_core::sc_object& to);
  void (*bind)(sc_core::sc_object& from,
               sc_core::sc_object& to);  // binds only the first and last object of a link
  unsigned base_bits = 0;  // TLM-2.0 base protocol: width in bits; otherwise 0
};

/// Binds `from` to `to`. If they do not fit, throws PlanError with the protocol of each.
void connect(sc_core::sc_object& from, sc_core::sc_object& to);
/// True if it can be an end of a link.
bool can_be_linked(sc_core::sc_object& object);
/// The adapter that fits between the two, as keys of a slot: "kind: warp_to_base"; empty if none fits.
std::string adapter_between(sc_core::sc_object& from, sc_core::sc_object& to);

/// Registers a link type of your own for use in plans. Those of models/protocol and the base protocol of 32 to 512 bits
/// are built in.
void add_link_type(const LinkType& type);

/// A port of an interface, bound to an export, to a block that implements it, or to a port of the machine's owner.
template <class Interface>
LinkType port_link(std::string name) {
  using Port = sc_core::sc_port_b<Interface>;
  using Export = sc_core::sc_export<Interface>;
  return {std::move(name), [](sc_core::sc_object& from) { return dynamic_cast<Port*>(&from) != nullptr; },
          [](sc_core::sc_object& to) {
            return dynamic_cast<Interface*>(&to) != nullptr || dynamic_cast<Export*>(&to) != nullptr ||
                   dynamic_cast<Port*>(&to) != nullptr;
          },
          [](sc_core::sc_object& from, sc_core::sc_object& to) {
            Port& port = dynamic_cast<Port&>(from);
            if (auto* interface = dynamic_cast<Interface*>(&to)) return port.bind(*interface);
            if (auto* exported = dynamic_cast<Export*>(&to))
              return port.bind(*dynamic_cast<Interface*>(exported->get_interface()));
            port.bind(dynamic_cast<Port&>(to));
          }};
}

/// A socket of a TLM-2.0 protocol, bound to a target socket, or to an initiator socket of the machine's owner.
template <unsigned Width, class Types>
LinkType socket_link(std::string name) {
  using Forward = tlm::tlm_fw_transport_if<Types>;
  using Backward = tlm::tlm_bw_transport_if<Types>;
  using Initiator = tlm::tlm_base_initiator_socket_b<Width, Forward, Backward>;
  using Target = tlm::tlm_base_target_socket_b<Width, Forward, Backward>;
  return {std::move(name),
          [](sc_core::sc_object& from) { return dynamic_cast<Initiator*>(&from) != nullptr; },
          [](sc_core::sc_object& to) {
            return dynamic_cast<Target*>(&to) != nullptr || dynamic_cast<Initiator*>(&to) != nullptr;
          },
          [](sc_core::sc_object& from, sc_core::sc_object& to) {
            Initiator& socket = dynamic_cast<Initiator&>(from);
            if (auto* target = dynamic_cast<Target*>(&to)) {
              socket.get_base_port().bind(target->get_base_interface());
              target->get_base_port().bind(socket.get_base_interface());
              return;
            }
            Initiator& outer = dynamic_cast<Initiator&>(to);
            socket.get_base_port().bind(outer.get_base_port());
            outer.get_base_export().bind(socket.get_base_export());
          },
          std::is_same_v<Types, tlm::tlm_base_protocol_types> ? Width : 0};
}

}  // namespace spica::assembly

// SPDX-License-Identifier: Apache-2.0
// A cluster of Spica in front of a memory that knows nothing of it: a standard TLM socket, b_transport, debug access.
#include <spica/models/adapters/protocol_checker.h>
#include <spica/models/cluster/cluster.h>
#include <spica/models/interconnect/crossbar.h>
#include <spica/platform/machine/loader/program.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>

using namespace spica;

/// From 0x80000000 on; takes 20 ns for each access, one after the other.
struct Memory : sc_core::sc_module {
  static constexpr std::uint64_t kBase = 0x80000000, kSize = 0x7F000000;
  explicit Memory(const sc_core::sc_module_name& name) : sc_module(name) {
    in.register_b_transport(this, &Memory::serve);
    in.register_transport_dbg(this, &Memory::move);
  }
  void serve(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    ++served;
    delay += sc_core::sc_time(20, sc_core::SC_NS);
    move(payload);
  }
  unsigned move(tlm::tlm_generic_payload& payload) {
    const unsigned char* enables = payload.get_byte_enable_ptr();
    for (unsigned i = 0; i < payload.get_data_length(); ++i) {
      if (enables != nullptr && enables[i % payload.get_byte_enable_length()] == 0) continue;
      unsigned char& here = bytes[payload.get_address() - kBase + i];
      if (payload.is_write()) here = payload.get_data_ptr()[i];
      else payload.get_data_ptr()[i] = here;
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return payload.get_data_length();
  }
  tlm_utils::simple_target_socket<Memory> in{"in"};
  unsigned char* const bytes = static_cast<unsigned char*>(std::calloc(kSize, 1));
  unsigned served = 0;
};

/// Receives faults, printed text and markers of a cluster.
struct Owner : protocol::FaultIf, protocol::ConsoleIf, protocol::MarkerIf {
  void report(const protocol::GuestFault& fault) override { text += fault.detail + "\n"; }
  void put(const protocol::Origin&, unsigned, const char* characters, unsigned count) override {
    text.append(characters, strnlen(characters, count));
  }
  void marked(protocol::Marker) override {}
  std::string text;
};

int sc_main(int, char* argv[]) {
  base::ClockDomain clock("clock", sc_core::sc_time(2.5, sc_core::SC_NS));
  const cluster::ClusterParams params;
  protocol::AddressMap map = cluster::build_address_map(params.memory_map, params.map_inputs());
  map.add({"own_memory", Memory::kBase, Memory::kSize, protocol::Route::kGlobal, 0});
  cluster::Cluster cluster("cluster", params, 0, 4, map, clock);
  interconnect::CrossbarParams bus_params;
  bus_params.masters = cluster.masters().size(), bus_params.targets = 1;
  interconnect::Crossbar bus("bus", bus_params, clock);
  adapters::ProtocolChecker<> checker("checker");  // ends the run if a rule of the protocol is broken
  Memory memory("memory");
  Owner owner;
  unsigned port = 0;
  for (protocol::InitiatorSocket* master : cluster.masters()) master->bind(bus.in[port++]);
  bus.out[0].bind(checker.in), checker.out.bind(memory.in);
  cluster.fault.bind(owner), cluster.console.bind(owner), cluster.marker.bind(owner);
  clock.add(bus);
  cluster.blocks().add_to(clock);
  const loader::Program program = loader::load_elf(argv[1]);
  for (const loader::Segment& segment : program.segments)
    std::copy(segment.bytes.begin(), segment.bytes.end(), &memory.bytes[segment.address - Memory::kBase]);
  for (simt_core::SimtCore* core : cluster.cores()) core->launch(static_cast<std::uint32_t>(program.entry));
  sc_core::sc_start();  // until nothing is left to do
  std::cout << owner.text << memory.served << " requests in " << clock.now() << " cycles\n";
  return owner.text.find("PASS") != std::string::npos ? 0 : 1;
}

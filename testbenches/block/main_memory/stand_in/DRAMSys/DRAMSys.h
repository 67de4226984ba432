// SPDX-License-Identifier: Apache-2.0
// Stands in for the header of DRAMSys 5.5 (dramsys src/DRAMSys/DRAMSys.h): the names that our adapter uses, with the
// same types, and a module that goes through the base protocol in the same way. It keeps payloads beyond their
// response, leaves extensions in them, and always returns TLM_ACCEPTED. Each access takes 50 ns.
#pragma once

#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/peq_with_cb_and_phase.h>

#include <cassert>
#include <cstdint>
#include <filesystem>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

// NOLINTBEGIN(readability-identifier-naming): names of DRAMSys
namespace DRAMSys {

namespace Config {
struct Configuration {
  std::filesystem::path read_from;
};
inline Configuration from_path(std::filesystem::path file) { return {std::move(file)}; }
}  // namespace Config

/// What it leaves in payloads.
struct Mark final : tlm::tlm_extension<Mark> {
  tlm::tlm_extension_base* clone() const override { return new Mark; }
  void copy_from(const tlm::tlm_extension_base&) override {}
};

class DRAMSys : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<DRAMSys> tSocket{"DRAMSys_tSocket"};

  DRAMSys(const sc_core::sc_module_name& name, const Config::Configuration& config)
      : sc_module(name), queue_(this, &DRAMSys::phase) {
    read_from() = config.read_from.string();
    tSocket.register_nb_transport_fw(this, &DRAMSys::nb_transport_fw);
  }
  std::uint64_t memorySize() const { return 1 << 20; }

  // For tests.
  static std::string& read_from() {
    static std::string file;
    return file;
  }
  static std::vector<std::uint64_t>& addresses() {
    static std::vector<std::uint64_t> list;
    return list;
  }

 private:
  using Payload = tlm::tlm_generic_payload;

  tlm::tlm_sync_enum nb_transport_fw(int, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) {
      addresses().push_back(payload.get_address());
      payload.acquire();
      assert(payload.get_extension<Mark>() == nullptr);
      payload.set_auto_extension(new Mark);
    }
    queue_.notify(payload, phase, delay);
    return tlm::TLM_ACCEPTED;
  }
  void phase(Payload& payload, const tlm::tlm_phase& phase) {
    sc_core::sc_time none;
    if (phase == tlm::BEGIN_REQ) {
      tlm::tlm_phase end = tlm::END_REQ;
      tSocket[0]->nb_transport_bw(payload, end, none);
      queue_.notify(payload, tlm::BEGIN_RESP, sc_core::sc_time(50, sc_core::SC_NS));
    } else if (phase == tlm::BEGIN_RESP) {
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
      tlm::tlm_phase begin = tlm::BEGIN_RESP;
      if (tSocket[0]->nb_transport_bw(payload, begin, none) == tlm::TLM_COMPLETED)
        queue_.notify(payload, tlm::END_RESP, sc_core::sc_time(10, sc_core::SC_NS));
    } else {
      payload.release();
    }
  }

  tlm_utils::peq_with_cb_and_phase<DRAMSys> queue_;
};

}  // namespace DRAMSys
// NOLINTEND(readability-identifier-naming)

// SPDX-License-Identifier: Apache-2.0
// A library of a block that leaves a mark in the file that the environment names, as soon as it is loaded.
#include <spica/platform/machine/soc/block.h>

#include <tlm_utils/simple_target_socket.h>
#include <cstdio>
#include <cstdlib>
#include <systemc>

namespace {

[[gnu::constructor]] void leave_mark() {
  const char* const path = std::getenv("PLUGIN_MARK");
  std::FILE* const file = path != nullptr ? std::fopen(path, "a") : nullptr;
  if (file == nullptr) return;
  std::fputs("loaded\n", file);
  std::fclose(file);
}

struct Marks : sc_core::sc_module {
  explicit Marks(sc_core::sc_module_name name) : sc_module(name) {
    in.register_b_transport(this, &Marks::answer);
  }
  void answer(tlm::tlm_generic_payload& access, sc_core::sc_time&) {
    access.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  tlm_utils::simple_target_socket<Marks> in{"in"};
};

}  // namespace
SPICA_BLOCK(Marks, "marks", "answers, and has left a mark")

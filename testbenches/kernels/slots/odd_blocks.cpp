// SPDX-License-Identifier: Apache-2.0
// Blocks as newcomers write them, each with one mistake or oddity.
#include <spica/platform/machine/soc/block.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstring>
#include <stdexcept>

namespace {

using Name = sc_core::sc_module_name;
using Payload = tlm::tlm_generic_payload;

/// A register that reads 7.
template <unsigned Bits = 32>
struct Register : sc_core::sc_module {
  explicit Register(const Name& name) : sc_module(name) { in.register_b_transport(this, &Register::serve); }
  virtual void serve(Payload& payload, sc_core::sc_time&) {
    const std::uint32_t seven = 7;
    if (payload.is_read()) std::memcpy(payload.get_data_ptr(), &seven, 4);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  tlm_utils::simple_target_socket<Register, Bits> in{"in"};
};
struct Plain final : Register<> {
  using Register::Register;
};
SPICA_BLOCK(Plain, "plain", "reads 7")
struct Wide final : Register<64> {
  using Register::Register;
};
SPICA_BLOCK(Wide, "wide", "reads 7, and its socket has 64 bit")

struct Unbound final : Register<> {
  using Register::Register;
  tlm_utils::simple_initiator_socket<Unbound> out{"out"};
};
SPICA_BLOCK(Unbound, "unbound", "has a socket that nobody binds")

struct Unlicensed final : Register<> {
  using Register::Register;

 private:
  void end_of_elaboration() override { throw std::runtime_error("no licence"); }
};
SPICA_BLOCK(Unlicensed, "unlicensed", "throws at the end of elaboration")

struct Throwing final : Register<> {
  using Register::Register;
  void serve(Payload&, sc_core::sc_time&) override { throw std::runtime_error("nothing here"); }
};
SPICA_BLOCK(Throwing, "throwing", "throws when it is read")

struct Silent final : Register<> {
  using Register::Register;
  void serve(Payload&, sc_core::sc_time&) override {}
};
SPICA_BLOCK(Silent, "silent", "answers without a response status")

struct Waiting final : Register<> {
  using Register::Register;
  void serve(Payload& payload, sc_core::sc_time& delay) override {
    wait(10, sc_core::SC_NS);
    Register::serve(payload, delay);
  }
};
SPICA_BLOCK(Waiting, "waiting", "waits before it answers")

/// A memory that only serves requests.
struct Bare final : Register<> {
  using Register::Register;
};
SPICA_BLOCK(Bare, "bare", "a memory without debug access")

/// Asks for its first tick as early as can be, and then for all others.
class Ticker final : public spica::base::Component {
 public:
  Ticker(const Name& name, const spica::base::ClockDomain& clock) : Component(name, clock) {
    in.register_b_transport(this, &Ticker::serve);
    wake_next();
  }
  tlm_utils::simple_target_socket<Ticker> in{"in"};

  void tick() override {
    ++ticks_;
    wake_next();
  }
  void reset() override {}
  bool idle() const override { return true; }
  spica::base::StatGroup& stats() override { return stats_; }
  void dump_state(std::ostream&) const override {}

 private:
  void serve(Payload& payload, sc_core::sc_time&) {
    ++reads_;
    std::memset(payload.get_data_ptr(), 0, 4);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  spica::base::StatGroup stats_;
  spica::base::Counter ticks_{stats_, "ticks", spica::base::Unit::kCount, "cycles"};
  spica::base::Counter reads_{stats_, "reads", spica::base::Unit::kCount, "accesses"};
};
SPICA_BLOCK(Ticker, "ticker", "ticks in every cycle")

}  // namespace

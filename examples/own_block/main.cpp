// SPDX-License-Identifier: Apache-2.0
// A block of one's own in the machine: a generator of random numbers that the cores read at an address. It has a clock
// and statistics like the blocks of Spica, and takes part in both modes.
#include <spica/models/protocol/transport/sockets.h>
#include <spica/platform/machine/soc/block.h>
#include <spica/spica.h>

#include <cstring>
#include <iostream>
#include <random>

using namespace spica;

/// Shape   one register of 4 bytes, whatever the address; stores are refused
/// Timing  a number a cycle, given in the cycle after the request
class RandomNumbers final : public base::Component, private protocol::RequestHandler {
 public:
  struct Params {
    std::uint64_t seed = 1;

    template <class Self, class Visit>
    static void describe(Self& p, Visit&& field) {
      field("seed", p.seed, "seed", base::Range{0, 4294967295.0}, "of the generator");
    }
  };

  RandomNumbers(const sc_core::sc_module_name& name, const Params& params, const base::ClockDomain& clock)
      : Component(name, clock), random_(static_cast<std::uint32_t>(params.seed)) {
    in.attach(*this);
  }

  protocol::TargetSocket in{"in"};

  void tick() override {
    serve(*std::exchange(request_, nullptr));
    in.respond(*answered_);
  }
  void reset() override { request_ = nullptr; }
  bool idle() const override { return request_ == nullptr; }
  base::StatGroup& stats() override { return stats_; }
  void dump_state(std::ostream&) const override {}

 private:
  bool on_request(unsigned, protocol::Payload& payload) override {
    if (request_ != nullptr) return false;  // the bus sends one after the other
    request_ = &payload;
    wake_next();
    return true;
  }
  unsigned on_debug(unsigned, protocol::Payload&) override { return 0; }
  void on_blocking(unsigned, protocol::Payload& payload, sc_core::sc_time&) override { serve(payload); }

  void serve(protocol::Payload& payload) {
    answered_ = &payload;
    if (!payload.is_read()) return payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    const std::uint32_t number = random_() % 65536;
    std::memcpy(payload.get_data_ptr(), &number, payload.get_data_length());
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    ++drawn_;
  }

  std::mt19937 random_;
  protocol::Payload *request_ = nullptr, *answered_ = nullptr;
  base::StatGroup stats_;
  base::Counter drawn_{stats_, "drawn", base::Unit::kCount, "numbers given away"};
};
SPICA_BLOCK(RandomNumbers, "random_numbers", "gives a random number to each load")

int main(int, char* argv[]) {
  Machine machine(argv[1]);
  machine.load(argv[2]);
  if (!machine.run().good()) return 1;
  std::cout << machine.output() << machine.statistic("cluster_0.dice.drawn") << " numbers drawn\n";
}

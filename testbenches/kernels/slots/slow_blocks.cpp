// SPDX-License-Identifier: Apache-2.0
// Blocks that answer when their clock has ticked, and say nothing of the fast mode.
#include <spica/models/protocol/transport/sockets.h>
#include <spica/platform/machine/soc/block.h>

#include <cstring>
#include <utility>
#include <vector>

namespace {

using namespace spica;
using Name = sc_core::sc_module_name;
using protocol::Payload;

/// A register that reads 7, when answer() is called.
class SlowRegister : public base::Component, private protocol::RequestHandler {
 public:
  SlowRegister(const Name& name, const base::ClockDomain& clock) : Component(name, clock) {
    in.attach(*this);
  }
  protocol::TargetSocket in{"in"};

  void reset() override { asked_.clear(); }
  bool idle() const override { return asked_.empty(); }
  base::StatGroup& stats() override { return stats_; }
  void dump_state(std::ostream&) const override {}

 protected:
  void answer(std::uint32_t number = 7) {
    for (Payload* payload : std::exchange(asked_, {})) {
      if (payload->is_read()) std::memcpy(payload->get_data_ptr(), &number, payload->get_data_length());
      payload->set_response_status(tlm::TLM_OK_RESPONSE);
      in.respond(*payload);
    }
  }
  virtual void begin() = 0;

  std::vector<Payload*> asked_;
  base::StatGroup stats_;
  base::Counter ticks_{stats_, "ticks", base::Unit::kCount, "cycles in which it did something"};
  base::Counter latency_{stats_, "latency", base::Unit::kCycles, "cycles that requests waited"};

 private:
  bool on_request(unsigned, Payload& payload) override {
    asked_.push_back(&payload);
    begin();
    return true;
  }
  unsigned on_debug(unsigned, Payload&) override { return 0; }
};

class Late final : public SlowRegister {
 public:
  using SlowRegister::SlowRegister;
  void tick() override {
    ++ticks_;
    latency_ += now() - began_;
    answer();
  }

 private:
  void begin() override {
    began_ = now();
    wake_at(began_ + 100);
  }
  base::Cycle began_ = 0;
};
SPICA_BLOCK(Late, "late", "answers after 100 cycles")

class Never final : public SlowRegister {
 public:
  using SlowRegister::SlowRegister;
  void tick() override {}

 private:
  void begin() override {}
};
SPICA_BLOCK(Never, "never", "takes requests and forgets them")

class Busy final : public SlowRegister {
 public:
  using SlowRegister::SlowRegister;
  void tick() override { wake_next(); }

 private:
  void begin() override { wake_next(); }
};
SPICA_BLOCK(Busy, "busy", "ticks for ever, and never answers")

class Pairs final : public SlowRegister {
 public:
  using SlowRegister::SlowRegister;
  void tick() override { answer(); }

 private:
  void begin() override {
    if (asked_.size() == 2) wake_next();
  }
};
SPICA_BLOCK(Pairs, "pairs", "holds a request until there are two")

/// Reads a word of another block for each request.
class Fetcher final : public SlowRegister, private protocol::ResponseHandler {
 public:
  struct Params {
    std::uint64_t from = 0;

    template <class Self, class Visit>
    static void describe(Self& p, Visit&& field) {
      field("from", p.from, "address", base::Range{0, 4294967295.0}, "what it reads there");
    }
  };
  Fetcher(const Name& name, const Params& params, const base::ClockDomain& clock)
      : SlowRegister(name, clock), from_(params.from) {
    out.attach(*this);
  }
  protocol::InitiatorSocket out{"out"};
  void tick() override {
    ++ticks_;
    if (std::exchange(fetched_, false)) return answer(word_);
    protocol::LinePayload& payload = pool_.take();
    payload.setup(tlm::TLM_READ_COMMAND, from_, 4, {});
    out.send(payload);
  }

 private:
  void begin() override { wake_next(); }
  void on_response(unsigned, Payload& payload) override {
    std::memcpy(&word_, payload.get_data_ptr(), 4);
    pool_.drop(static_cast<protocol::LinePayload&>(payload));
    fetched_ = true;
    wake_next();
  }
  void on_ready(unsigned) override {}

  const std::uint64_t from_;
  protocol::LinePool pool_;
  std::uint32_t word_ = 0;
  bool fetched_ = false;
};
SPICA_BLOCK(Fetcher, "fetcher", "reads what another block has at an address")

}  // namespace

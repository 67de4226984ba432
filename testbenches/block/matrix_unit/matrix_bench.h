// SPDX-License-Identifier: Apache-2.0
// A matrix unit with its DMA, global and shared memory stubs, and a driver that plays a core.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <vector>

#include "models/dma/dma.h"
#include "models/matrix_unit/accelerator_node.h"
#include "models/matrix_unit/matrix_unit.h"
#include "models/matrix_unit/matrix_unit_regs.h"
#include "testbenches/support/bench.h"

namespace spica::testbench {

/// Shared memory with one flat array and three ports (A, B, DMA), each one beat per cycle with a
/// fixed latency and two requests waiting. With `one_bank` the two read ports share one beat per
/// cycle.
class SharedStub final : public base::Component, private protocol::RequestHandler {
 public:
  SharedStub(const sc_core::sc_module_name& name, const base::ClockDomain& clock, std::size_t bytes,
             Cycle latency, bool one_bank = false)
      : Component(name, clock), bytes_(bytes), latency_(latency), one_bank_(one_bank) {
    for (unsigned i = 0; i < 3; ++i) sockets[i]->attach(*this, i);
  }
  ~SharedStub() override {
    for (auto* socket : sockets) delete socket;
  }

  protocol::TargetSocket* sockets[3] = {new protocol::TargetSocket("a"), new protocol::TargetSocket("b"),
                                        new protocol::TargetSocket("w")};
  std::vector<unsigned char>& bytes() { return bytes_; }
  std::uint64_t read_bytes = 0, written_bytes = 0;
  Cycle first_read = base::kNever;
  unsigned longest_burst = 0;  // beats
  /// Lowest address written with the cycle of its first write, for order checks.
  std::vector<std::pair<std::uint64_t, Cycle>> writes;

  void tick() override {
    const unsigned first = turn_;
    for (unsigned i = 0; i < 3; ++i) {
      const unsigned port = i == 2 ? 2 : first ^ i;
      if (waiting_[port].empty() || (one_bank_ && port != 2 && last_read_ == now())) continue;
      if (port != 2) {
        last_read_ = now();
        turn_ = port ^ 1;
      }
      Waiting& head = waiting_[port].front();
      if (--head.beats != 0) continue;
      answers_[port].push_back({head.payload, now() + latency_ - 1});
      waiting_[port].pop_front();
      if (Payload* held = sockets[port]->held(); held != nullptr) {
        enqueue(port, *held);
        sockets[port]->take_held();
      }
    }
    for (unsigned port = 0; port < 3; ++port) {
      auto& answers = answers_[port];
      while (!answers.empty() && answers.front().due <= now()) {
        Payload& p = *answers.front().payload;
        answers.pop_front();
        answer(port, p);
      }
      if (!answers.empty()) wake_at(answers.front().due);
      if (!waiting_[port].empty()) wake_next();
    }
  }
  void reset() override {
    for (auto& waiting : waiting_) waiting.clear();
    for (auto& answers : answers_) answers.clear();
    for (auto* socket : sockets) socket->reset();
  }
  bool idle() const override {
    for (unsigned port = 0; port < 3; ++port)
      if (!waiting_[port].empty() || !answers_[port].empty()) return false;
    return true;
  }
  base::StatGroup& stats() override { return stats_; }
  void dump_state(std::ostream&) const override {}

 private:
  struct Waiting {
    Payload* payload;
    unsigned beats;  // still to serve
  };
  struct Answer {
    Payload* payload;
    Cycle due;
  };
  bool on_request(unsigned port, Payload& payload) override {
    if (payload.is_read() && first_read == base::kNever) first_read = now();
    if (waiting_[port].size() == 2) return false;
    enqueue(port, payload);
    return true;
  }
  unsigned on_debug(unsigned, Payload&) override { return 0; }
  void enqueue(unsigned port, Payload& payload) {
    const unsigned beat = protocol::info_of(payload).beat_bytes;
    const unsigned beats = beat == 0 ? 1 : payload.get_data_length() / beat;
    longest_burst = std::max(longest_burst, beats);
    waiting_[port].push_back({&payload, beats});
    wake_next();
  }
  void answer(unsigned port, Payload& p) {
    unsigned char* at = &bytes_.at(p.get_address());
    if (p.is_read()) {
      std::memcpy(p.get_data_ptr(), at, p.get_data_length());
      read_bytes += p.get_data_length();
    } else {
      std::memcpy(at, p.get_data_ptr(), p.get_data_length());
      written_bytes += p.get_data_length();
      writes.push_back({p.get_address(), now()});
    }
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    sockets[port]->respond(p);
  }

  std::vector<unsigned char> bytes_;
  const Cycle latency_;
  const bool one_bank_;
  std::deque<Waiting> waiting_[3];
  std::deque<Answer> answers_[3];
  Cycle last_read_ = base::kNever;
  unsigned turn_ = 0;
  base::StatGroup stats_;
};

/// Stands between the DMA and global memory and turns one address into an error.
class FaultyBus final : public sc_core::sc_module,
                        private protocol::RequestHandler,
                        private protocol::ResponseHandler {
 public:
  explicit FaultyBus(const sc_core::sc_module_name& name) : sc_module(name) {
    in.attach(*this);
    out.attach(*this);
  }
  protocol::TargetSocket in{"in"};
  protocol::InitiatorSocket out{"out"};
  std::uint64_t bad = ~std::uint64_t{0};
  std::vector<protocol::Origin> origins;  // of all requests

 private:
  bool on_request(unsigned, Payload& payload) override {
    origins.push_back(protocol::info_of(payload).origin);
    out.send(payload);
    if (!out.ready()) return false;
    return true;
  }
  unsigned on_debug(unsigned, Payload&) override { return 0; }
  void on_response(unsigned, Payload& payload) override {
    if (payload.get_address() == bad) payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    in.respond(payload);
  }
  void on_ready(unsigned) override { in.take_held(); }
};

/// Plays one core: register writes, CSR commands and fences (polls of the busy register), one after
/// the other.
class Driver final : public base::Component, private protocol::ResponseHandler {
 public:
  Driver(const sc_core::sc_module_name& name, const base::ClockDomain& clock, protocol::AcceleratorIf& node)
      : Component(name, clock), node_(node) {
    mmio.attach(*this);
  }

  protocol::InitiatorSocket mmio{"mmio"};

  void write(std::uint32_t offset, std::uint32_t value) { add({Kind::kWrite, offset, value}); }
  void cisc(std::uint32_t word) { add({Kind::kCommand, 0, word}); }
  /// Waits until the busy register has read 0 `polls` times in a row (published software does
  /// several).
  void fence() { add({Kind::kFence, 4, 0}); }
  void wait(Cycle cycles) { add({Kind::kDelay, static_cast<std::uint32_t>(cycles), 0}); }
  void read(std::uint32_t offset) { add({Kind::kRead, offset, 0}); }
  /// Latches both operands and launches `function`.
  void rocc(unsigned function, std::uint64_t rs1, std::uint64_t rs2) {
    write(MATRIX_UNIT_RS1_LO, static_cast<std::uint32_t>(rs1));
    write(MATRIX_UNIT_RS1_HI, static_cast<std::uint32_t>(rs1 >> 32));
    write(MATRIX_UNIT_RS2_LO, static_cast<std::uint32_t>(rs2));
    write(MATRIX_UNIT_RS2_HI, static_cast<std::uint32_t>(rs2 >> 32));
    write(MATRIX_UNIT_INSTRUCTION, MATRIX_UNIT_INSTRUCTION_BASE | MATRIX_UNIT_RS2_FIELD | function << 25);
  }

  Cycle last = 0;                     // cycle of the last finished action
  std::vector<Cycle> commands;        // cycles of CSR writes
  std::vector<std::uint32_t> values;  // results of read()
  unsigned errors = 0;                // accesses answered with an error
  protocol::Origin origin{protocol::Origin::Unit::kCore, 3, 1, 0x80000040, 1};

  void tick() override {
    if (waiting_ || now() < resume_) {
      if (!waiting_) wake_at(resume_);
      return;
    }
    if (next_ == plan_.size()) return;
    const Action action = plan_[next_];
    switch (action.kind) {
      case Kind::kWrite: return send(tlm::TLM_WRITE_COMMAND, action.offset, action.value);
      case Kind::kRead: return send(tlm::TLM_READ_COMMAND, action.offset, 0);
      case Kind::kFence: return send(tlm::TLM_READ_COMMAND, MATRIX_UNIT_BUSY, 0);
      case Kind::kDelay: resume_ = now() + action.offset; break;
      case Kind::kCommand:
        commands.push_back(now());
        node_.command(origin.core, action.value, origin);
        resume_ = now() + 4;  // a CSR write takes the core a few cycles
        break;
    }
    finish();
  }
  void reset() override {
    next_ = plan_.size();
    waiting_ = false;
    mmio.reset();
  }
  bool idle() const override { return next_ == plan_.size() && !waiting_; }
  base::StatGroup& stats() override { return stats_; }
  void dump_state(std::ostream&) const override {}

 private:
  enum class Kind { kWrite, kRead, kCommand, kFence, kDelay };
  struct Action {
    Kind kind;
    std::uint32_t offset, value;
  };
  void add(Action action) {
    plan_.push_back(action);
    wake_next();
  }
  void send(tlm::tlm_command command, std::uint32_t offset, std::uint32_t value) {
    LinePayload& line = lines_.take();
    line.setup(command, offset, 4, origin);
    std::memcpy(line.data.data(), &value, 4);
    waiting_ = true;
    mmio.send(line);
  }
  void finish() {
    last = now();
    ++next_;
    zeros_ = 0;
    wake_next();
  }
  void on_response(unsigned, Payload& payload) override {
    waiting_ = false;
    const Action action = plan_[next_];
    std::uint32_t value;
    std::memcpy(&value, payload.get_data_ptr(), 4);
    if (payload.is_response_error()) ++errors;
    lines_.drop(static_cast<LinePayload&>(payload));
    if (action.kind == Kind::kRead) values.push_back(value);
    if (action.kind == Kind::kFence) {
      zeros_ = value == 0 ? zeros_ + 1 : 0;
      if (zeros_ < action.offset) return wake_next();
    }
    finish();
  }
  void on_ready(unsigned) override {}

  protocol::AcceleratorIf& node_;
  std::vector<Action> plan_;
  std::size_t next_ = 0;
  bool waiting_ = false;
  unsigned zeros_ = 0;
  Cycle resume_ = 0;
  protocol::LinePool lines_;
  base::StatGroup stats_;
};

/// Everything bound together, in the tick order of a cluster.
struct MatrixBench {
  struct Options {
    matrix_unit::MatrixUnitParams unit{};
    dma::DmaParams dma{};
    Cycle gmem_latency = 20;
    std::size_t gmem_capacity = 64;
    Cycle smem_latency = 4;
    bool one_bank = false;
  };

  explicit MatrixBench(const Options& o)
      : options(o),
        gmem("gmem", bench.clock, o.gmem_latency, o.gmem_capacity),
        shared("shared", bench.clock, o.unit.shared_bytes, o.smem_latency, o.one_bank),
        dma("dma", o.dma, bench.clock),
        unit("unit", o.unit, bench.clock),
        node("node", 1, bench.clock),
        driver("driver", bench.clock, node) {
    unit.smem_a.bind(*shared.sockets[0]);
    unit.smem_b.bind(*shared.sockets[1]);
    dma.smem.bind(*shared.sockets[2]);
    unit.dma.bind(dma.in);
    dma.gmem.bind(bus.in);
    bus.out.bind(gmem.socket);
    dma.accumulator.bind(unit.accumulator);
    driver.mmio.bind(unit.mmio);
    unit.fault(faults);
    node.fault(faults);
    node.out[0].bind(unit);
    bench.add(gmem);
    bench.add(shared);
    bench.add(dma);
    bench.add(unit);
    bench.add(node);
    bench.add(driver);
  }

  const Options options;
  Bench bench;
  FaultSink faults{"faults"};
  MemoryStub gmem;
  FaultyBus bus{"bus"};
  SharedStub shared;
  dma::Dma dma;
  matrix_unit::MatrixUnit unit;
  matrix_unit::AcceleratorNode node;
  Driver driver;

  bool idle() const { return unit.idle() && dma.idle() && driver.idle(); }
};

}  // namespace spica::testbench

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <vector>

#include "models/base/bounded_queue.h"
#include "models/base/calendar.h"
#include "models/base/component.h"
#include "models/console/console_params.h"
#include "models/protocol/ports/console_if.h"
#include "models/protocol/transport/sockets.h"

namespace spica::console {

/// A window of plain RAM whose stores are characters: the print buffer and putchar (IO_COUT).
///
/// Every stored byte is passed on as a character, in order of service and, within a store, of address; the address does
/// not affect its position in the text. Loads return the value stored last.
///
/// Accepts  LinePayload at guest addresses, byte enables count
/// Timing   one request per cycle, in order. A request sent in cycle t is served in t+1 at the earliest, and answered
///          latency - 1 cycles after its service
/// Errors   outside the window TLM_ADDRESS_ERROR_RESPONSE; atomics TLM_COMMAND_ERROR_RESPONSE
/// Source   virgo tile/RadianceCluster.scala
class Console final : public base::Component, private protocol::RequestHandler {
 public:
  Console(const sc_core::sc_module_name& name, const ConsoleParams& params, const base::ClockDomain& clock);

  protocol::TargetSocket in{"in"};
  sc_core::sc_port<protocol::ConsoleIf> console{"console"};

  void tick() override;
  void reset() override;
  bool idle() const override { return queue_.empty() && in.held() == nullptr && responses_.empty(); }
  base::StatGroup& stats() override { return stats_; }
  const base::BlockType& type() const override { return block_type(); }
  static const base::BlockType& block_type();
  base::AreaTerms area() const override;
  void dump_state(std::ostream& out) const override;
  void architecture(base::Checkpoint& checkpoint) override;
  bool timing(base::Checkpoint& checkpoint) override;

 private:
  struct Item {
    protocol::Payload* payload;
    base::Cycle ready;
  };
  bool on_request(unsigned port, protocol::Payload& payload) override;
  unsigned on_debug(unsigned port, protocol::Payload& payload) override;
  void on_blocking(unsigned, protocol::Payload& payload, sc_core::sc_time&) override { serve(payload); }
  void serve(protocol::Payload& payload);
  /// Moves the enabled bytes; false when the range is not inside the window.
  bool move(protocol::Payload& payload);

  const ConsoleParams params_;
  std::vector<unsigned char> ram_;
  base::BoundedQueue<Item> queue_;
  base::Calendar<protocol::Payload*> responses_;

  base::StatGroup stats_;
  base::Counter& stores_;
  base::Counter& loads_;
  base::Counter& characters_;
};

}  // namespace spica::console

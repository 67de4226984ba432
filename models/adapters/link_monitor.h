// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <ostream>

#include "models/adapters/transaction_monitor.h"
#include "models/base/component.h"

namespace spica::adapters {

/// Counts the transactions of a link and their duration, without changing them. The counters are statistics like those
/// of any block.
///
/// Shape    between two sockets of the same protocol, 32 bit: `link.in` and `link.out`
template <class Types = tlm::tlm_base_protocol_types>
class LinkMonitor final : public base::Component {
 public:
  LinkMonitor(const sc_core::sc_module_name& name, const base::ClockDomain& clock) : Component(name, clock) {}

  struct Stats final : base::StatGroup {
    using Unit = base::Unit;
    base::Counter reads{*this, "reads", Unit::kCount, "reads that were answered"};
    base::Counter writes{*this, "writes", Unit::kCount, "writes that were answered"};
    base::Counter others{*this, "others", Unit::kCount,
                         "transactions without a command of the base protocol"};
    base::Counter errors{*this, "errors", Unit::kCount, "transactions answered with an error"};
    base::Counter bytes_read{*this, "bytes_read", Unit::kBytes, "data of the reads"};
    base::Counter bytes_written{*this, "bytes_written", Unit::kBytes, "data of the writes"};
    base::Counter latency{*this, "latency", Unit::kCycles,
                          "from request to response, all transactions together"};
    base::Counter longest{*this, "longest", Unit::kCycles, "from request to response, the longest"};
  };

  TransactionMonitor<32, Types> link{"link", [this](const Transaction& t) { count(t); }};

  void tick() override {}
  void reset() override {}
  bool idle() const override { return true; }
  Stats& stats() override { return stats_; }
  void dump_state(std::ostream&) const override {}

 private:
  void count(const Transaction& t) {
    const base::Cycle cycles = (t.end - t.begin).value() / this->clock().period().value();
    stats_.latency += cycles;
    stats_.longest += std::max(cycles, stats_.longest.value()) - stats_.longest.value();
    if (t.status != tlm::TLM_OK_RESPONSE) ++stats_.errors;
    if (t.command == tlm::TLM_READ_COMMAND) {
      ++stats_.reads;
      stats_.bytes_read += t.bytes;
    } else if (t.command == tlm::TLM_WRITE_COMMAND) {
      ++stats_.writes;
      stats_.bytes_written += t.bytes;
    } else {
      ++stats_.others;
    }
  }

  Stats stats_;
};

}  // namespace spica::adapters

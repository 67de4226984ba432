// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <systemc>
#include <utility>
#include <vector>

#include "models/base/calendar.h"
#include "models/base/component.h"
#include "models/base/port_set.h"
#include "models/main_memory/back_end.h"
#include "models/main_memory/main_memory_params.h"
#include "models/main_memory/main_memory_stats.h"
#include "models/main_memory/storage.h"
#include "models/protocol/ports/byte_store.h"
#include "models/protocol/ports/read_watch_if.h"
#include "models/protocol/transport/sockets.h"

namespace spica::main_memory {

/// Main memory: the bytes of the machine, and a back end for their timing.
///
/// Shape    one port, or one for each slice of the level 2 cache (Params::slices)
/// Accepts  line requests (for DRAM they must not cross an interleave boundary), any number per cycle; holds a request
///          while its back end has no room
/// Timing   of its back end: DramBackEnd, FixedBackEnd, DramsysBackEnd, or your own
/// Data     moved when the back end reports a request as done; timing_only requests move nothing
/// Errors   outside of the memory: TLM_ADDRESS_ERROR_RESPONSE; atomics: TLM_COMMAND_ERROR_RESPONSE (they are performed
///          by caches); both after request_latency and response_latency
class MainMemory final : public base::Component,
                         public protocol::ByteStore,
                         public protocol::ReadWatchIf,
                         private protocol::RequestHandler,
                         private BackEndUser {
 public:
  /// `back_end` creates the back end; without it, the parameters name one.
  MainMemory(const sc_core::sc_module_name& name, const Params& params, const base::ClockDomain& clock,
             const BackEndFactory& back_end = make_back_end);

  protocol::TargetSocket in{"in"};  // of the level 2 cache, or of its first slice
  std::vector<std::unique_ptr<protocol::TargetSocket>> more_in;  // "in_1" ...: of the other slices

  void tick() override;
  /// Resets timing only: the bytes keep their values, as in DRAM.
  void reset() override;
  // protocol::ByteStore: all of them
  unsigned char* data() override { return storage_.at(params_.base); }
  std::size_t size() const override { return params_.size; }
  // protocol::ReadWatchIf
  void watch_reads(std::vector<Range> ranges, Watcher watcher) override {
    watched_ = std::move(ranges);
    watcher_ = std::move(watcher);
  }
  bool idle() const override;
  Stats& stats() override { return stats_; }
  void catch_up() override { back_end_->catch_up(now()); }
  void settle_stats() override {
    catch_up();
    Component::settle_stats();
  }
  const base::BlockType& type() const override { return block_type(); }
  base::Properties properties() const override {
    return {{"channels", static_cast<double>(params_.channels)},
            {"peak_bytes", params_.peak_bytes_per_cycle(clock().period().to_seconds() * 1e12)}};
  }
  static const base::BlockType& block_type();
  void dump_state(std::ostream& out) const override;
  void architecture(base::Checkpoint& checkpoint) override;
  /// Not saved: held_, which is what the sockets say.
  bool timing(base::Checkpoint& checkpoint) override;

 private:
  bool on_request(unsigned port, protocol::Payload& payload) override;
  unsigned on_debug(unsigned port, protocol::Payload& payload) override;
  bool on_direct_memory(unsigned port, protocol::Payload& payload, tlm::tlm_dmi& dmi) override;

  void done(protocol::Payload& payload, base::Cycle due) override;
  void wake(base::Cycle cycle) override { wake_at(std::max(cycle, now())); }

  protocol::TargetSocket& port(unsigned number) { return number == 0 ? in : *more_in[number - 1]; }
  protocol::TargetSocket& port_of(const protocol::Payload& payload) {
    return more_in.empty() ? in : port(params_.slices->slice(payload.get_address()));
  }
  bool accept(protocol::Payload& payload);
  void take_held();
  void report_read(const protocol::Payload& payload);
  void refuse(protocol::Payload& payload, tlm::tlm_response_status status);
  void move(protocol::Payload& payload);
  void respond_now();

  const Params params_;
  Storage storage_;
  base::Calendar<protocol::Payload*> responses_;
  base::PortSet held_;  // ports that hold a request
  std::vector<protocol::Payload*> due_now_;  // completed in this cycle, responses included
  Stats stats_;
  std::unique_ptr<BackEnd> back_end_;
  // Not saved: watched_, watcher_, which belong to an observer.
  std::vector<Range> watched_;
  Watcher watcher_;
};

}  // namespace spica::main_memory

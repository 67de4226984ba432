// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "models/base/bounded_queue.h"
#include "models/main_memory/back_end.h"
#include "models/main_memory/channel_map.h"
#include "models/main_memory/dram_channel.h"
#include "models/main_memory/main_memory_params.h"
#include "models/main_memory/main_memory_stats.h"

namespace spica::main_memory {

/// DRAM channels, each with a queue, a scheduler and a port.
///
/// Shape    `channels` channels (ChannelMap); `transaction_queue` requests each
/// Accepts  requests that do not cross an interleave boundary, any number per cycle, while the queue of their channel
///          has room
/// Timing   request_latency to the scheduler of the channel, DramChannel, response_latency and the beats of the
///          channel's port. DRAM times are kept in picoseconds and rounded up to cycles once, at the end of the data
///          burst. A request is done when the scheduler takes it; its response comes later
/// Source   testchipip dramsim2_ini; chipyard RadianceConfigs.scala
class DramBackEnd final : public BackEnd {
 public:
  explicit DramBackEnd(const BackEndContext& context);

  bool offer(const Access& access, base::Cycle now) override;
  void tick(base::Cycle now) override;
  base::Cycle next(base::Cycle now) const override;
  void reset(base::Cycle now) override;
  void catch_up(base::Cycle now) override { use_.advance(now); }
  bool idle() const override;
  void leave_open(std::uint64_t offset) override {
    const ChannelMap::Place place = map_.place(offset);
    DramChannel& dram = channels_[place.channel].dram;
    dram.leave_open(dram.locate(place.within));
  }
  void dump(std::ostream& out, const char* name) const override;
  bool timing(base::Checkpoint& checkpoint) override;

 private:
  struct Queued {
    Access access;
    std::uint64_t within = 0;  // offset in the channel
    Location location;  // location of its first byte
    base::Cycle due = 0;  // cycle in which it reaches the scheduler
  };
  struct Channel {
    explicit Channel(const Params& params) : dram(params.dram), queue(params.transaction_queue) {}
    template <class Archive>
    void serialize(Archive& archive) {
      archive(dram, queue, write_free, read_free);
    }
    DramChannel dram;
    base::BoundedQueue<Queued> queue;  // in order of arrival
    base::Cycle write_free = 0;  // first cycle in which the port accepts write data
    base::Cycle read_free = 0;  // first cycle in which the port returns read data
  };

  void schedule(std::size_t channel, base::Cycle now);
  std::size_t pick(const Channel& channel, base::Cycle now) const;
  void issue(std::size_t channel, const Queued& queued, base::Cycle now);
  Picoseconds issue_pieces(std::size_t channel, const Queued& queued, base::Cycle now);
  /// Until the scheduler takes it, the first request of the queue waits from its arrival there.
  void charge_wait(std::size_t channel, base::Cycle now);
  base::Cycle beats(unsigned bytes) const;
  Picoseconds start_of(base::Cycle cycle) const { return cycle * cycle_ps_; }
  base::Cycle first_cycle(Picoseconds from) const { return first_cycle_from(from, cycle_ps_); }

  const Params params_;
  const ChannelMap map_;
  const Picoseconds cycle_ps_;
  Stats& stats_;
  BackEndUser& user_;
  std::vector<Channel> channels_;
  base::ChannelAccounts use_;
};

}  // namespace spica::main_memory

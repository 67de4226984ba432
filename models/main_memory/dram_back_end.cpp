// SPDX-License-Identifier: Apache-2.0
#include "models/main_memory/dram_back_end.h"

#include <algorithm>
#include <ostream>

#include "models/base/checkpoint.h"
#include "models/main_memory/main_memory_stats.h"
#include "models/protocol/payload/payload_pool.h"

namespace spica::main_memory {

using base::Cycle;

DramBackEnd::DramBackEnd(const BackEndContext& context)
    : params_(context.params),
      map_(context.params),
      cycle_ps_(context.cycle_ps),
      stats_(context.stats),
      user_(context.user),
      use_(stats_, params_.channels, "channels", "cycles of a channel by reason",
           {"idle", "moving", "channel_busy", "queue_full", "banks"}) {
  channels_.reserve(params_.channels);
  for (std::uint64_t i = 0; i < params_.channels; ++i) channels_.emplace_back(params_);
}

Cycle DramBackEnd::beats(unsigned bytes) const {
  return std::max<Cycle>(1, (bytes + params_.port_bytes_per_cycle - 1) / params_.port_bytes_per_cycle);
}

bool DramBackEnd::offer(const Access& access, Cycle now) {
  const ChannelMap::Place place = map_.place(access.offset);
  Channel& channel = channels_[place.channel];
  if (channel.queue.full()) {
    use_[place.channel].wait(kQueueFull, now);
    return false;
  }
  Cycle due = now + params_.request_latency;
  if (access.write) {
    due = std::max(due, channel.write_free) + beats(access.bytes) - 1;
    channel.write_free = due + 1;
  }
  if (!channel.queue.empty()) due = std::max(due, channel.queue.back().due);  // in order
  channel.queue.push({access, place.within, channel.dram.locate(place.within), due});
  if (channel.queue.size() == 1) charge_wait(place.channel, now);
  return true;
}

void DramBackEnd::tick(Cycle now) {
  for (std::size_t i = 0; i < channels_.size(); ++i)
    if (!channels_[i].queue.empty()) schedule(i, now);
}

/// When the first request of a channel has come and its data bus is near enough.
Cycle DramBackEnd::next(Cycle) const {
  Cycle next = base::kNever;
  for (const Channel& channel : channels_) {
    if (channel.queue.empty()) continue;
    const Picoseconds ahead = channel.dram.lookahead();
    const Picoseconds bus = channel.dram.bus_free();
    next = std::min(next,
                    std::max(channel.queue.front().due, bus > ahead ? first_cycle(bus - ahead) : Cycle{0}));
  }
  return next;
}

void DramBackEnd::schedule(std::size_t number, Cycle now) {
  Channel& channel = channels_[number];
  while (!channel.queue.empty() && channel.queue.front().due <= now &&
         channel.dram.bus_free() <= start_of(now) + channel.dram.lookahead()) {
    issue(number, channel.queue.take(pick(channel, now)), now);
    charge_wait(number, now);
  }
}

void DramBackEnd::charge_wait(std::size_t number, Cycle now) {
  const Channel& channel = channels_[number];
  if (channel.queue.empty()) use_[number].stop_waiting(now);
  else use_[number].wait(std::max(channel.queue.front().due, now), base::kNever, kBanks, now);
}

std::size_t DramBackEnd::pick(const Channel& channel, Cycle now) const {
  if (params_.dram.scheduling == Scheduling::kFcfs) return 0;
  for (std::size_t i = 0; i < channel.queue.size() && channel.queue[i].due <= now; ++i)
    if (channel.dram.row_hit(channel.queue[i].location)) return i;
  return 0;
}

/// The part in each bank is an access of its own. Returns the end of the data.
Picoseconds DramBackEnd::issue_pieces(std::size_t number, const Queued& queued, Cycle now) {
  Channel& channel = channels_[number];
  const std::uint64_t access_bytes = params_.dram.access_bytes;
  const std::uint64_t bank_bytes = params_.dram.consecutive_in_bank();
  const std::uint64_t end = queued.within + std::max(1u, queued.access.bytes);
  Location location = queued.location;
  for (std::uint64_t from = queued.within;; location = channel.dram.locate(from)) {
    const std::uint64_t to = std::min(end, (from / bank_bytes + 1) * bank_bytes);
    const auto bursts = static_cast<unsigned>((to - 1) / access_bytes - from / access_bytes + 1);
    const Cycle free = first_cycle(channel.dram.bus_free());
    const DramChannel::Issued issued =
        channel.dram.issue(start_of(now), location, queued.access.write, bursts);
    const Cycle begin = std::max<Cycle>(free, issued.data_start / cycle_ps_);
    const Cycle passed = first_cycle(issued.data_end);
    if (passed > begin) use_[number].carry(begin, passed, now);
    switch (issued.kind) {
      case DramChannel::Kind::kRowHit: ++stats_.row_hits; break;
      case DramChannel::Kind::kRowMiss: ++stats_.row_misses; break;
      case DramChannel::Kind::kRowConflict: ++stats_.row_conflicts; break;
    }
    if (to == end) return issued.data_end;
    from = to;
  }
}

void DramBackEnd::issue(std::size_t number, const Queued& queued, Cycle now) {
  Channel& channel = channels_[number];
  const std::uint64_t refreshes = channel.dram.refreshes();
  Cycle done = first_cycle(issue_pieces(number, queued, now));
  stats_.refreshes += channel.dram.refreshes() - refreshes;
  if (!queued.access.write) {
    const Cycle length = beats(queued.access.bytes);
    done = std::max(done, channel.read_free);
    channel.read_free = done + length;
    done += length - 1;
  }
  user_.done(*queued.access.payload, done + params_.response_latency);
}

void DramBackEnd::reset(Cycle now) {
  use_.clear(now);
  for (Channel& channel : channels_) {
    channel.dram.clear(start_of(now));
    channel.queue.clear();
    channel.write_free = 0;
    channel.read_free = 0;
  }
}

bool DramBackEnd::idle() const {
  return std::all_of(channels_.begin(), channels_.end(),
                     [](const Channel& channel) { return channel.queue.empty(); });
}

void DramBackEnd::dump(std::ostream& out, const char* name) const {
  for (std::size_t i = 0; i < channels_.size(); ++i)
    if (!channels_[i].queue.empty())
      out << name << " channel " << i << ": " << channels_[i].queue.size() << " requests queued\n";
}

bool DramBackEnd::timing(base::Checkpoint& checkpoint) {
  checkpoint.each(channels_);
  checkpoint(use_);
  return true;
}

}  // namespace spica::main_memory

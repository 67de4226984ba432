// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace spica::check {

/// Number of a section of an agent's execution, between two points at which others can synchronise with it.
using Epoch = std::uint32_t;

/// Reads and writes of an agent are ordered for others at different times: a load when its value is used, a store when
/// a fence has waited for it.
enum class Access : std::uint8_t { kWrite, kRead };

/// For each agent, the epoch up to which its writes and its reads are known to be complete. Agents mostly know their
/// neighbours only, and what they learn from one place is equal: clocks are made of pages of agents, which copies share
/// until one of them changes. A page of which nothing is known takes no memory.
class Clock {
 public:
  explicit Clock(unsigned agents = 0) : pages_((agents + kAgents - 1) / kAgents) {}

  Epoch of(unsigned agent, Access access) const {
    const Page* page = pages_[agent / kAgents].get();
    return page == nullptr ? 0 : page->known[index(agent, access)];
  }
  void raise(unsigned agent, Access access, Epoch epoch) {
    if (of(agent, access) < epoch) own(pages_[agent / kAgents])[index(agent, access)] = epoch;
  }
  void raise(unsigned agent, Epoch epoch) {
    raise(agent, Access::kWrite, epoch);
    raise(agent, Access::kRead, epoch);
  }
  void join(const Clock& other) {
    for (std::size_t i = 0; i < pages_.size(); ++i) join(pages_[i], other.pages_[i], 0, kEpochs);
  }
  /// Merges the other clock for agents [first, last).
  void join(const Clock& other, unsigned first, unsigned last) {
    for (std::size_t i = first / kAgents; i < pages_.size() && i * kAgents < last; ++i) {
      const std::size_t begin = i * kAgents;  // the page's first agent
      join(pages_[i], other.pages_[i], 2 * (std::max<std::size_t>(first, begin) - begin),
           2 * (std::min<std::size_t>(last, begin + kAgents) - begin));
    }
  }

 private:
  static constexpr std::size_t kAgents = 64, kEpochs = 2 * kAgents;  // of a page
  using Epochs = std::array<Epoch, kEpochs>;
  struct Page : boost::intrusive_ref_counter<Page, boost::thread_unsafe_counter> {
    explicit Page(const Epochs& epochs) : known(epochs) {}
    Epochs known;
  };
  using Place = boost::intrusive_ptr<Page>;

  static std::size_t index(unsigned agent, Access access) {
    return 2 * (agent % kAgents) + static_cast<unsigned>(access);
  }
  /// For writing.
  static Epochs& own(Place& page) {
    if (page == nullptr) page = new Page(Epochs{});
    else if (page->use_count() > 1) page = new Page(page->known);
    return page->known;
  }
  static void join(Place& to, const Place& from, std::size_t first, std::size_t last) {
    if (from == nullptr || from == to) return;
    if (to == nullptr && first == 0 && last == kEpochs) {
      to = from;
      return;
    }
    const Epochs& more = from->known;
    bool news = to == nullptr;
    for (std::size_t i = first; i < last && !news; ++i) news = more[i] > to->known[i];
    if (!news) return;
    Epochs& known = own(to);
    for (std::size_t i = first; i < last; ++i) known[i] = std::max(known[i], more[i]);
  }

  std::vector<Place> pages_;
};

/// An agent's knowledge of the accesses of others, by certainty.
struct Knowledge {
  explicit Knowledge(unsigned agents = 0) : issued(agents), done(agents), settled(agents), waited(agents) {}
  void join(const Knowledge& other) {
    issued.join(other.issued);
    done.join(other.done);
    settled.join(other.settled);
    waited.join(other.waited);
    if (packets.size() < other.packets.size()) packets.resize(other.packets.size(), 0);
    for (std::size_t i = 0; i < other.packets.size(); ++i)
      packets[i] = std::max(packets[i], other.packets[i]);
  }
  /// Packet `number` of a queue has completed.
  void complete(unsigned queue, std::uint32_t number) {
    if (packets.size() <= queue) packets.resize(queue + 1, 0);
    packets[queue] = std::max(packets[queue], number + 1);
  }
  bool is_complete(unsigned queue, std::uint32_t number) const {
    return queue < packets.size() && packets[queue] > number;
  }
  Clock issued;  // issued, but a store may be in flight: a fence is missing
  Clock done;  // before any later work of the agent's load/store unit or unit
  Clock settled;  // complete, also for readers of shared memory that bypass the load/store unit
  Clock waited;  // complete because a barrier has waited, which only this machine guarantees
  std::vector<std::uint32_t> packets;  // by queue of kernels: packets below this number have completed
};

}  // namespace spica::check

// SPDX-License-Identifier: Apache-2.0
#include "models/shared_memory/independent_lanes.h"

#include <utility>

namespace spica::shared_memory {

template <class WordBanks>
void BasicIndependentLanes<WordBanks>::come_up_behind(base::Cycle now) {
  for (Sources rest = coming_behind_ & ports_.at_banks(); rest != 0;) {
    const unsigned source = pop_lowest(rest);
    auto& queue = ports_[source].queue;
    if (queue.front().done()) continue;  // refused
    Open& open = of(source);
    if (!is_open(source)) open.behind = 0;
    std::uint32_t older = 0;
    std::size_t i = 0;
    for (; i < queue.size() && queue[i].ready <= now; ++i) {
      if (i > open.behind) {
        open.behind = i;
        queue[i].open = 0;
        // Lanes without an older request can be served.
        if (const std::uint32_t lanes = queue[i].left() & ~older; lanes != 0) {
          if (!is_open(source)) {
            open_ |= bit(source);
            queue.front().open = 0;
            add(source, queue.front(), queue.front().left());
          }
          add(source, queue[i], lanes);
        }
      }
      older |= queue[i].left();
    }
    if (i == queue.size()) coming_behind_ &= ~bit(source);
  }
}

/// `lanes` of a request can be served.
template <class WordBanks>
void BasicIndependentLanes<WordBanks>::add(unsigned source, Request& request, std::uint32_t lanes) {
  if (lanes == 0) return;
  Open& open = of(source);
  const Direction direction = request.direction;
  request.open |= lanes;
  const std::uint32_t unaligned = lanes & request.unaligned;
  if (unaligned != 0) {
    open.unaligned[direction] |= unaligned;
    unaligned_[direction] |= bit(source);
  }
  if (const std::uint32_t aligned = lanes & request.aligned; aligned != 0) {
    open.banks[direction] |= aligned == request.aligned ? request.banks : banks_.of(*request.access, aligned);
    aligned_[direction] |= bit(source);
  }
}

/// Lanes of a request have been served and move to their next request.
template <class WordBanks>
inline void BasicIndependentLanes<WordBanks>::resume(unsigned source, std::size_t index,
                                                     std::uint32_t lanes) {
  auto& queue = ports_[source].queue;
  while (lanes != 0 && ++index <= of(source).behind) {
    const std::uint32_t next = lanes & queue[index].left();
    if (next == 0) continue;
    lanes &= ~next;
    add(source, queue[index], next);
  }
}

template <class WordBanks>
void BasicIndependentLanes<WordBanks>::serve_aligned(unsigned source, Direction direction, WordBanks within,
                                                     BankCycle& cycle) {
  Open& open = of(source);
  auto& queue = ports_[source].queue;
  WordBanks banks = 0;  // that are still wanted
  for (std::size_t i = 0; i <= open.behind; ++i) {
    Request& request = queue[i];
    const std::uint32_t lanes = request.aligned & request.open;
    if (request.direction != direction || lanes == 0) continue;
    if (lanes == request.aligned) {
      banks_.serve_aligned(request, within);
      banks |= request.banks;
    } else {
      request.contiguous = false;
      const typename Banks::Served served = banks_.serve_lanes(request, lanes, within);
      request.aligned &= ~served.lanes;
      request.served |= served.lanes;
      request.banks = banks_.of(*request.access, request.aligned);
      banks |= served.left;
    }
    if (request.served == 0) continue;
    cycle.changed |= bit(source);
    open.record_served(i);
  }
  open.banks[direction] = banks;
  if (banks == 0) aligned_[direction] &= ~bit(source);
}

template <class WordBanks>
std::uint32_t BasicIndependentLanes<WordBanks>::serve_unaligned(unsigned source, Direction direction,
                                                                std::uint32_t offered, BankCycle& cycle) {
  auto& queue = ports_[source].queue;
  Open& open = of(source);
  std::uint32_t all = 0;
  for (std::size_t i = 0; offered != 0 && i <= open.behind; ++i) {
    Request& request = queue[i];
    const std::uint32_t lanes = offered & request.unaligned & request.open;
    if (lanes == 0 || request.direction != direction) continue;
    const std::uint32_t served = banks_.serve_unaligned(request, lanes);
    if (served != 0) open.record_served(i);
    all |= served;
    offered &= ~lanes;
    if (i == 0 && request.unaligned == 0) ports_.unaligned_heads &= ~bit(source);
  }
  if (all == 0) return 0;
  cycle.changed |= bit(source);
  open.unaligned[direction] &= ~all;
  if (open.unaligned[direction] == 0) unaligned_[direction] &= ~bit(source);
  return all;
}

template <class WordBanks>
void BasicIndependentLanes<WordBanks>::end_head_cycle(unsigned source, base::Cycle now) {
  auto& queue = ports_[source].queue;
  Request& first = queue.front();
  if (first.direction == kRead) answers_.plan(source, first, first.served, now);
  first.served = 0;
  // What is behind it has come up, but for what comes later.
  if (queue.size() != 1) coming_behind_ |= bit(source);
}

template <class WordBanks>
bool BasicIndependentLanes<WordBanks>::end_cycle(unsigned source, base::Cycle now, BankCycle& cycle) {
  auto& queue = ports_[source].queue;
  Open& open = of(source);
  const bool waits =
      ((aligned_[kRead] | aligned_[kWrite] | unaligned_[kRead] | unaligned_[kWrite]) & bit(source)) != 0;
  const std::size_t first = open.first;
  open.first = ~std::size_t{0};
  for (std::size_t i = std::exchange(open.last, 0) + 1; i-- > first;) {
    Request& request = queue[i];
    if (request.served == 0) continue;
    resume(source, i, request.served);
    if (request.done()) {
      if (i == 0) cycle.done |= bit(source);
      else finish_behind(source, i, now);
      continue;
    }
    if (request.direction == kRead) answers_.plan(source, request, request.served, now);
    request.served = 0;
  }
  return waits;
}

/// A request behind the head is done before it.
template <class WordBanks>
void BasicIndependentLanes<WordBanks>::finish_behind(unsigned source, std::size_t index, base::Cycle now) {
  auto& queue = ports_[source].queue;
  const Request& request = queue[index];
  answers_.plan(source, request, request.direction == kRead ? request.served : 0, now);
  --request.access->wires->accesses;
  queue.take(index);
  --of(source).behind;
  ports_.room_made |= bit(source);
}

/// The head of an open port has left. What has come up behind it is before the banks already.
template <class WordBanks>
void BasicIndependentLanes<WordBanks>::advance(unsigned source) {
  auto& queue = ports_[source].queue;
  Open& open = of(source);
  if (queue.size() > 1) coming_behind_ |= bit(source);
  if (open.behind == 0) return close(source);
  --open.behind;
  ports_.come_up(source);
  if (open.behind == 0 || queue.front().done()) close(source);
}

template <class WordBanks>
void BasicIndependentLanes<WordBanks>::close(unsigned source) {
  open_ &= ~bit(source);
  for (const Direction direction : {kRead, kWrite}) {
    aligned_[direction] &= ~bit(source);
    unaligned_[direction] &= ~bit(source);
  }
  of(source) = {};
}

template class BasicIndependentLanes<std::uint64_t>;
template class BasicIndependentLanes<BankSet<4>>;
template class BasicIndependentLanes<BankSet<32>>;

}  // namespace spica::shared_memory

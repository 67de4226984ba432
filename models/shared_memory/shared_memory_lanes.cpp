// SPDX-License-Identifier: Apache-2.0
// Cores whose lanes proceed one by one: what is served behind the head of a port, and how its lanes are answered.
#include <algorithm>
#include <utility>

#include "models/shared_memory/shared_memory.h"

namespace spica::shared_memory {

/// Requests behind heads whose way to the banks is over.
template <class WordBanks>
void BasicSharedMemory<WordBanks>::come_up_behind() {
  for (Sources rest = lanes_.coming_behind & ports_.at_banks(); rest != 0;) {
    const unsigned source = pop_lowest(rest);
    auto& queue = ports_[source].queue;
    if (queue.front().done()) continue;  // refused
    OpenLanes& open = lanes_.open[source - ports_.first_core];
    if ((lanes_.apart & bit(source)) == 0) open.behind = 0;
    std::uint32_t older = 0;
    std::size_t i = 0;
    for (; i < queue.size() && queue[i].ready <= now(); ++i) {
      if (i > open.behind) {
        open.behind = i;
        queue[i].open = 0;
        // Lanes that are behind no older request have their turn.
        if (const std::uint32_t lanes = queue[i].left() & ~older; lanes != 0)
          open_lanes(source, queue[i], lanes);
      }
      older |= queue[i].left();
    }
    if (i == queue.size()) lanes_.coming_behind &= ~bit(source);
  }
}

/// `lanes` of a request behind the head have their turn. From now on lanes_.open also has those of the head.
template <class WordBanks>
void BasicSharedMemory<WordBanks>::open_lanes(unsigned source, Request& request, std::uint32_t lanes) {
  if ((lanes_.apart & bit(source)) == 0) {
    lanes_.apart |= bit(source);
    ports_.head(source).open = 0;
    add_open(source, ports_.head(source), ports_.head(source).left());
  }
  add_open(source, request, lanes);
}

template <class WordBanks>
void BasicSharedMemory<WordBanks>::add_open(unsigned source, Request& request, std::uint32_t lanes) {
  if (lanes == 0) return;
  OpenLanes& open = lanes_.open[source - ports_.first_core];
  const Direction direction = request.direction;
  request.open |= lanes;
  const std::uint32_t unaligned = lanes & request.unaligned;
  if (unaligned != 0) {
    open.unaligned[direction] |= unaligned;
    lanes_.open_unaligned[direction] |= bit(source);
  }
  if (const std::uint32_t aligned = lanes & request.aligned; aligned != 0) {
    open.banks[direction] |= aligned == request.aligned ? request.banks : banks_.of(*request.access, aligned);
    lanes_.open_aligned[direction] |= bit(source);
  }
}

/// Lanes of a request have been served: they have their turn at the next one that they are part of.
template <class WordBanks>
inline void BasicSharedMemory<WordBanks>::resume(unsigned source, std::size_t index, std::uint32_t lanes) {
  auto& queue = ports_[source].queue;
  while (lanes != 0 && ++index <= lanes_.open[source - ports_.first_core].behind) {
    const std::uint32_t next = lanes & queue[index].left();
    if (next == 0) continue;
    lanes &= ~next;
    add_open(source, queue[index], next);
  }
}

/// serve_aligned() for a port of lanes_.apart.
template <class WordBanks>
void BasicSharedMemory<WordBanks>::serve_open(unsigned source, Direction direction, WordBanks within) {
  OpenLanes& open = lanes_.open[source - ports_.first_core];
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
    cycle_.changed |= bit(source);
    open.note_served(i);
  }
  open.banks[direction] = banks;
  if (banks == 0) lanes_.open_aligned[direction] &= ~bit(source);
}

/// The banks have served a part of the head of a core, and it has no lanes that are past the head's.
template <class WordBanks>
void BasicSharedMemory<WordBanks>::end_of_cycle(unsigned source) {
  auto& queue = ports_[source].queue;
  Request& first = queue.front();
  if (first.direction == kRead) answer(source, first, first.served);
  first.served = 0;
  // What is behind it has come up, but for what comes later.
  if (queue.size() != 1) lanes_.coming_behind |= bit(source);
}

/// The banks have served lanes of a port of lanes_.apart. True: others wait whose turn it was.
template <class WordBanks>
bool BasicSharedMemory<WordBanks>::end_of_open_cycle(unsigned source) {
  auto& queue = ports_[source].queue;
  OpenLanes& open = lanes_.open[source - ports_.first_core];
  const bool waits = lanes_.waits(bit(source));
  const std::size_t first = open.first;
  open.first = ~std::size_t{0};
  for (std::size_t i = std::exchange(open.last, 0) + 1; i-- > first;) {
    Request& request = queue[i];
    if (request.served == 0) continue;
    resume(source, i, request.served);
    if (request.done()) {
      if (i == 0) cycle_.done |= bit(source);
      else finish_behind(source, i);
      continue;
    }
    if (request.direction == kRead) answer(source, request, request.served);
    request.served = 0;
  }
  return waits;
}

/// A request behind the head is done before it.
template <class WordBanks>
void BasicSharedMemory<WordBanks>::finish_behind(unsigned source, std::size_t index) {
  Port& port = ports_[source];
  const Request& request = port.queue[index];
  answer(source, request, request.direction == kRead ? request.served : 0);
  --request.access->wires->accesses;
  port.queue.take(index);
  --lanes_.open[source - ports_.first_core].behind;
  ports_.room_made |= bit(source);
}

/// The head is done and gone. What has come up behind it is before the banks already.
template <class WordBanks>
void BasicSharedMemory<WordBanks>::finish_apart(unsigned source) {
  auto& queue = ports_[source].queue;
  OpenLanes& open = lanes_.open[source - ports_.first_core];
  if (queue.size() > 1) lanes_.coming_behind |= bit(source);
  if (open.behind == 0) return lanes_.close(source - ports_.first_core, bit(source));
  --open.behind;
  ports_.coming &= ~bit(source);
  const Request& next = queue.front();
  ports_.before_banks[next.direction] |= bit(source);
  if (next.unaligned != 0) ports_.unaligned_heads |= bit(source);
  if (open.behind == 0 || next.done()) lanes_.close(source - ports_.first_core, bit(source));
}

/// The head has left a queue of requests with different lanes.
template <class WordBanks>
void BasicSharedMemory<WordBanks>::serve_mixed(unsigned source) {
  if (ports_[source].queue.size() > 1) lanes_.coming_behind |= bit(source);
  else lanes_.mixed &= ~bit(source);
}

template <class WordBanks>
std::uint32_t BasicSharedMemory<WordBanks>::waiting_lanes(unsigned source) const {
  const auto& queue = ports_[source].queue;
  std::uint32_t waiting = 0;
  for (std::size_t i = 0; i < queue.size() && queue[i].ready <= now(); ++i) waiting |= queue[i].left();
  return waiting;
}

/// Each core takes the lanes of one access. A bank whose answer no core takes serves no load.
template <class WordBanks>
void BasicSharedMemory<WordBanks>::answer_lanes() {
  WordBanks blocked = 0;
  for (Sources rest = lanes_.answering; rest != 0;) {
    const unsigned source = pop_lowest(rest);
    LaneAnswers& answers = lanes_.answers[source - ports_.first_core];
    if (answers.waiting().front().access->wires->answered != now()) {
      const LaneAnswers::Group taken = answers.take();
      taken.access->wires->answered = now();
      taken.access->unanswered &= ~taken.lanes;
      if (taken.access->unanswered == 0) respond({taken.payload, source});
      else taken.access->wires->on_lanes(*taken.payload, taken.lanes);
    }
    if (answers.empty()) lanes_.answering &= ~bit(source);
    for (const LaneAnswers::Group& group : answers.waiting())
      blocked |= banks_.of(*group.access, group.lanes);
  }
  banks_.block(blocked);
}

template class BasicSharedMemory<std::uint64_t>;
template class BasicSharedMemory<BankSet<4>>;
template class BasicSharedMemory<BankSet<32>>;

}  // namespace spica::shared_memory

// SPDX-License-Identifier: Apache-2.0
#include "models/shared_memory/answers.h"

namespace spica::shared_memory {

template <class WordBanks>
void BasicAnswers<WordBanks>::send_lanes(base::Cycle now) {
  WordBanks blocked = 0;
  for (Sources rest = sources_; rest != 0;) {
    const unsigned source = pop_lowest(rest);
    LaneAnswers& waiting = waiting_[source - ports_.first_core];
    if (waiting.waiting().front().access->wires->answered != now) {
      const LaneAnswers::Group taken = waiting.take();
      taken.access->wires->answered = now;
      taken.access->unanswered &= ~taken.lanes;
      if (taken.access->unanswered == 0) ports_.respond(source, *taken.payload);
      else taken.access->wires->on_lanes(*taken.payload, taken.lanes);
    }
    if (waiting.empty()) sources_ &= ~bit(source);
    for (const LaneAnswers::Group& group : waiting.waiting())
      blocked |= banks_.of(*group.access, group.lanes);
  }
  banks_.block(blocked);
}

template class BasicAnswers<std::uint64_t>;
template class BasicAnswers<BankSet<4>>;
template class BasicAnswers<BankSet<32>>;

}  // namespace spica::shared_memory

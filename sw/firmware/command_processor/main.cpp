// SPDX-License-Identifier: Apache-2.0
// The firmware that comes with Spica: the policies of the command processor (docs/howto/firmware.md), with the
// decisions that the block takes (models/command_processor/concurrency.h). arXiv:2409.02227 section 4.4.
#include <spica/firmware.h>

using namespace spica::firmware;

namespace {

constexpr unsigned kQueues = 32, kDegrees = FIRMWARE_DEGREES, kNone = ~0u;
constexpr unsigned kFeatures = 3 + 3 * kDegrees;

constexpr unsigned products_of(unsigned degree) { return 1u << degree; }
unsigned first_of(unsigned mask) { return static_cast<unsigned>(__builtin_ctz(mask)); }

/// What has come to a head and has not been launched, a bit for each queue; a product has the index of its degree.
unsigned known;
unsigned degrees[kQueues];
unsigned said[kQueues];  // by the model, of the product at the head; kNone: not asked yet
bool was_product[kQueues];  // that was launched last from the queue
unsigned turn;  // the queue that is asked first
bool open;  // a decision is due

bool decides() { return policy() == Policy::kPredicted || policy() == Policy::kOracle; }
bool is_product(const Head& head) { return decides() && head.is_product(); }

void note_changes() {
  take_ended();
  for (unsigned rest = take_given(); rest != 0; rest &= rest - 1) open |= was_product[first_of(rest)];
  for (unsigned rest = take_new(); rest != 0; rest &= rest - 1) {
    const unsigned queue = first_of(rest);
    known |= 1u << queue;
    degrees[queue] = 0;
    said[queue] = kNone;
    open |= is_product(head(queue));
  }
}

unsigned all_running_products() {
  unsigned count = 0;
  for (unsigned variant = 1; variant <= kDegrees; ++variant) count += running_products(variant);
  return count;
}

/// Products that run, or could; 0: none waits.
unsigned products() {
  unsigned waiting = 0, could = 0;
  for (unsigned rest = known; rest != 0; rest &= rest - 1) {
    const Head head(first_of(rest));
    waiting += is_product(head);
    could += is_product(head) && head.may_begin();
  }
  return waiting == 0 ? 0 : could + all_running_products();
}

// -- the concurrency model: see models/protocol/host_queues/concurrency_model.h for each step

struct Model {
  float least[kFeatures], span[kFeatures], weights[kDegrees][kFeatures + 1];
} weights;
unsigned weights_at;  // where they come from

void read_model() {
  if (model() == weights_at) return;
  weights_at = model();
  const auto* from = reinterpret_cast<const volatile unsigned*>(weights_at);
  auto* to = reinterpret_cast<unsigned*>(&weights);
  for (unsigned i = 0; i < sizeof weights / sizeof *to; ++i) to[i] = from[i];
  for (unsigned& degree : said) degree = kNone;
}

unsigned predicted(const Head& head) {
  float x[kFeatures] = {static_cast<float>(head.m()), static_cast<float>(head.n()),
                        static_cast<float>(head.k())};
  const unsigned all = clusters();
  for (unsigned degree = 0; degree < kDegrees; ++degree) {
    const unsigned groups = head.groups(degree + 1), occupancy = head.occupancy(degree + 1);
    float* const load = &x[3 + 3 * degree];
    load[0] = static_cast<float>(groups);
    load[1] = static_cast<float>(occupancy);
    load[2] = static_cast<float>(groups) / static_cast<float>(all * occupancy);
  }
  for (unsigned i = 0; i < kFeatures; ++i)
    if (weights.span[i] != 0) x[i] = (x[i] - weights.least[i]) / weights.span[i];
  unsigned best = 0;
  float most = 0;
  for (unsigned degree = 0; degree < kDegrees; ++degree) {
    float score = weights.weights[degree][kFeatures];
    for (unsigned i = 0; i < kFeatures; ++i)
      if (weights.span[i] != 0) score = __builtin_fmaf(weights.weights[degree][i], x[i], score);
    if (degree != 0 && score <= most) continue;
    most = score;
    best = degree;
  }
  return best;
}

/// Of the degrees up to `limit` that with the most products per cycle, where it gains 5 % over one after the other.
unsigned measured(const Head& head, unsigned limit) {
  const unsigned long long alone = head.cycles(1);
  unsigned best = 0;
  unsigned long long products = 1, cycles = alone;  // of the best
  for (unsigned degree = 1; degree <= limit; ++degree) {
    const unsigned long long here = head.cycles(degree + 1);
    if (here == 0 || products_of(degree) * cycles <= products * here) continue;
    best = degree;
    products = products_of(degree);
    cycles = here;
  }
  return products * alone * 100 >= cycles * 105 ? best : 0;
}

void decide(unsigned products) {
  unsigned limit = kDegrees - 1;
  while (products_of(limit) > products) --limit;
  if (policy() == Policy::kPredicted) read_model();
  for (unsigned rest = known; rest != 0; rest &= rest - 1) {
    const unsigned queue = first_of(rest);
    const Head head(queue);
    if (!is_product(head)) continue;
    if (policy() == Policy::kOracle) {
      degrees[queue] = measured(head, limit);
      continue;
    }
    if (said[queue] == kNone) said[queue] = predicted(head);
    degrees[queue] = said[queue] < limit ? said[queue] : limit;
  }
  open = false;
}

// -- what is next

/// The products that run, at one time: one that ends while heads are looked at would let a later one begin first.
struct Running {
  Running() {
    for (least = 0; least < kDegrees && running_products(least + 1) == 0;) ++least;
    all = all_running_products();
  }
  unsigned least, all;  // least degree of those that run; how many

  /// A product begins while fewer run than its degree, and than the degree of each that runs.
  bool admits(unsigned degree) const { return all < products_of(degree < least ? degree : least); }
};

/// Queues take turns; a product like the last one comes before others. kNone: nothing can begin.
unsigned next(bool undecided) {
  if (policy() == Policy::kSequential && running() != 0) return kNone;
  const Running now;
  unsigned first = kNone;
  const unsigned all = queues();
  const unsigned behind = known & (~0u << turn);
  const unsigned parts[] = {behind, known & ~behind};
  for (unsigned part : parts) {
    for (unsigned rest = part; rest != 0; rest &= rest - 1) {
      const unsigned queue = first_of(rest);
      const Head head(queue);
      if (queue >= all || !head.may_begin()) continue;
      if (!is_product(head)) return queue;
      if (undecided || !now.admits(degrees[queue])) continue;
      if (head.is_like_last()) return queue;
      if (first == kNone) first = queue;
    }
  }
  return first;
}

void begin(unsigned queue) {
  was_product[queue] = is_product(head(queue));
  known &= ~(1u << queue);
  turn = queue + 1 == queues() ? 0 : queue + 1;
  launch(queue, was_product[queue] ? degrees[queue] + 1 : 0);
}

}  // namespace

int main() {
  for (;;) {
    note_changes();
    bool undecided = false;
    if (open) {
      const unsigned count = products();
      undecided = count > 1;
      if (undecided && unread() == 0) {  // else all of them are to be there first
        decide(count);
        continue;
      }
    }
    if (const unsigned queue = next(undecided); queue != kNone) begin(queue);
    else sleep();
  }
}

// SPDX-License-Identifier: Apache-2.0
#include "models/barrier/barrier_synchronizer.h"

#include <algorithm>
#include <ostream>

#include "models/base/checkpoint.h"

namespace spica::barrier {

namespace {

void print_cores(std::ostream& out, std::uint32_t cores) {
  for (; cores != 0; cores &= cores - 1) out << ' ' << __builtin_ctz(cores);
}

}  // namespace

BarrierSynchronizer::BarrierSynchronizer(const sc_core::sc_module_name& name, const BarrierParams& params,
                                         const base::ClockDomain& clock)
    : Component(name, clock),
      release("release", params.cores),
      params_(params),
      table_(static_cast<unsigned>(params.ids), static_cast<unsigned>(params.cores)),
      arrival_count_(stats_.counter("arrivals", base::Unit::kCount, "requests of cores that set a bit")),
      release_count_(stats_.counter("releases", base::Unit::kCount, "barriers released")),
      skew_cycles_(stats_.counter("skew_cycles", base::Unit::kCycles,
                                  "sum over releases: first arrival to last arrival")),
      core_wait_cycles_(stats_.counter("core_wait_cycles", base::Unit::kCycles,
                                       "sum over releases and cores: own arrival to last arrival")),
      lost_arrivals_(stats_.counter("lost_arrivals", base::Unit::kCount,
                                    "requests of a core whose bit was set already")) {
  in.bind(*this);
  shares.bind(*this);
}

void BarrierSynchronizer::arrive(unsigned core, unsigned id) {
  arrivals_.schedule(now(), now() + params_.table_latency, {core, id % ids()});
  wake_at(now() + params_.table_latency);
}

void BarrierSynchronizer::leave(unsigned first, unsigned count, unsigned core) {
  for (unsigned id = first; id < first + count; ++id) table_.leave(id, core);
  if (table_.any_complete()) wake_next();
}

void BarrierSynchronizer::tick() {
  releases_.take_due(now(), [&](const Release& done) {
    for (unsigned core = 0; core < cores(); ++core)
      if ((done.cores >> core & 1) != 0) release[core]->release(done.id, done.without_some);
  });
  arrivals_.take_due(now(), [&](const Arrival& arrival) {
    ++(table_.arrive(arrival.core, arrival.id, now()) ? arrival_count_ : lost_arrivals_);
  });
  if (table_.any_complete()) {
    const ArrivalTable::Release done = table_.release();
    releases_.schedule(now(), now() + params_.response_latency, {done.id, done.cores, done.without_some});
    ++release_count_;
    skew_cycles_ += done.last - done.first;
    core_wait_cycles_ += done.core_cycles;
  }
  if (table_.any_complete()) wake_next();
  wake_at(std::min(arrivals_.next(now()), releases_.next(now())));
}

void BarrierSynchronizer::reset() {
  table_.reset();
  arrivals_.clear();
  releases_.clear();
}

bool BarrierSynchronizer::idle() const { return table_.empty() && arrivals_.empty() && releases_.empty(); }

void BarrierSynchronizer::dump_state(std::ostream& out) const {
  out << name() << ": " << arrivals_.size() << " arrivals and " << releases_.size()
      << " releases on the way\n";
  for (unsigned id = 0; id < ids(); ++id) {
    if (arrived(id) == 0) continue;
    out << "  barrier " << id << ": open since cycle " << table_.opened(id) << ", arrived cores";
    print_cores(out, arrived(id));
    if (missing(id) != 0) {
      out << ", missing cores";
      print_cores(out, missing(id));
    } else {
      out << ", complete, waits for its release";
    }
    out << '\n';
  }
}

void BarrierSynchronizer::architecture(base::Checkpoint& checkpoint) {
  checkpoint(table_);
  if (checkpoint.loads()) table_.date(now());
}

bool BarrierSynchronizer::timing(base::Checkpoint& checkpoint) {
  checkpoint(table_, arrivals_, releases_, stats_);
  return true;
}

}  // namespace spica::barrier

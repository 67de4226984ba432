// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/order.h"

namespace spica::check {

namespace {

/// Fences of a warp that are remembered, for flags that were stored long before they are read.
constexpr std::size_t kHistory = 64;

}  // namespace

Order::Order(const Agents& agents, unsigned cores_of_cluster, bool barrier_waits)
    : agents_(agents),
      cores_of_cluster_(cores_of_cluster),
      barrier_waits_(barrier_waits),
      now_(agents.count(), 1),
      since_(agents.count(), 0),
      warps_(agents.warps(), Warp(agents.count())),
      engines_(kEngines * agents.units(), EngineState{Knowledge(agents.count()), {}}),
      units_(agents.units()) {}

const Clock& Order::clock(unsigned agent) const {
  if (agents_.is_engine(agent)) return engine(agent).seen.done;
  if (agents_.is_tensor(agent)) return warps_[agent - agents_.warps()].seen.settled;
  return warps_[agent].seen.done;
}

const Clock& Order::issued(unsigned agent) const {
  if (agents_.is_engine(agent)) return engine(agent).seen.issued;
  return warps_[agent % agents_.warps()].seen.issued;
}

const Clock& Order::waited(unsigned agent) const {
  if (agents_.is_engine(agent)) return engine(agent).seen.waited;
  return warps_[agent % agents_.warps()].seen.waited;
}

/// A fence waits for the whole core: also for what other warps of the core did before, if it has reached the
/// load/store unit, which is unknown to a warp that was only released by a barrier that does not wait.
void Order::fence(unsigned warp) {
  Warp& w = warps_[warp];
  const unsigned first = warp - agents_.warp_of(warp), last = first + agents_.warps_of_core();
  if (barrier_waits_) w.seen.done.join(w.seen.issued, first, last);
  w.published.done.join(w.seen.done);
  w.published.done.raise(warp, now_[warp]);
  w.fenced.join(w.published.done, first, last);
  w.loading = 0;
  w.fragments = 0;
  ++now_[warp];
  remember(warp);
}

void Order::drain(unsigned warp) {
  Warp& w = warps_[warp];
  w.loading = 0;
  w.fragments = 0;
  w.seen.settled.join(w.fenced);
  w.published.settled.join(w.fenced);
}

const Knowledge& Order::publish(unsigned warp) {
  Warp& w = warps_[warp];
  const Epoch read = !w.loads() ? now_[warp] : w.loading_since - 1;
  w.published.done.raise(warp, Access::kRead, read);
  w.published.settled.raise(warp, Access::kRead, read);
  w.published.issued.join(w.seen.issued);
  w.published.issued.raise(warp, now_[warp]);
  ++now_[warp];
  return w.published;
}

/// The same for those that a barrier, wspawn or the end of the warp releases. Where these wait, all accesses of the
/// warp are over, and what its last fence waited for. Where they do not, a fence may still be waiting: only what has
/// been over before counts.
Knowledge Order::publish_to_released(unsigned warp) {
  Warp& w = warps_[warp];
  if (barrier_waits_) {
    w.published.waited.join(w.fenced);
    w.published.waited.raise(warp, now_[warp]);
    return publish(warp);
  }
  Knowledge known = publish(warp);
  known.done = known.settled;
  return known;
}

/// A waiting fence is in the load/store unit of its core, before the accesses of warps that it allows to continue. These
/// are ordered after the accesses it waits for, but only a fence of their own passes that order on, for instance to a
/// unit.
Clock Order::in_front(unsigned warp) const {
  Clock known = warps_[warp].published.done;
  known.join(warps_[warp].seen.done);
  return known;
}

void Order::acquire(unsigned warp, const Knowledge& from) {
  warps_[warp].seen.join(from);
  warps_[warp].published.join(from);
  remember(warp);
}

void Order::acquire_value(unsigned warp, const Knowledge& from) {
  warps_[warp].seen.settled.join(from.done);
  warps_[warp].published.settled.join(from.done);
  acquire(warp, from);
}

void Order::remember(unsigned warp) {
  Warp& w = warps_[warp];
  if (!w.history.empty() && w.history.back().first == now_[warp]) {
    w.history.back().second = w.published.done;
    return;
  }
  if (w.history.size() < kHistory) {
    w.history.emplace_back(now_[warp], w.published.done);
    return;
  }
  auto oldest = std::move(w.history.front());  // its memory is reused
  w.history.pop_front();
  oldest.first = now_[warp];
  oldest.second = w.published.done;
  w.history.push_back(std::move(oldest));
}

Knowledge Order::published_at(unsigned warp, Epoch epoch) const {
  Knowledge result(agents_.count());
  for (const auto& [first, clock] : warps_[warp].history) {
    if (first > epoch) break;
    result.done = clock;
  }
  result.issued.join(result.done);
  result.issued.raise(warp, epoch);
  return result;
}

void Order::spawn(unsigned parent, unsigned child) {
  acquire(child, publish_to_released(parent));
  if (!barrier_waits_) warps_[child].seen.done.join(in_front(parent));
}

void Order::end(unsigned warp) {
  warps_[warp].left = publish_to_released(warp);
  if (!barrier_waits_) warps_[warp].left_in_front = in_front(warp);
}

const Knowledge& Order::seen(unsigned agent) const {
  return agents_.is_engine(agent) ? engine(agent).seen : warps_[agent % agents_.warps()].seen;
}

void Order::begin_anew(unsigned agent) {
  since_[agent] = ++now_[agent];
  if (agents_.is_engine(agent)) engine(agent).seen = Knowledge(agents_.count());
  if (!agents_.is_warp(agent)) return;
  Warp& w = warps_[agent];
  w.seen = w.published = Knowledge(agents_.count());
  w.fenced = Clock(agents_.count());
  w.loading = 0;
  w.fragments = 0;
  remember(agent);
}

/// Where ends of warps wait, the stores of one that has ended are before what the others of its core do then, also
/// without a fence. Other cores learn of them only after a fence, by the rules for published software.
void Order::see_end(unsigned warp, unsigned ended) {
  const Warp& over = warps_[ended];
  Warp& w = warps_[warp];
  const Clock& known = barrier_waits_ ? w.seen.done : w.seen.issued;
  if (known.of(ended, Access::kWrite) == now_[ended] - 1) return;  // nothing new
  w.seen.join(over.left);
  w.published.join(over.left);
  w.seen.done.join(over.left_in_front);
  if (!barrier_waits_) return;
  w.seen.done.join(over.seen.done);
  w.seen.done.raise(ended, now_[ended] - 1);
}

Order::Barrier& Order::barrier(unsigned core, unsigned id) {
  Barrier& b = barriers_[{core / cores_of_cluster_, id}];
  if (b.waiting.empty()) {
    b.waiting.resize(cores_of_cluster_);
    b.phase_of_core.resize(cores_of_cluster_, 0);
  }
  return b;
}

void Order::arrive(unsigned warp, unsigned id) {
  const unsigned core = agents_.core_of(warp), local = core % cores_of_cluster_;
  Barrier& b = barrier(core, id);
  b.waiting[local].push_back(warp);
  auto [phase, fresh] = b.phases.try_emplace(b.phase_of_core[local]);
  if (fresh) phase->second.gathered = Knowledge(agents_.count());
  phase->second.gathered.join(publish_to_released(warp));
  if (barrier_waits_) return;
  phase->second.in_front.try_emplace(local, Clock(agents_.count())).first->second.join(in_front(warp));
}

void Order::release(unsigned core, unsigned id) {
  const unsigned local = core % cores_of_cluster_;
  Barrier& b = barrier(core, id);
  const auto phase = b.phases.find(b.phase_of_core[local]++);
  if (phase == b.phases.end()) return;
  const auto in_front = phase->second.in_front.find(local);
  for (const unsigned warp : b.waiting[local]) {
    acquire(warp, phase->second.gathered);
    if (in_front != phase->second.in_front.end()) warps_[warp].seen.done.join(in_front->second);
  }
  b.waiting[local].clear();
  if (++phase->second.released == cores_of_cluster_) b.phases.erase(phase);
}

void Order::tensor_begin(unsigned warp) { ++now_[agents_.tensor(warp)]; }

void Order::tensor_wait(unsigned warp) {
  const unsigned tensor = agents_.tensor(warp);
  for (Knowledge* k : {&warps_[warp].seen, &warps_[warp].published})
    for (Clock* clock : {&k->issued, &k->done, &k->settled}) clock->raise(tensor, now_[tensor]);
}

void Order::copies_wait(unsigned warp, unsigned most) {
  const unsigned copies = agents_.copies(warp);
  if (now_[copies] <= most + 1) return;
  for (Knowledge* k : {&warps_[warp].seen, &warps_[warp].published})
    for (Clock* clock : {&k->issued, &k->done, &k->settled}) clock->raise(copies, now_[copies] - 1 - most);
}

void Order::command(unsigned unit, std::uint32_t number, unsigned warp, const Knowledge& published) {
  units_[unit].add(number, warp, published);
}

bool Order::behind_command(unsigned warp, unsigned unit, std::uint32_t number) const {
  const UnitCommands::Command* const command = units_[unit].find(number);
  return command != nullptr && command->is_before(warp, warps_[warp].seen);
}

void Order::begin_work(unsigned agent, std::uint32_t id, std::uint32_t command) {
  EngineState& e = engine(agent);
  ++now_[agent];
  if (UnitCommands::Command* const given = units_[agents_.unit_of(agent)].find(command); given != nullptr) {
    e.seen.join(given->published);
    given->last[static_cast<unsigned>(agents_.engine_of(agent))] = now_[agent];
  } else {
    e.unknown = now_[agent];
  }
  e.open.emplace_back(id, now_[agent]);
}

void Order::end_work(unsigned unit, std::uint32_t id) {
  for (unsigned i = 0; i < kEngines; ++i) {
    auto& open = engine(agents_.engine(unit, static_cast<Engine>(i))).open;
    for (auto work = open.begin(); work != open.end(); ++work) {
      if (work->first != id) continue;
      open.erase(work);
      return;
    }
  }
}

void Order::hold_back(unsigned agent, unsigned before, Epoch epoch) {
  EngineState& e = engine(agent);
  const unsigned first = agents_.engine(agents_.unit_of(agent), Engine::kLoad);
  for (Clock* clock : {&e.seen.done, &e.seen.issued, &e.seen.settled}) clock->raise(before, epoch);
  e.seen.done.join(engine(before).seen.done, first, first + kEngines);
}

void Order::see_idle(unsigned warp, unsigned unit) {
  const std::array<Epoch, kEngines> known = units_[unit].last_before(warp, warps_[warp].seen);
  Knowledge over(agents_.count());
  for (unsigned i = 0; i < kEngines; ++i) {
    const unsigned agent = agents_.engine(unit, static_cast<Engine>(i));
    Epoch last = std::max(known[i], engine(agent).unknown);
    // A read too early, before the unit is busy, says nothing about what is still under way.
    for (const auto& work : engine(agent).open) last = std::min(last, work.second - 1);
    for (Clock* clock : {&over.issued, &over.done, &over.settled}) clock->raise(agent, last);
  }
  acquire(warp, over);
}

}  // namespace spica::check

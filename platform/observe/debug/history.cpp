// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/history.h"

#include <algorithm>
#include <utility>

#include "platform/base/input/user_error.h"

namespace spica::debug {

namespace {

using RunState = soc::RunControl::RunState;

// Instructions, executed again in a tenth of a second.
constexpr std::uint64_t kInterval = 500'000, kCycleInterval = 10'000;
constexpr std::size_t kMostBytes = std::size_t{1} << 28;
constexpr base::Cycle kPiece = 100'000, kSettlePiece = 100, kSettleLimit = 1'000'000;

}  // namespace

void History::begin() {
  moments_.clear();
  bytes_ = 0;
  interval_ = control_.machine().params().run.mode == soc::Mode::kFast ? kInterval : kCycleInterval;
  try {
    keep();
  } catch (const input::UserError&) {  // a user-supplied block; there is no past
  }
}

void History::keep() {
  moments_.push_back({supervisor_.place(), control_.save()});
  bytes_ += moments_.back().state.size();
  if (bytes_ <= kMostBytes || moments_.size() < 4) return;
  // Every other one goes, and from now on they are farther apart.
  interval_ *= 2;
  std::vector<Moment> kept;
  bytes_ = 0;
  for (std::size_t i = 0; i < moments_.size(); i += 2) {
    bytes_ += moments_[i].state.size();
    kept.push_back(std::move(moments_[i]));
  }
  moments_ = std::move(kept);
}

void History::save_if_due() {
  if (!moments_.empty() && supervisor_.position() - moments_.back().place.position >= interval_) keep();
}

/// Executes again what happened from there to `target`.
void History::replay(const Moment& from, std::uint64_t target, bool stays) {
  control_.restore(from.state);
  supervisor_.replay(from.place, target, stays);
  if (target == from.place.position && !stays) return;
  while (supervisor_.reason().kind == Stop::Kind::kNone) {
    const std::optional<base::Cycle> resumption = supervisor_.resumption();
    if (resumption && supervisor_.reached() >= *resumption) {
      supervisor_.resume();
      continue;
    }
    const base::Cycle end = std::min(supervisor_.reached() + kPiece, resumption.value_or(base::kNever));
    const RunState rest = control_.advance(end);
    const bool continues = rest == RunState::kGoing || rest == RunState::kLivelock;
    if (!continues && !(resumption && supervisor_.reached() >= end)) break;
  }
}

/// The run is there, and what came later is forgotten.
void History::come_to(std::size_t moment, std::uint64_t position) {
  replay(moments_[moment], position, true);
  supervisor_.end_replay();
  come_to_rest();
  while (moments_.size() > moment + 1) {
    bytes_ -= moments_.back().state.size();
    moments_.pop_back();
  }
}

/// As after any other stop: what is under way in the cycle mode finishes.
void History::come_to_rest() {
  soc::Machine& machine = control_.machine();
  for (base::Cycle spent = 0; spent < kSettleLimit && !machine.at_rest(); spent += kSettlePiece) {
    const RunState rest = control_.advance(machine.now() + kSettlePiece);
    if (rest == RunState::kEnded || rest == RunState::kDeadlock) break;
  }
}

/// `find(stop, end)`, after a replay to the place `end`, gives the position in it to go back to, if there is one.
template <class Search>
Stop History::search(Search&& find) {
  Stop stop;
  stop.kind = Stop::Kind::kBegin;
  if (moments_.empty()) return stop;
  Supervisor::Place end = supervisor_.place();
  for (std::size_t i = moments_.size(); i-- != 0;) {
    if (moments_[i].place.position >= end.position) continue;
    replay(moments_[i], end.position, false);
    if (const std::optional<std::uint64_t> place = find(stop, end)) {
      come_to(i, std::max(*place, moments_[i].place.position));
      return stop;
    }
    end = moments_[i].place;
  }
  come_to(0, moments_.front().place.position);
  return stop;
}

Stop History::step_back(unsigned warp) {
  return search([&](Stop& stop, const Supervisor::Place& end) {
    const std::optional<std::uint64_t> place = supervisor_.last_move(warp, end);
    if (place) {
      stop.kind = Stop::Kind::kStepped;
      stop.has_warp = true;
      stop.warp = warp;
    }
    return place;
  });
}

Stop History::go_back() {
  return search([&](Stop& stop, const Supervisor::Place&) -> std::optional<std::uint64_t> {
    if (!supervisor_.found()) return std::nullopt;
    stop = supervisor_.found()->stop;
    return supervisor_.found()->position;
  });
}

}  // namespace spica::debug

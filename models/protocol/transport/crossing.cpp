// SPDX-License-Identifier: Apache-2.0
#include "models/protocol/transport/crossing.h"

#include <algorithm>

#include "models/protocol/transport/ports.h"

namespace spica::protocol {

namespace {

/// The cycle in which the reader sees the writer's actions in `cycle`.
base::Cycle seen(const base::ClockDomain& writer, base::Cycle cycle, const base::ClockDomain& reader) {
  return reader.cycle_after(writer.begin(cycle)) + reader.crossing_cycles();
}

}  // namespace

Crossing::Crossing(InitiatorPort& from, TargetPort& to, base::ClockDomain& near, base::ClockDomain& far)
    : from_(from), to_(to), near_(near), far_(far) {}

// A look_...() call does everything that is possible at the time; redundant calls are harmless. Blocks of a domain are notified in
// the order of their sockets' names, not in the order of calls from other domains. The running domain never runs ahead.

void Crossing::look_near_in(base::Cycle cycle) {
  const auto look = [this, resets = resets_] {
    if (resets == resets_) look_near();
  };
  near_.deliver(cycle, look, from_.socket().name());
  far_.yield();
}

void Crossing::look_far_in(base::Cycle cycle) {
  const auto look = [this, resets = resets_] {
    if (resets == resets_) look_far();
  };
  far_.deliver(cycle, look, to_.socket().name());
  near_.yield();
}

bool Crossing::has_room() {
  const base::Cycle now = near_.current();
  for (; !freed_.empty() && freed_.front() <= now; freed_.pop_front()) --used_;
  return used_ < far_.crossing_depth() && next_request_ <= now;
}

void Crossing::send() {
  if (!has_room()) return ask();
  write();
  from_.requested_ = nullptr;
}

void Crossing::write() {
  const base::Cycle now = near_.current();
  ++used_;
  next_request_ = now + 1;
  requests_.push_back({from_.requested_, seen(near_, now, far_)});
  if (requests_.size() == 1) plan_far();
}

/// Makes the initiator try again when it can know of room; take_held() does so if that cannot be known yet.
void Crossing::ask() {
  if (used_ < far_.crossing_depth()) look_near_in(next_request_);
  else if (!freed_.empty()) look_near_in(std::max(next_request_, freed_.front()));
}

void Crossing::plan_far() {
  if (to_.held_ == nullptr && !requests_.empty())
    look_far_in(std::max(requests_.front().due, next_taken_request_));
}

void Crossing::plan_near() {
  if (!responses_.empty()) look_near_in(std::max(responses_.front().due, next_taken_response_));
}

void Crossing::look_far() {
  const base::Cycle now = far_.current();
  if (to_.held_ != nullptr || requests_.empty() || std::max(requests_.front().due, next_taken_request_) > now)
    return;
  Payload& payload = *requests_.front().payload;
  requests_.pop_front();
  next_taken_request_ = now + 1;
  if (!to_.take(payload)) return;
  accept();
  plan_far();
}

void Crossing::take_held() {
  to_.held_ = nullptr;
  next_taken_request_ = far_.current() + 1;
  accept();
  plan_far();
}

/// The target has accepted a request.
void Crossing::accept() {
  freed_.push_back(seen(far_, far_.current(), near_));
  if (from_.requested_ != nullptr && used_ >= far_.crossing_depth()) ask();
}

void Crossing::respond(Payload& payload) {
  const base::Cycle cycle = std::max(far_.current(), next_response_);
  next_response_ = cycle + 1;
  responses_.push_back({&payload, seen(far_, cycle, near_)});
  if (responses_.size() == 1) plan_near();
}

void Crossing::look_near() {
  const base::Cycle now = near_.current();
  if (!responses_.empty() && std::max(responses_.front().due, next_taken_response_) <= now) {
    Payload& payload = *responses_.front().payload;
    responses_.pop_front();
    next_taken_response_ = now + 1;
    plan_near();
    from_.handler_->on_response(from_.port_, payload);
  }
  if (from_.requested_ == nullptr) return;
  if (!has_room()) return ask();
  write();
  from_.accepted();
}

/// After loading a state; redundant calls are harmless.
void Crossing::plan_again() {
  plan_far();
  plan_near();
  if (from_.requested_ != nullptr) ask();
}

void Crossing::reset() {
  ++resets_;
  from_.requested_ = nullptr;
  to_.held_ = nullptr;
  requests_.clear();
  responses_.clear();
  freed_.clear();
  used_ = 0;
  next_request_ = next_taken_response_ = next_response_ = next_taken_request_ = 0;
}

}  // namespace spica::protocol

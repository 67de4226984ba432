// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/kernel_order.h"

#include <algorithm>
#include <utility>

namespace spica::check {

KernelOrder::KernelOrder(unsigned queues, unsigned agents)
    : queues_(queues), runs_(agents), ended_(agents), firmware_(agents), last_(agents) {
  for (Queue& queue : queues_) queue.passed = queue.ended = queue.begins = Knowledge(agents);
}

void KernelOrder::ring(unsigned queue, std::uint32_t written, const Knowledge& ringer) {
  Queue& q = queues_[queue];
  q.rings.push_back({std::exchange(q.written, written), ringer});
}

const Knowledge& KernelOrder::begin(unsigned queue, std::uint32_t number, const protocol::Packet& packet) {
  Queue& q = queues_[queue];
  for (; !q.rings.empty() && q.rings.front().first <= number; q.rings.pop_front())
    q.passed.join(q.rings.front().ringer);
  q.begins = q.passed;
  if (packet.barrier) q.begins.join(q.ended);
  q.signal = packet.signal;
  return q.begins;
}

void KernelOrder::launch(std::uint32_t kernel, unsigned queue, std::uint32_t number) {
  Knowledge behind = queues_[queue].begins;
  behind.join(firmware_);
  if (all_.size() <= kernel) all_.resize(kernel + 1);
  all_[kernel] = {queue, number, behind.packets};
  kernels_[kernel] = {queues_[queue].signal, behind, behind};
}

const Knowledge* KernelOrder::behind(unsigned warp) const {
  const auto found = kernels_.find(kernel(warp));
  return found == kernels_.end() ? nullptr : &found->second.behind;
}

void KernelOrder::leave(unsigned warp, const Knowledge& left) {
  if (const auto found = kernels_.find(kernel(warp)); found != kernels_.end()) found->second.left.join(left);
}

KernelOrder::End KernelOrder::end(std::uint32_t kernel) {
  const auto found = kernels_.find(kernel);
  if (found == kernels_.end()) return {0, last_};
  const Kernel ended = std::move(found->second);
  const Launched& launched = all_[kernel];
  kernels_.erase(found);
  last_ = ended.left;
  last_.complete(launched.queue, launched.number);
  queues_[launched.queue].ended.join(last_);
  ended_.join(last_);
  any_ended_ = true;
  return {ended.signal, last_};
}

std::uint32_t KernelOrder::kernel(unsigned agent, Epoch epoch) const {
  const auto& runs = runs_[agent];
  const auto after = std::upper_bound(runs.begin(), runs.end(), epoch,
                                      [](Epoch at, const Run& run) { return at < run.since; });
  return after == runs.begin() ? kNone : std::prev(after)->kernel;
}

bool KernelOrder::covers(unsigned agent, Epoch later, Epoch earlier) const {
  const std::uint32_t first = kernel(agent, earlier), second = kernel(agent, later);
  if (first == second || queue_of(first) == kNone || queue_of(second) == kNone) return true;
  const Launched& before = all_[first];
  const std::vector<std::uint32_t>& known = all_[second].behind;
  return before.queue < known.size() && known[before.queue] > before.number;
}

bool KernelOrder::is_over(const Knowledge& known, unsigned agent, Epoch epoch) const {
  const std::uint32_t of = kernel(agent, epoch);
  return queue_of(of) != kNone && known.is_complete(all_[of].queue, all_[of].number);
}

}  // namespace spica::check

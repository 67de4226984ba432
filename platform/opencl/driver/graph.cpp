// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/driver/graph.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "platform/opencl/driver/memory.h"
#include "platform/opencl/driver/queue.h"

namespace spica::opencl {

namespace {
thread_local const Graph* own_graph = nullptr;
}  // namespace

void Graph::add(const Ref<_cl_event>& event, const std::vector<Wait>& after,
                const std::unique_lock<std::mutex>& lock) {
  assert(lock.owns_lock());
  (void)lock;
  for (const Wait& wait : after) {
    if (wait.event->status <= CL_COMPLETE) {
      event->has_failed_wait |= wait.event->status < 0 && wait.is_in_wait_list;
      continue;
    }
    wait.event->dependents.push_back({event, wait.is_in_wait_list});
    ++event->waits_for;
  }
  if (event->waits_for != 0) return;
  tasks_.emplace_back(event);
  tasks_changed_.notify_one();
}

void Graph::post(std::function<void()> function) {
  const auto held = lock();
  tasks_.emplace_back(std::move(function));
  tasks_changed_.notify_one();
}

void Graph::advance(_cl_event& event, cl_int status) {
  const auto held = lock();
  if (event.status <= status) return;
  event.status = status;
  call_reached(Ref<_cl_event>(&event));
}

bool Graph::finish(const Ref<_cl_event>& event, cl_int status) {
  assert(status <= CL_COMPLETE);
  {
    Work work;  // what it holds is released without the lock, and before anybody sees the end
    const auto held = lock();
    if (event->status <= CL_COMPLETE) return false;
    std::swap(work, event->work);
  }
  std::vector<_cl_event::Dependent> dependents;
  const auto held = lock();
  if (event->status <= CL_COMPLETE) return false;
  event->status = status;
  dependents.swap(event->dependents);
  if (event->queue != nullptr) event->queue->forget(*event);
  call_reached(event);  // before commands that wait for it
  for (const _cl_event::Dependent& dependent : dependents) {
    dependent.event->has_failed_wait |= status < 0 && dependent.is_in_wait_list;
    if (--dependent.event->waits_for == 0) tasks_.emplace_back(dependent.event);
  }
  tasks_changed_.notify_one();
  events_changed_.notify_all();
  return true;
}

void Graph::add_callback(const Ref<_cl_event>& event, const _cl_event::Callback& callback) {
  const auto held = lock();
  event->callbacks.push_back(callback);
  call_reached(event);
}

/// The standard names CL_SUBMITTED, CL_RUNNING and CL_COMPLETE; an error counts as each of them.
void Graph::call_reached(const Ref<_cl_event>& event) {
  auto& callbacks = event->callbacks;
  const auto is_waiting = [&](const _cl_event::Callback& callback) {
    return callback.status < event->status;
  };
  const auto reached = std::stable_partition(callbacks.begin(), callbacks.end(), is_waiting);
  for (auto callback = reached; callback != callbacks.end(); ++callback) {
    const cl_int told = event->status < 0 ? event->status : callback->status;
    tasks_.emplace_back(
        [event, callback = *callback, told] { callback.notify(event.get(), told, callback.user_data); });
  }
  callbacks.erase(reached, callbacks.end());
  tasks_changed_.notify_one();
}

cl_int Graph::status(const _cl_event& event) {
  const auto held = lock();
  return event.status;
}

Times Graph::times(const _cl_event& event) {
  const auto held = lock();
  return event.times;
}

cl_int Graph::wait(const _cl_event& event) {
  wait([&] { return event.status <= CL_COMPLETE; });
  return status(event);
}

void Graph::wait(const std::function<bool()>& is_met) {
  auto held = lock();
  if (is_met()) return;
  require(own_graph != this, CL_INVALID_OPERATION);
  events_changed_.wait(held, is_met);
}

std::optional<Graph::Task> Graph::next(bool waits) {
  auto held = lock();
  if (waits) tasks_changed_.wait(held, [this] { return is_stopped_ || !tasks_.empty(); });
  if (is_stopped_ || tasks_.empty()) return std::nullopt;
  Task task = std::move(tasks_.front());
  tasks_.pop_front();
  return task;
}

void Graph::stop() {
  const auto held = lock();
  is_stopped_ = true;
  tasks_changed_.notify_all();
}

bool Graph::is_stopped() {
  const auto held = lock();
  return is_stopped_;
}

void Graph::set_own_thread() { own_graph = this; }

}  // namespace spica::opencl

// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/driver/worker.h"

#include <algorithm>
#include <utility>

#include "platform/opencl/driver/launch_record.h"
#include "platform/opencl/driver/memory.h"
#include "platform/opencl/driver/queue.h"

namespace spica::opencl {

Worker::Worker(const std::vector<cl_device_id>& devices, std::function<void(const std::string&)> on_error)
    : on_error_(std::move(on_error)) {
  for (cl_device_id device : devices) engines_.emplace_back(device);
}

void Worker::start() {
  thread_ = std::thread([self = shared_from_this()] { self->loop(); });
}

void Worker::stop() {
  graph_.stop();
  if (thread_.get_id() == std::this_thread::get_id())
    thread_.detach();  // the last reference to the context was that of a command
  else if (thread_.joinable()) thread_.join();
}

Engine& Worker::engine(cl_device_id device) {
  return *std::find_if(engines_.begin(), engines_.end(),
                       [&](const Engine& engine) { return engine.device() == device; });
}

void Worker::write(cl_device_id device, std::uint64_t address, const void* from, std::size_t bytes) {
  if (!is_lost_) engine(device).machine().write(address, from, bytes);
}

void Worker::loop() {
  graph_.set_own_thread();
  while (!graph_.is_stopped()) {
    const bool has_launches = std::any_of(engines_.begin(), engines_.end(),
                                          [](const Engine& engine) { return engine.has_launches(); });
    const auto task = graph_.next(!has_launches);
    if (task && std::holds_alternative<Ref<_cl_event>>(*task)) execute(std::get<Ref<_cl_event>>(*task));
    else if (task) call(std::get<std::function<void()>>(*task));
    else run_launches();
  }
  engines_.clear();
}

void Worker::call(const std::function<void()>& function) {
  try {
    function();
  } catch (const std::exception& error) {
    lose(error.what());
  }
}

void Worker::execute(const Ref<_cl_event>& event) {
  if (event->has_failed_wait) {
    graph_.finish(event, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    return;
  }
  graph_.advance(*event, CL_SUBMITTED);
  try {
    carry_out(event, engine(event->queue->device));
  } catch (const MachineStopped& error) {
    lose(error.what());
    graph_.finish(event, CL_OUT_OF_RESOURCES);
  } catch (const std::exception& error) {  // of this command only
    on_error_(error.what());
    graph_.finish(event, CL_OUT_OF_RESOURCES);
  }
}

void Worker::carry_out(const Ref<_cl_event>& event, Engine& on) {
  Work& work = event->work;
  const std::uint64_t now = std::max(on.update_time(), event->times.queued);
  {
    const auto held = graph_.lock();
    event->times.submit = event->times.start = event->times.end = now;
  }
  if (std::holds_alternative<std::monostate>(work.action)) {
    graph_.finish(event, CL_COMPLETE);
    return;
  }
  if (is_lost_) {
    graph_.finish(event, CL_OUT_OF_RESOURCES);
    return;
  }
  for (const auto& buffer : work.buffers) bring(*buffer, on.device());
  graph_.advance(*event, CL_RUNNING);
  if (std::holds_alternative<KernelWork>(work.action)) {
    on.submit(event);
    return;
  }
  std::get<HostWork>(work.action)(on.machine());
  graph_.finish(event, CL_COMPLETE);
}

void Worker::run_launches() {
  for (Engine& engine : engines_)
    if (engine.has_launches()) run_launches(engine);
}

void Worker::run_launches(Engine& on) {
  try {
    for (const auto& [event, completion] : on.run()) {
      on.update_time();
      {
        const auto held = graph_.lock();
        Times& times = event->times;
        times.submit = std::max(times.submit, completion.submit_ns);
        times.start = std::max(times.submit, completion.begin_ns);
        times.end = std::max(times.start, completion.end_ns);
      }
      record_launch(*event, completion);
      graph_.finish(event, CL_COMPLETE);
    }
  } catch (const std::exception& error) {
    lose(error.what());
    on.update_time();
    for (const auto& event : on.abandon()) graph_.finish(event, CL_OUT_OF_RESOURCES);
  }
}

/// The report goes to the application once; later commands fail silently.
void Worker::lose(const std::string& report) {
  if (!is_lost_.exchange(true)) on_error_(report);
}

/// Contents move with the commands of a context with several devices.
void Worker::bring(_cl_mem& buffer, cl_device_id device) {
  _cl_mem& root = buffer.root();
  const cl_device_id from = std::exchange(root.on_device, device);
  if (from == nullptr || from == device) return;
  std::vector<std::byte> contents(root.size);
  engine(from).machine().read(root.address(from), contents.data(), contents.size());
  engine(device).machine().write(root.address(device), contents.data(), contents.size());
}

}  // namespace spica::opencl

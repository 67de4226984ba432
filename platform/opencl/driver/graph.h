// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <variant>
#include <vector>

#include "platform/opencl/driver/event.h"

namespace spica::opencl {

/// The events of a context: which command may run, and who waits for its end. Thread-safe. Its lock guards
/// the mutable members of events and queues.
class Graph {
 public:
  /// An event that another one waits for.
  struct Wait {
    Ref<_cl_event> event;
    bool is_in_wait_list;  // its failure is also that of the waiting command
  };
  /// Work for the context's thread: a command that may run, or a function.
  using Task = std::variant<Ref<_cl_event>, std::function<void()>>;

  std::unique_lock<std::mutex> lock() { return std::unique_lock<std::mutex>(mutex_); }

  /// Adds a command; the caller holds `lock`. It may run as soon as the events of `after` have ended.
  void add(const Ref<_cl_event>& event, const std::vector<Wait>& after,
           const std::unique_lock<std::mutex>& lock);
  /// A function that runs before all commands added later.
  void post(std::function<void()> function);
  /// Changes the status to CL_SUBMITTED or CL_RUNNING.
  void advance(_cl_event& event, cl_int status);
  /// Ends an event with CL_COMPLETE or an error. False: it had ended before.
  bool finish(const Ref<_cl_event>& event, cl_int status);
  /// Registers a callback; it is called at once if the status has been reached.
  void add_callback(const Ref<_cl_event>& event, const _cl_event::Callback& callback);

  cl_int status(const _cl_event& event);
  Times times(const _cl_event& event);
  /// Blocks until the event has ended; returns CL_COMPLETE or its error. Throws CL_INVALID_OPERATION in the
  /// context's own thread, which would wait for itself.
  cl_int wait(const _cl_event& event);
  /// Blocks until `is_met`, which is evaluated with the lock held.
  void wait(const std::function<bool()>& is_met);

  /// The next task; `waits`: blocks until there is one. std::nullopt: none, or stop() was called.
  std::optional<Task> next(bool waits);
  /// Makes next() return std::nullopt from now on.
  void stop();
  bool is_stopped();
  /// The calling thread is the one that runs the tasks.
  void set_own_thread();

 private:
  void call_reached(const Ref<_cl_event>& event);

  std::mutex mutex_;
  std::condition_variable tasks_changed_, events_changed_;
  std::deque<Task> tasks_;
  bool is_stopped_ = false;
};

}  // namespace spica::opencl

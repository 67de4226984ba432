// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CL/cl_icd.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "platform/opencl/driver/executable.h"
#include "platform/opencl/driver/machine.h"
#include "platform/opencl/driver/object.h"

namespace spica::opencl {

/// A command that the worker carries out by itself. Throws std::exception.
using HostWork = std::function<void(DeviceMachine&)>;

/// A kernel; Launch::program and the queue are set by the worker.
struct KernelWork {
  std::shared_ptr<const Executable> executable;
  Launch launch;
};

/// What a command does on one device of its context. std::monostate: nothing (markers).
struct Work {
  std::variant<std::monostate, HostWork, KernelWork> action;
  std::vector<Ref<_cl_mem>> buffers;  // used by it
};

/// Points of simulated time, in ns.
struct Times {
  std::uint64_t queued = 0, submit = 0, start = 0, end = 0;
};

}  // namespace spica::opencl

/// A command of a queue, or a user event.
struct _cl_event final : spica::opencl::Object<_cl_event, CL_INVALID_EVENT> {
  using Notify = void(CL_CALLBACK*)(cl_event, cl_int, void*);
  struct Callback {
    cl_int status;  // to be called when this one is reached
    Notify notify;
    void* user_data;
  };

  /// A user event.
  explicit _cl_event(_cl_context& owner);
  /// A command.
  _cl_event(_cl_command_queue& owner, cl_command_type kind, spica::opencl::Work what);
  ~_cl_event();

  bool is_user() const { return queue == nullptr; }

  const spica::opencl::Ref<_cl_context> context;
  const spica::opencl::Ref<_cl_command_queue> queue;  // null: a user event
  const cl_command_type type;

  // The rest belongs to the graph of the context (graph.h).
  spica::opencl::Work work;
  spica::opencl::Times times;
  cl_int status;
  unsigned waits_for = 0;  // unfinished events
  bool has_failed_wait = false;  // an event of its wait list has failed
  struct Dependent {
    spica::opencl::Ref<_cl_event> event;
    bool is_in_wait_list;  // else only an order of the queue
  };
  std::vector<Dependent> dependents;
  std::vector<Callback> callbacks;
};

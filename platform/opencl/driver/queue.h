// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CL/cl_icd.h>

#include <list>
#include <vector>

#include "platform/opencl/driver/event.h"
#include "platform/opencl/driver/object.h"

/// A command queue. Commands of all queues of a context are carried out by its worker.
struct _cl_command_queue final : spica::opencl::Object<_cl_command_queue, CL_INVALID_COMMAND_QUEUE> {
  /// What a command waits for in its queue.
  enum class Order {
    kCommand,  // in-order queue: all before it; else the last barrier
    kAll,  // all before it: a marker without a wait list
    kBarrier,  // as kCommand, and all later ones wait for it
    kBarrierAll,  // both
  };

  _cl_command_queue(_cl_context& owner, cl_device_id on, cl_command_queue_properties with,
                    std::vector<cl_queue_properties> as_given);
  ~_cl_command_queue();

  /// Adds a command with the application's wait list. Blocking: returns at its end. `event`: where the
  /// application wants its handle, or null. Throws ClError: the wait list, the queue after a fault, or the
  /// end of the command.
  void enqueue(cl_command_type type, spica::opencl::Work work, cl_uint waits, const cl_event* wait_list,
               bool is_blocking, cl_event* event, Order order = Order::kCommand);
  /// Blocks until all commands have ended. Throws the error of one that failed.
  void finish();
  /// The event has ended; called by the graph with its lock held.
  void forget(const _cl_event& event);

  bool is_in_order() const { return (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0; }

  const spica::opencl::Ref<_cl_context> context;
  const cl_device_id device;
  const cl_command_queue_properties properties;
  const std::vector<cl_queue_properties> given_properties;
  const unsigned number;  // in its context, from 0

 private:
  void check_usable() const;

  // Guarded by the lock of the graph.
  std::list<spica::opencl::Ref<_cl_event>> unfinished_;
  spica::opencl::Ref<_cl_event> barrier_;
  cl_int failure_ = CL_SUCCESS;
};

namespace spica::opencl {
/// The events of a wait list. Throws CL_INVALID_EVENT_WAIT_LIST, or CL_INVALID_CONTEXT for one of another
/// context.
std::vector<Ref<_cl_event>> wait_list_of(const _cl_context& context, cl_uint count, const cl_event* list);
}  // namespace spica::opencl

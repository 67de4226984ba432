// SPDX-License-Identifier: Apache-2.0
// Entry points of events, markers and barriers.
#include <vector>

#include "platform/opencl/driver/context.h"
#include "platform/opencl/driver/entry_points.h"
#include "platform/opencl/driver/event.h"
#include "platform/opencl/driver/info.h"
#include "platform/opencl/driver/memory.h"
#include "platform/opencl/driver/queue.h"

namespace spica::opencl::entry {

namespace {

using Order = _cl_command_queue::Order;

/// A command that only waits.
void enqueue_wait(cl_command_queue queue, cl_command_type type, cl_uint waits, const cl_event* list,
                  cl_event* event, Order order) {
  _cl_command_queue::of(queue).enqueue(type, {}, waits, list, false, event, order);
}

cl_ulong time_of(const Times& times, cl_profiling_info name) {
  switch (name) {
    case CL_PROFILING_COMMAND_QUEUED: return times.queued;
    case CL_PROFILING_COMMAND_SUBMIT: return times.submit;
    case CL_PROFILING_COMMAND_START: return times.start;
    case CL_PROFILING_COMMAND_END:
    case CL_PROFILING_COMMAND_COMPLETE: return times.end;
    default: throw ClError(CL_INVALID_VALUE);
  }
}

}  // namespace

cl_int CL_API_CALL clWaitForEvents(cl_uint count, const cl_event* list) {
  return status_of([&] {
    require(count != 0 && list != nullptr, CL_INVALID_VALUE);
    std::vector<Ref<_cl_event>> events;
    for (cl_uint at = 0; at < count; ++at) {
      events.emplace_back(&_cl_event::of(list[at]));
      require(events.back()->context == events.front()->context, CL_INVALID_CONTEXT);
    }
    bool has_failed = false;
    for (const auto& event : events) has_failed |= event->context->graph().wait(*event) < 0;
    events.front()->context->reuse_released();
    require(!has_failed, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  });
}

cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info name, size_t bytes, void* value,
                                  size_t* bytes_of_value) {
  return status_of([&] {
    const _cl_event& of = _cl_event::of(event);
    const Answer answer(bytes, value, bytes_of_value);
    switch (name) {
      case CL_EVENT_COMMAND_QUEUE: return answer(of.queue.get());
      case CL_EVENT_CONTEXT: return answer(of.context.get());
      case CL_EVENT_COMMAND_TYPE: return answer(of.type);
      case CL_EVENT_COMMAND_EXECUTION_STATUS: return answer(of.context->graph().status(of));
      case CL_EVENT_REFERENCE_COUNT: return answer(of.references());
      default: throw ClError(CL_INVALID_VALUE);
    }
  });
}

cl_int CL_API_CALL clRetainEvent(cl_event event) {
  return status_of([&] { _cl_event::of(event).retain(); });
}
cl_int CL_API_CALL clReleaseEvent(cl_event event) {
  return status_of([&] { _cl_event::of(event).release(); });
}

cl_int CL_API_CALL clGetEventProfilingInfo(cl_event event, cl_profiling_info name, size_t bytes, void* value,
                                           size_t* bytes_of_value) {
  return status_of([&] {
    const _cl_event& of = _cl_event::of(event);
    require(!of.is_user() && (of.queue->properties & CL_QUEUE_PROFILING_ENABLE) != 0 &&
                of.context->graph().status(of) == CL_COMPLETE,
            CL_PROFILING_INFO_NOT_AVAILABLE);
    Answer(bytes, value, bytes_of_value)(time_of(of.context->graph().times(of), name));
  });
}

cl_int CL_API_CALL clSetEventCallback(cl_event event, cl_int status, _cl_event::Notify notify,
                                      void* user_data) {
  return status_of([&] {
    const Ref<_cl_event> of(&_cl_event::of(event));
    require(notify != nullptr, CL_INVALID_VALUE);
    require(status == CL_SUBMITTED || status == CL_RUNNING || status == CL_COMPLETE, CL_INVALID_VALUE);
    of->context->graph().add_callback(of, {status, notify, user_data});
  });
}

cl_event CL_API_CALL clCreateUserEvent(cl_context context, cl_int* error) {
  return object_of(error, [&] { return create<_cl_event>(_cl_context::of(context)); });
}

cl_int CL_API_CALL clSetUserEventStatus(cl_event event, cl_int status) {
  return status_of([&] {
    const Ref<_cl_event> of(&_cl_event::of(event));
    require(of->is_user(), CL_INVALID_EVENT);
    require(status <= CL_COMPLETE, CL_INVALID_VALUE);
    require(of->context->graph().finish(of, status), CL_INVALID_OPERATION);
  });
}

cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint waits, const cl_event* list,
                                               cl_event* event) {
  return status_of([&] {
    enqueue_wait(queue, CL_COMMAND_MARKER, waits, list, event, waits == 0 ? Order::kAll : Order::kCommand);
  });
}

cl_int CL_API_CALL clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint waits, const cl_event* list,
                                                cl_event* event) {
  return status_of([&] {
    enqueue_wait(queue, CL_COMMAND_BARRIER, waits, list, event,
                 waits == 0 ? Order::kBarrierAll : Order::kBarrier);
  });
}

cl_int CL_API_CALL clEnqueueMarker(cl_command_queue queue, cl_event* event) {
  return status_of([&] {
    require(event != nullptr, CL_INVALID_VALUE);
    enqueue_wait(queue, CL_COMMAND_MARKER, 0, nullptr, event, Order::kAll);
  });
}

cl_int CL_API_CALL clEnqueueWaitForEvents(cl_command_queue queue, cl_uint count, const cl_event* list) {
  return status_of([&] {
    require(count != 0 && list != nullptr, CL_INVALID_VALUE);
    enqueue_wait(queue, CL_COMMAND_BARRIER, count, list, nullptr, Order::kBarrier);
  });
}

cl_int CL_API_CALL clEnqueueBarrier(cl_command_queue queue) {
  return status_of([&] { enqueue_wait(queue, CL_COMMAND_BARRIER, 0, nullptr, nullptr, Order::kBarrierAll); });
}

}  // namespace spica::opencl::entry

// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/driver/queue.h"

#include <algorithm>
#include <utility>

#include "platform/opencl/driver/context.h"
#include "platform/opencl/driver/memory.h"

using spica::opencl::ClError;
using spica::opencl::Graph;
using spica::opencl::Ref;
using spica::opencl::require;

namespace spica::opencl {

std::vector<Ref<_cl_event>> wait_list_of(const _cl_context& context, cl_uint count, const cl_event* list) {
  require((count == 0) == (list == nullptr), CL_INVALID_EVENT_WAIT_LIST);
  std::vector<Ref<_cl_event>> events;
  for (cl_uint at = 0; at < count; ++at) {
    try {
      events.emplace_back(&_cl_event::of(list[at]));
    } catch (const ClError&) {
      throw ClError(CL_INVALID_EVENT_WAIT_LIST);
    }
    require(events.back()->context.get() == &context, CL_INVALID_CONTEXT);
  }
  return events;
}

}  // namespace spica::opencl

_cl_command_queue::_cl_command_queue(_cl_context& owner, cl_device_id on, cl_command_queue_properties with,
                                     std::vector<cl_queue_properties> as_given)
    : context(&owner),
      device(on),
      properties(with),
      given_properties(std::move(as_given)),
      number(owner.next_queue_number()) {}

_cl_command_queue::~_cl_command_queue() = default;

void _cl_command_queue::check_usable() const { require(!context->is_lost(), CL_INVALID_COMMAND_QUEUE); }

void _cl_command_queue::enqueue(cl_command_type type, spica::opencl::Work work, cl_uint waits,
                                const cl_event* wait_list, bool is_blocking, cl_event* event, Order order) {
  check_usable();
  std::vector<Graph::Wait> after;
  for (auto& waited : spica::opencl::wait_list_of(*context, waits, wait_list))
    after.push_back({std::move(waited), true});
  const bool waits_for_all = order == Order::kAll || order == Order::kBarrierAll;
  const Ref<_cl_event> command(new _cl_event(*this, type, std::move(work)), false);
  {
    const auto held = context->graph().lock();
    if (is_in_order() && !unfinished_.empty()) after.push_back({unfinished_.back(), false});
    else if (waits_for_all)
      for (const auto& before : unfinished_) after.push_back({before, false});
    else if (barrier_ != nullptr) after.push_back({barrier_, false});
    if (!is_in_order() && (order == Order::kBarrier || order == Order::kBarrierAll)) barrier_ = command;
    unfinished_.push_back(command);
    context->graph().add(command, after, held);
  }
  if (is_blocking) {
    const cl_int status = context->graph().wait(*command);
    context->reuse_released();
    require(status == CL_COMPLETE, status);
  }
  if (event == nullptr) return;
  intrusive_ptr_add_ref(command.get());  // the application's
  *event = command.get();
}

void _cl_command_queue::finish() {
  context->graph().wait([this] { return unfinished_.empty(); });
  context->reuse_released();
  cl_int failure;
  {
    const auto held = context->graph().lock();
    failure = std::exchange(failure_, CL_SUCCESS);
  }
  require(failure == CL_SUCCESS, failure);
  check_usable();
}

void _cl_command_queue::forget(const _cl_event& event) {
  if (event.status < 0 && event.status != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST &&
      failure_ == CL_SUCCESS)
    failure_ = event.status;
  if (barrier_.get() == &event) barrier_ = nullptr;
  const auto found = std::find_if(unfinished_.begin(), unfinished_.end(),
                                  [&](const Ref<_cl_event>& other) { return other.get() == &event; });
  if (found != unfinished_.end()) unfinished_.erase(found);
}

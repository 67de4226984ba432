// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/driver/event.h"

#include <utility>

#include "platform/opencl/driver/context.h"
#include "platform/opencl/driver/memory.h"
#include "platform/opencl/driver/queue.h"

_cl_event::_cl_event(_cl_context& owner) : context(&owner), type(CL_COMMAND_USER), status(CL_SUBMITTED) {}

_cl_event::_cl_event(_cl_command_queue& owner, cl_command_type kind, spica::opencl::Work what)
    : context(owner.context), queue(&owner), type(kind), work(std::move(what)), status(CL_QUEUED) {
  times.queued = owner.context->worker().now_ns(owner.device);
}

_cl_event::~_cl_event() = default;

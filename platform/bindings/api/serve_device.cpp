// SPDX-License-Identifier: Apache-2.0
#include "platform/bindings/api/serve_device.h"

namespace spica::api {

bool serve_device(client::Request kind, client::Reader& request, client::Writer& done, Device::Impl& device) {
  using client::Request;
  switch (kind) {
    case Request::kAdd: done << device.add(request.get<std::string>()); return true;
    case Request::kRemove: device.remove(request.get<std::uint32_t>()); return true;
    case Request::kSymbol: {
      const auto program = request.get<std::uint32_t>();
      done << device.symbol(program, request.get<std::string>());
      return true;
    }
    case Request::kProblems: done << device.problems(request.get<Launch>()); return true;
    case Request::kEnqueue: {
      const auto queue = request.get<unsigned>();
      done << device.enqueue(queue, request.get<Launch>());
      return true;
    }
    case Request::kEnqueueBarrier: {
      const auto queue = request.get<unsigned>();
      done << device.enqueue_barrier(queue, request.get<std::vector<Ticket>>());
      return true;
    }
    case Request::kRunUntil: done << device.run_until(request.get<Ticket>()); return true;
    case Request::kRunIdle: done << device.run_idle(); return true;
    case Request::kTimes: done << device.times(request.get<Ticket>()); return true;
    case Request::kFaults: done << device.faults(request.get<std::uint64_t>()); return true;
    default: return false;
  }
}

}  // namespace spica::api

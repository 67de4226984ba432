// SPDX-License-Identifier: Apache-2.0
// Entry points of contexts and command queues.
#include <algorithm>
#include <vector>

#include "platform/opencl/driver/context.h"
#include "platform/opencl/driver/entry_points.h"
#include "platform/opencl/driver/info.h"
#include "platform/opencl/driver/queue.h"

namespace spica::opencl::entry {

namespace {

/// The properties of a context as given, with the final 0. Throws for invalid ones.
std::vector<cl_context_properties> checked(const cl_context_properties* properties) {
  std::vector<cl_context_properties> given;
  if (properties == nullptr) return given;
  const auto is_known = [&](cl_context_properties key) {
    return std::find(given.begin(), given.end(), key) != given.end();
  };
  for (; *properties != 0; properties += 2) {
    const cl_context_properties key = properties[0], value = properties[1];
    require(key == CL_CONTEXT_PLATFORM || key == CL_CONTEXT_INTEROP_USER_SYNC, CL_INVALID_PROPERTY);
    require(!is_known(key), CL_INVALID_PROPERTY);
    if (key == CL_CONTEXT_PLATFORM) _cl_platform_id::of(reinterpret_cast<cl_platform_id>(value));
    given.insert(given.end(), {key, value});
  }
  given.push_back(0);
  return given;
}

/// The properties of a queue in the form of OpenCL 2.0.
cl_command_queue_properties bits_of(const std::vector<cl_queue_properties>& given) {
  constexpr cl_command_queue_properties kKnown =
      CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
  constexpr cl_command_queue_properties kOnDevice = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;
  cl_command_queue_properties bits = 0;
  for (std::size_t at = 0; at + 1 < given.size(); at += 2) {
    require(given[at] == CL_QUEUE_PROPERTIES || given[at] == CL_QUEUE_SIZE, CL_INVALID_VALUE);
    require(given[at] != CL_QUEUE_SIZE, CL_INVALID_QUEUE_PROPERTIES);  // of queues on the device
    bits = given[at + 1];
  }
  require((bits & ~(kKnown | kOnDevice)) == 0, CL_INVALID_VALUE);
  require((bits & kOnDevice) == 0, CL_INVALID_QUEUE_PROPERTIES);
  return bits;
}

cl_command_queue new_queue(cl_context context, cl_device_id device, cl_command_queue_properties bits,
                           std::vector<cl_queue_properties> given) {
  _cl_context& owner = _cl_context::of(context);
  require(owner.has(&_cl_device_id::of(device)), CL_INVALID_DEVICE);
  return create<_cl_command_queue>(owner, device, bits, std::move(given));
}

}  // namespace

cl_context CL_API_CALL clCreateContext(const cl_context_properties* properties, cl_uint count,
                                       const cl_device_id* devices, _cl_context::Notify notify,
                                       void* user_data, cl_int* error) {
  return object_of(error, [&] {
    require(devices != nullptr && count != 0, CL_INVALID_VALUE);
    require(notify != nullptr || user_data == nullptr, CL_INVALID_VALUE);
    std::vector<cl_device_id> on;
    for (cl_uint at = 0; at < count; ++at) {
      _cl_device_id::of(devices[at]);
      if (std::find(on.begin(), on.end(), devices[at]) == on.end()) on.push_back(devices[at]);
    }
    return create<_cl_context>(std::move(on), checked(properties), notify, user_data);
  });
}

cl_context CL_API_CALL clCreateContextFromType(const cl_context_properties* properties, cl_device_type type,
                                               _cl_context::Notify notify, void* user_data, cl_int* error) {
  return object_of(error, [&] {
    require(notify != nullptr || user_data == nullptr, CL_INVALID_VALUE);
    std::vector<cl_context_properties> given = checked(properties);
    std::vector<cl_device_id> devices = _cl_platform_id::instance().devices(type);
    require(!devices.empty(), CL_DEVICE_NOT_FOUND);
    return create<_cl_context>(std::move(devices), std::move(given), notify, user_data);
  });
}

cl_int CL_API_CALL clRetainContext(cl_context context) {
  return status_of([&] { _cl_context::of(context).retain(); });
}
cl_int CL_API_CALL clReleaseContext(cl_context context) {
  return status_of([&] { _cl_context::of(context).release(); });
}

cl_int CL_API_CALL clGetContextInfo(cl_context context, cl_context_info name, size_t bytes, void* value,
                                    size_t* bytes_of_value) {
  return status_of([&] {
    const _cl_context& of = _cl_context::of(context);
    const Answer answer(bytes, value, bytes_of_value);
    switch (name) {
      case CL_CONTEXT_REFERENCE_COUNT: return answer(of.references());
      case CL_CONTEXT_NUM_DEVICES: return answer(static_cast<cl_uint>(of.devices.size()));
      case CL_CONTEXT_DEVICES: return answer(of.devices);
      case CL_CONTEXT_PROPERTIES: return answer(of.properties);
      default: throw ClError(CL_INVALID_VALUE);
    }
  });
}

cl_int CL_API_CALL clSetContextDestructorCallback(cl_context context, _cl_context::Destroyed callback,
                                                  void* user_data) {
  return status_of([&] {
    _cl_context& of = _cl_context::of(context);
    require(callback != nullptr, CL_INVALID_VALUE);
    of.on_destruction(callback, user_data);
  });
}

cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context context, cl_device_id device,
                                                  cl_command_queue_properties properties, cl_int* error) {
  return object_of(
      error, [&] { return new_queue(context, device, bits_of({CL_QUEUE_PROPERTIES, properties, 0}), {}); });
}

cl_command_queue CL_API_CALL clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                                const cl_queue_properties* properties,
                                                                cl_int* error) {
  return object_of(error, [&] {
    std::vector<cl_queue_properties> given;
    for (; properties != nullptr && *properties != 0; properties += 2)
      given.insert(given.end(), {properties[0], properties[1]});
    if (properties != nullptr) given.push_back(0);
    const cl_command_queue_properties bits = bits_of(given);
    return new_queue(context, device, bits, std::move(given));
  });
}

cl_int CL_API_CALL clRetainCommandQueue(cl_command_queue queue) {
  return status_of([&] { _cl_command_queue::of(queue).retain(); });
}
cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue queue) {
  return status_of([&] { _cl_command_queue::of(queue).release(); });
}

cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info name, size_t bytes,
                                         void* value, size_t* bytes_of_value) {
  return status_of([&] {
    const _cl_command_queue& of = _cl_command_queue::of(queue);
    const Answer answer(bytes, value, bytes_of_value);
    switch (name) {
      case CL_QUEUE_CONTEXT: return answer(of.context.get());
      case CL_QUEUE_DEVICE: return answer(of.device);
      case CL_QUEUE_REFERENCE_COUNT: return answer(of.references());
      case CL_QUEUE_PROPERTIES: return answer(of.properties);
      case CL_QUEUE_PROPERTIES_ARRAY: return answer(of.given_properties);
      case CL_QUEUE_DEVICE_DEFAULT: return answer(cl_command_queue{nullptr});
      case CL_QUEUE_SIZE: throw ClError(CL_INVALID_COMMAND_QUEUE);
      default: throw ClError(CL_INVALID_VALUE);
    }
  });
}

// Commands start without it.
cl_int CL_API_CALL clFlush(cl_command_queue queue) {
  return status_of([&] { _cl_command_queue::of(queue); });
}
cl_int CL_API_CALL clFinish(cl_command_queue queue) {
  return status_of([&] {
    const Ref<_cl_command_queue> of(&_cl_command_queue::of(queue));
    of->finish();
  });
}

}  // namespace spica::opencl::entry

// SPDX-License-Identifier: Apache-2.0
// Entry points of programs.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "platform/opencl/driver/entry_points.h"
#include "platform/opencl/driver/info.h"
#include "platform/opencl/driver/program.h"

namespace spica::opencl::entry {

namespace {

using Notify = void(CL_CALLBACK*)(cl_program, void*);

/// The devices of a build: those given, or all of `possible`.
std::vector<cl_device_id> devices_of(const std::vector<cl_device_id>& possible, cl_uint count,
                                     const cl_device_id* list) {
  require((count == 0) == (list == nullptr), CL_INVALID_VALUE);
  if (list == nullptr) return possible;
  std::vector<cl_device_id> devices(list, list + count);
  for (cl_device_id device : devices) {
    _cl_device_id::of(device);
    require(std::find(possible.begin(), possible.end(), device) != possible.end(), CL_INVALID_DEVICE);
    require(std::count(devices.begin(), devices.end(), device) == 1, CL_INVALID_DEVICE);
  }
  return devices;
}

std::string text_of(const char* text) { return text == nullptr ? "" : text; }

/// Builds are complete when their function returns, and callbacks are called before.
void notify_end(Notify notify, cl_program program, void* user_data) {
  if (notify != nullptr) notify(program, user_data);
}

/// Runs a build step, then the callback, also when it has failed.
template <class Step>
void with_callback(Notify notify, cl_program program, void* user_data, Step&& step) {
  require(notify != nullptr || user_data == nullptr, CL_INVALID_VALUE);
  try {
    step();
  } catch (const ClError& error) {
    if (error.code == CL_BUILD_PROGRAM_FAILURE || error.code == CL_COMPILE_PROGRAM_FAILURE)
      notify_end(notify, program, user_data);
    throw;
  }
  notify_end(notify, program, user_data);
}

std::string kernel_names(const _cl_program& program) {
  std::string names;
  for (const KernelDescription& kernel : program.any_executable()->kernels())
    names += (names.empty() ? "" : ";") + kernel.name;
  return names;
}

/// CL_PROGRAM_BINARIES: the caller's memory has a pointer for each device.
void binaries(const _cl_program& program, const Answer& answer) {
  const std::size_t needed = program.devices.size() * sizeof(unsigned char*);
  if (answer.memory() == nullptr) {
    answer.bytes(nullptr, needed);
    return;
  }
  require(answer.room() >= needed, CL_INVALID_VALUE);
  auto** const pointers = static_cast<unsigned char**>(answer.memory());
  const std::vector<unsigned char*> kept(pointers, pointers + program.devices.size());
  for (std::size_t at = 0; at < kept.size(); ++at) {
    const std::string binary = program.binary(program.devices[at]);
    if (kept[at] != nullptr) std::memcpy(kept[at], binary.data(), binary.size());
  }
  answer(kept);
}

}  // namespace

cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint count, const char** texts,
                                                 const size_t* lengths, cl_int* error) {
  return object_of(error, [&] {
    _cl_context& owner = _cl_context::of(context);
    require(count != 0 && texts != nullptr, CL_INVALID_VALUE);
    std::string source;
    for (cl_uint at = 0; at < count; ++at) {
      require(texts[at] != nullptr, CL_INVALID_VALUE);
      if (lengths != nullptr && lengths[at] != 0) source.append(texts[at], lengths[at]);
      else source += texts[at];
    }
    return create<_cl_program>(owner, owner.devices, std::move(source));
  });
}

cl_program CL_API_CALL clCreateProgramWithBinary(cl_context context, cl_uint count,
                                                 const cl_device_id* devices, const size_t* lengths,
                                                 const unsigned char** binaries, cl_int* status,
                                                 cl_int* error) {
  return object_of(error, [&] {
    _cl_context& owner = _cl_context::of(context);
    require(count != 0 && devices != nullptr && lengths != nullptr && binaries != nullptr, CL_INVALID_VALUE);
    const std::vector<cl_device_id> on = devices_of(owner.devices, count, devices);
    Ref<_cl_program> program(create<_cl_program>(owner, on, std::nullopt), false);
    cl_int first = CL_SUCCESS;
    for (cl_uint at = 0; at < count; ++at) {
      const cl_int result = status_of([&] {
        require(lengths[at] != 0 && binaries[at] != nullptr, CL_INVALID_VALUE);
        program->load(on[at], std::string(reinterpret_cast<const char*>(binaries[at]), lengths[at]));
      });
      if (status != nullptr) status[at] = result;
      if (first == CL_SUCCESS) first = result;
    }
    require(first == CL_SUCCESS, first);
    return program.detach();
  });
}

cl_int CL_API_CALL clRetainProgram(cl_program program) {
  return status_of([&] { _cl_program::of(program).retain(); });
}
cl_int CL_API_CALL clReleaseProgram(cl_program program) {
  return status_of([&] { _cl_program::of(program).release(); });
}

cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint count, const cl_device_id* devices,
                                  const char* options, Notify notify, void* user_data) {
  return status_of([&] {
    const Ref<_cl_program> of(&_cl_program::of(program));
    const std::vector<cl_device_id> on = devices_of(of->devices, count, devices);
    with_callback(notify, program, user_data, [&] { of->build(on, text_of(options)); });
  });
}

cl_int CL_API_CALL clCompileProgram(cl_program program, cl_uint count, const cl_device_id* devices,
                                    const char* options, cl_uint header_count, const cl_program* headers,
                                    const char** header_names, Notify notify, void* user_data) {
  return status_of([&] {
    const Ref<_cl_program> of(&_cl_program::of(program));
    const std::vector<cl_device_id> on = devices_of(of->devices, count, devices);
    require((header_count == 0) == (headers == nullptr) && (header_count == 0) == (header_names == nullptr),
            CL_INVALID_VALUE);
    Headers texts;
    for (cl_uint at = 0; at < header_count; ++at) {
      const _cl_program& header = _cl_program::of(headers[at]);
      require(header.source.has_value() && header_names[at] != nullptr, CL_INVALID_VALUE);
      texts.emplace_back(header_names[at], *header.source);
    }
    with_callback(notify, program, user_data, [&] { of->compile(on, text_of(options), texts); });
  });
}

cl_program CL_API_CALL clLinkProgram(cl_context context, cl_uint count, const cl_device_id* devices,
                                     const char* options, cl_uint input_count, const cl_program* inputs,
                                     Notify notify, void* user_data, cl_int* error) {
  cl_int failure = CL_SUCCESS;  // the standard returns the program with its log when the link itself fails
  cl_int invalid = CL_SUCCESS;
  cl_program const linked = object_of(&invalid, [&] {
    _cl_context& owner = _cl_context::of(context);
    const std::vector<cl_device_id> on = devices_of(owner.devices, count, devices);
    require(input_count != 0 && inputs != nullptr, CL_INVALID_VALUE);
    require(notify != nullptr || user_data == nullptr, CL_INVALID_VALUE);
    std::vector<cl_program> parts(inputs, inputs + input_count);
    for (cl_program part : parts) {
      const _cl_program& of = _cl_program::of(part);
      for (cl_device_id device : on) {
        const cl_program_binary_type type = of.state(device).type;
        require(type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT || type == CL_PROGRAM_BINARY_TYPE_LIBRARY,
                CL_INVALID_OPERATION);
      }
    }
    Ref<_cl_program> program(create<_cl_program>(owner, on, std::nullopt), false);
    failure = status_of([&] { program->link(on, parts, text_of(options)); });
    require(failure != CL_INVALID_LINKER_OPTIONS, failure);
    notify_end(notify, program.get(), user_data);
    return program.detach();
  });
  if (error != nullptr) *error = linked == nullptr ? invalid : failure;
  return linked;
}

cl_int CL_API_CALL clGetProgramInfo(cl_program program, cl_program_info name, size_t bytes, void* value,
                                    size_t* bytes_of_value) {
  return status_of([&] {
    const _cl_program& of = _cl_program::of(program);
    const Answer answer(bytes, value, bytes_of_value);
    switch (name) {
      case CL_PROGRAM_REFERENCE_COUNT: return answer(of.references());
      case CL_PROGRAM_CONTEXT: return answer(of.context.get());
      case CL_PROGRAM_NUM_DEVICES: return answer(static_cast<cl_uint>(of.devices.size()));
      case CL_PROGRAM_DEVICES: return answer(of.devices);
      case CL_PROGRAM_SOURCE: return answer(of.source.value_or(""));
      case CL_PROGRAM_BINARY_SIZES: {
        std::vector<std::size_t> sizes;
        for (cl_device_id device : of.devices) sizes.push_back(of.binary(device).size());
        return answer(sizes);
      }
      case CL_PROGRAM_BINARIES: return binaries(of, answer);
      case CL_PROGRAM_NUM_KERNELS: return answer(of.any_executable()->kernels().size());
      case CL_PROGRAM_KERNEL_NAMES: return answer(kernel_names(of));
      case CL_PROGRAM_IL: return answer(std::vector<char>());
      case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
      case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT: return answer(cl_bool{CL_FALSE});
      default: throw ClError(CL_INVALID_VALUE);
    }
  });
}

cl_int CL_API_CALL clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info name,
                                         size_t bytes, void* value, size_t* bytes_of_value) {
  return status_of([&] {
    const Build build = _cl_program::of(program).state(&_cl_device_id::of(device));
    const Answer answer(bytes, value, bytes_of_value);
    switch (name) {
      case CL_PROGRAM_BUILD_STATUS: return answer(build.status);
      case CL_PROGRAM_BUILD_OPTIONS: return answer(build.options);
      case CL_PROGRAM_BUILD_LOG: return answer(build.log);
      case CL_PROGRAM_BINARY_TYPE: return answer(build.type);
      case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE: return answer(std::size_t{0});
      default: throw ClError(CL_INVALID_VALUE);
    }
  });
}

}  // namespace spica::opencl::entry

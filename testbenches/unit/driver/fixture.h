// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CL/cl_icd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "testbenches/support/catch.h"
#include "testbenches/unit/driver/fake_backend.h"

namespace spica::opencl {
extern const cl_icd_dispatch kDispatch;
}

namespace spica::opencl::test {

/// The entry points, as a program reaches them through the loader.
inline const cl_icd_dispatch& cl = kDispatch;

/// A context on the fake device with an in-order queue. All entry points must succeed.
struct Fixture {
  explicit Fixture(cl_command_queue_properties properties = CL_QUEUE_PROFILING_ENABLE)
      : backend(FakeBackend::instance()) {
    cl_platform_id platform = nullptr;
    REQUIRE(cl.clGetPlatformIDs(1, &platform, nullptr) == CL_SUCCESS);
    REQUIRE(cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) == CL_SUCCESS);
    cl_int error = 1;
    context = cl.clCreateContext(nullptr, 1, &device, &Fixture::on_error, this, &error);
    REQUIRE(error == CL_SUCCESS);
    queue = cl.clCreateCommandQueue(context, device, properties, &error);
    REQUIRE(error == CL_SUCCESS);
    // Adds its third argument to an element.
    backend.define("add", [](FakeMachine& machine, const Launch& launch) {
      for (std::uint32_t at = 0; at < launch.groups[0] * launch.local[0]; ++at)
        machine.element(launch, 0, at) += static_cast<std::int32_t>(FakeMachine::word(launch, 1));
    });
    backend.define("fault", [](FakeMachine&, const Launch&) {
      throw MachineStopped("an access to an unmapped address");
    });
  }
  ~Fixture() {
    cl.clReleaseCommandQueue(queue);
    cl.clReleaseContext(context);
  }
  Fixture(const Fixture&) = delete;
  Fixture& operator=(const Fixture&) = delete;

  static void CL_CALLBACK on_error(const char* text, const void*, std::size_t, void* self) {
    static_cast<Fixture*>(self)->errors.emplace_back(text);
  }

  cl_mem buffer(const std::vector<std::int32_t>& values) const {
    cl_int error = 1;
    cl_mem made = cl.clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 4 * values.size(),
                                    const_cast<std::int32_t*>(values.data()), &error);
    REQUIRE(error == CL_SUCCESS);
    return made;
  }
  std::vector<std::int32_t> read(cl_mem from, std::size_t count) const {
    std::vector<std::int32_t> values(count);
    REQUIRE(cl.clEnqueueReadBuffer(queue, from, CL_TRUE, 0, 4 * count, values.data(), 0, nullptr, nullptr) ==
            CL_SUCCESS);
    return values;
  }
  cl_program program(const std::string& source) const {
    const char* text = source.c_str();
    cl_int error = 1;
    cl_program made = cl.clCreateProgramWithSource(context, 1, &text, nullptr, &error);
    REQUIRE(error == CL_SUCCESS);
    REQUIRE(cl.clBuildProgram(made, 0, nullptr, "", nullptr, nullptr) == CL_SUCCESS);
    return made;
  }
  cl_kernel kernel(const std::string& source, const std::string& name) const {
    cl_program of = program(source);
    cl_int error = 1;
    cl_kernel made = cl.clCreateKernel(of, name.c_str(), &error);
    REQUIRE(error == CL_SUCCESS);
    REQUIRE(cl.clReleaseProgram(of) == CL_SUCCESS);
    return made;
  }
  /// The kernel "add" on a buffer.
  cl_kernel add(cl_mem to, cl_int amount) const {
    cl_kernel made = kernel("kernel add buffer int", "add");
    REQUIRE(cl.clSetKernelArg(made, 0, sizeof(cl_mem), static_cast<const void*>(&to)) == CL_SUCCESS);
    REQUIRE(cl.clSetKernelArg(made, 1, sizeof amount, &amount) == CL_SUCCESS);
    return made;
  }
  cl_int launch(cl_kernel what, std::size_t items, const std::vector<cl_event>& after = {},
                cl_event* event = nullptr) const {
    return cl.clEnqueueNDRangeKernel(queue, what, 1, nullptr, &items, nullptr,
                                     static_cast<cl_uint>(after.size()),
                                     after.empty() ? nullptr : after.data(), event);
  }
  cl_event user_event() const {
    cl_int error = 1;
    cl_event made = cl.clCreateUserEvent(context, &error);
    REQUIRE(error == CL_SUCCESS);
    return made;
  }
  static cl_int status(cl_event event) {
    cl_int status = 99;
    REQUIRE(cl.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr) ==
            CL_SUCCESS);
    return status;
  }
  static cl_ulong time(cl_event event, cl_profiling_info name) {
    cl_ulong ns = 0;
    REQUIRE(cl.clGetEventProfilingInfo(event, name, sizeof ns, &ns, nullptr) == CL_SUCCESS);
    return ns;
  }

  FakeBackend& backend;
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  std::vector<std::string> errors;  // given to the context's callback
};

}  // namespace spica::opencl::test

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "testbenches/unit/driver/fixture.h"

using namespace spica::opencl::test;
using Notes = std::vector<std::string>;

namespace {

/// Kernels that leave only a note.
cl_kernel named(const Fixture& fixture, const std::string& name) {
  fixture.backend.define(name, [](FakeMachine&, const spica::opencl::Launch&) {});
  return fixture.kernel("kernel " + name, name);
}

/// The notes of kernels only.
Notes kernel_notes(const Fixture& fixture) {
  Notes notes = fixture.backend.notes();
  notes.erase(std::remove_if(notes.begin(), notes.end(),
                             [](const std::string& note) { return note.find("base") != std::string::npos; }),
              notes.end());
  return notes;
}

constexpr cl_command_queue_properties kOutOfOrder =
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;

}  // namespace

TEST_CASE("kernels of an in-order queue run one after the other") {
  const Fixture fixture;
  cl_kernel const a = named(fixture, "a"), b = named(fixture, "b");
  REQUIRE(fixture.launch(a, 1) == CL_SUCCESS);
  REQUIRE(fixture.launch(b, 1) == CL_SUCCESS);
  REQUIRE(cl.clFinish(fixture.queue) == CL_SUCCESS);
  CHECK(kernel_notes(fixture) == Notes{"submit a", "run a", "submit b", "run b"});
}

TEST_CASE("a queue returns its context after the application has released it") {
  cl_device_id device = nullptr;
  const Fixture fixture;
  REQUIRE(cl.clGetCommandQueueInfo(fixture.queue, CL_QUEUE_DEVICE, sizeof(cl_device_id),
                                   static_cast<void*>(&device), nullptr) == CL_SUCCESS);
  cl_context const first = cl.clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  cl_command_queue const queue = cl.clCreateCommandQueueWithProperties(first, device, nullptr, nullptr);
  int destructions = 0;
  REQUIRE(cl.clSetContextDestructorCallback(
              first, [](cl_context, void* count) { ++*static_cast<int*>(count); }, &destructions) ==
          CL_SUCCESS);
  REQUIRE(cl.clReleaseContext(first) == CL_SUCCESS);
  for (int i = 0; i < 2; ++i) {
    cl_context context = nullptr;
    REQUIRE(cl.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(cl_context),
                                     static_cast<void*>(&context), nullptr) == CL_SUCCESS);
    REQUIRE(cl.clRetainContext(context) == CL_SUCCESS);
    REQUIRE(cl.clReleaseContext(context) == CL_SUCCESS);
    CHECK(destructions == 0);
  }
  REQUIRE(cl.clReleaseCommandQueue(queue) == CL_SUCCESS);
  CHECK(destructions == 1);
}

TEST_CASE("kernels of an out-of-order queue are in the machine at the same time") {
  const Fixture fixture(kOutOfOrder);
  cl_event const gate = fixture.user_event();
  cl_kernel const a = named(fixture, "a"), b = named(fixture, "b");
  REQUIRE(fixture.launch(a, 1, {gate}) == CL_SUCCESS);
  REQUIRE(fixture.launch(b, 1, {gate}) == CL_SUCCESS);
  REQUIRE(cl.clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
  REQUIRE(cl.clFinish(fixture.queue) == CL_SUCCESS);
  CHECK(kernel_notes(fixture) == Notes{"submit a", "submit b", "run a", "run b"});
}

TEST_CASE("a wait list orders an out-of-order queue") {
  const Fixture fixture(kOutOfOrder);
  cl_event const gate = fixture.user_event();
  cl_kernel const a = named(fixture, "a"), b = named(fixture, "b");
  cl_event first = nullptr;
  REQUIRE(fixture.launch(a, 1, {gate}, &first) == CL_SUCCESS);
  REQUIRE(fixture.launch(b, 1, {first}) == CL_SUCCESS);
  REQUIRE(cl.clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
  REQUIRE(cl.clFinish(fixture.queue) == CL_SUCCESS);
  CHECK(kernel_notes(fixture) == Notes{"submit a", "run a", "submit b", "run b"});
}

TEST_CASE("a barrier separates the commands of an out-of-order queue") {
  const Fixture fixture(kOutOfOrder);
  cl_event const gate = fixture.user_event();
  cl_kernel const a = named(fixture, "a"), b = named(fixture, "b"), c = named(fixture, "c");
  cl_event last = nullptr;
  REQUIRE(fixture.launch(a, 1, {gate}) == CL_SUCCESS);
  REQUIRE(cl.clEnqueueBarrierWithWaitList(fixture.queue, 0, nullptr, nullptr) == CL_SUCCESS);
  REQUIRE(fixture.launch(b, 1) == CL_SUCCESS);
  REQUIRE(fixture.launch(c, 1, {}, &last) == CL_SUCCESS);
  CHECK(Fixture::status(last) == CL_QUEUED);
  REQUIRE(cl.clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
  REQUIRE(cl.clFinish(fixture.queue) == CL_SUCCESS);
  CHECK(kernel_notes(fixture) == Notes{"submit a", "run a", "submit b", "submit c", "run b", "run c"});
}

TEST_CASE("a marker ends with all commands before it, and holds none back") {
  const Fixture fixture(kOutOfOrder);
  cl_event const gate = fixture.user_event();
  cl_kernel const a = named(fixture, "a"), b = named(fixture, "b");
  cl_event marker = nullptr, later = nullptr;
  REQUIRE(fixture.launch(a, 1, {gate}) == CL_SUCCESS);
  REQUIRE(cl.clEnqueueMarker(fixture.queue, &marker) == CL_SUCCESS);
  REQUIRE(fixture.launch(b, 1, {}, &later) == CL_SUCCESS);
  CHECK(cl.clWaitForEvents(1, &later) == CL_SUCCESS);
  CHECK(Fixture::status(marker) == CL_QUEUED);
  REQUIRE(cl.clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
  CHECK(cl.clWaitForEvents(1, &marker) == CL_SUCCESS);
}

TEST_CASE("a kernel of an empty range is a command without a launch") {
  const Fixture fixture;
  cl_kernel const a = named(fixture, "a");
  cl_event event = nullptr;
  REQUIRE(fixture.launch(a, 0, {}, &event) == CL_SUCCESS);
  CHECK(cl.clWaitForEvents(1, &event) == CL_SUCCESS);
  CHECK(kernel_notes(fixture).empty());
  CHECK(fixture.backend.machines() == 0);  // and starts no machine
}

TEST_CASE("the machine of a context starts with its first command") {
  const Fixture fixture;
  CHECK(fixture.backend.machines() == 0);
  REQUIRE(fixture.launch(named(fixture, "a"), 1) == CL_SUCCESS);
  REQUIRE(cl.clFinish(fixture.queue) == CL_SUCCESS);
  REQUIRE(fixture.launch(named(fixture, "a"), 1) == CL_SUCCESS);
  REQUIRE(cl.clFinish(fixture.queue) == CL_SUCCESS);
  CHECK(fixture.backend.machines() == 1);
}

TEST_CASE("a fault fails the command, tells the context and ends the queues") {
  Fixture fixture;
  cl_kernel const fault = fixture.kernel("kernel fault", "fault");
  cl_event event = nullptr;
  REQUIRE(fixture.launch(fault, 1, {}, &event) == CL_SUCCESS);
  CHECK(cl.clFinish(fixture.queue) == CL_OUT_OF_RESOURCES);
  CHECK(Fixture::status(event) == CL_OUT_OF_RESOURCES);
  CHECK(fixture.errors == Notes{"an access to an unmapped address"});
  CHECK(fixture.launch(fault, 1) == CL_INVALID_COMMAND_QUEUE);
  CHECK(cl.clFinish(fixture.queue) == CL_INVALID_COMMAND_QUEUE);
  const Fixture next;  // another context has another machine
  cl_mem const buffer = next.buffer({1});
  CHECK(next.launch(next.add(buffer, 2), 1) == CL_SUCCESS);
  CHECK(next.read(buffer, 1) == std::vector<std::int32_t>{3});
}

TEST_CASE("a launch that the machine cannot run fails alone") {
  Fixture fixture;
  cl_mem const buffer = fixture.buffer({1});
  REQUIRE(fixture.launch(fixture.kernel("kernel refused", "refused"), 1) == CL_SUCCESS);
  CHECK(cl.clFinish(fixture.queue) == CL_OUT_OF_RESOURCES);
  CHECK(fixture.errors == Notes{"no cluster has room for a work group"});
  CHECK(fixture.launch(fixture.add(buffer, 2), 1) == CL_SUCCESS);
  CHECK(fixture.read(buffer, 1) == std::vector<std::int32_t>{3});
}

TEST_CASE("a blocking command returns the error of a fault before it") {
  Fixture fixture;
  cl_mem const buffer = fixture.buffer({1});
  cl_event const gate = fixture.user_event();
  REQUIRE(fixture.launch(fixture.kernel("kernel fault", "fault"), 1, {gate}) == CL_SUCCESS);
  std::thread opens([&] { cl.clSetUserEventStatus(gate, CL_COMPLETE); });
  std::int32_t value = 0;
  const cl_int status =
      cl.clEnqueueReadBuffer(fixture.queue, buffer, CL_TRUE, 0, 4, &value, 0, nullptr, nullptr);
  opens.join();
  CHECK((status == CL_OUT_OF_RESOURCES || status == CL_INVALID_COMMAND_QUEUE));
}

TEST_CASE("many threads share a queue") {
  const Fixture fixture;
  cl_mem const buffer = fixture.buffer({0});
  constexpr int kThreads = 4, kLaunches = 50;
  std::vector<std::thread> threads;
  std::vector<cl_kernel> kernels;
  for (int thread = 0; thread < kThreads; ++thread) kernels.push_back(fixture.add(buffer, 1));
  for (cl_kernel kernel : kernels)
    threads.emplace_back([&fixture, kernel] {
      for (int at = 0; at < kLaunches; ++at) fixture.launch(kernel, 1);
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(fixture.read(buffer, 1) == std::vector<std::int32_t>{kThreads * kLaunches});
}

TEST_CASE("objects may be released before their commands run") {
  const Fixture fixture;
  cl_event const gate = fixture.user_event();
  cl_mem const buffer = fixture.buffer({1, 2, 3});
  cl_kernel const add = fixture.add(buffer, 10);
  std::vector<std::int32_t> values(3);
  REQUIRE(fixture.launch(add, 3, {gate}) == CL_SUCCESS);
  REQUIRE(cl.clEnqueueReadBuffer(fixture.queue, buffer, CL_FALSE, 0, 12, values.data(), 0, nullptr,
                                 nullptr) == CL_SUCCESS);
  REQUIRE(cl.clReleaseKernel(add) == CL_SUCCESS);
  REQUIRE(cl.clReleaseMemObject(buffer) == CL_SUCCESS);
  REQUIRE(cl.clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
  REQUIRE(cl.clReleaseEvent(gate) == CL_SUCCESS);
  REQUIRE(cl.clFinish(fixture.queue) == CL_SUCCESS);
  CHECK(values == std::vector<std::int32_t>{11, 12, 13});
}

TEST_CASE("properties of queues are checked") {
  const Fixture fixture;
  cl_int error = 0;
  const cl_queue_properties on_device[] = {CL_QUEUE_PROPERTIES,
                                           CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
  CHECK(cl.clCreateCommandQueueWithProperties(fixture.context, fixture.device, on_device, &error) == nullptr);
  CHECK(error == CL_INVALID_QUEUE_PROPERTIES);
  const cl_queue_properties unknown[] = {0x9999, 1, 0};
  CHECK(cl.clCreateCommandQueueWithProperties(fixture.context, fixture.device, unknown, &error) == nullptr);
  CHECK(error == CL_INVALID_VALUE);
  CHECK(cl.clCreateCommandQueue(fixture.context, nullptr, 0, &error) == nullptr);
  CHECK(error == CL_INVALID_DEVICE);
  const cl_queue_properties good[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  cl_command_queue const queue =
      cl.clCreateCommandQueueWithProperties(fixture.context, fixture.device, good, &error);
  REQUIRE(error == CL_SUCCESS);
  cl_queue_properties given[3] = {};
  CHECK(cl.clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof given, given, nullptr) ==
        CL_SUCCESS);
  CHECK(std::equal(given, given + 3, good));
  CHECK(cl.clReleaseCommandQueue(queue) == CL_SUCCESS);
}

// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "testbenches/unit/driver/fixture.h"

using namespace spica::opencl::test;

namespace {

struct Told {
  std::atomic<int> calls{0};
  std::atomic<cl_int> status{99};
};

void CL_CALLBACK tell(cl_event, cl_int status, void* told) {
  static_cast<Told*>(told)->status = status;
  ++static_cast<Told*>(told)->calls;
}

/// Callbacks come from another thread, before a command that is enqueued later ends.
void wait_for_callbacks(const Fixture& fixture) {
  REQUIRE(cl.clEnqueueMarkerWithWaitList(fixture.queue, 0, nullptr, nullptr) == CL_SUCCESS);
  REQUIRE(cl.clFinish(fixture.queue) == CL_SUCCESS);
}

}  // namespace

TEST_CASE("a kernel waits for a user event") {
  const Fixture fixture;
  cl_mem const buffer = fixture.buffer({1, 2});
  cl_kernel const add = fixture.add(buffer, 5);
  cl_event const gate = fixture.user_event();
  cl_event done = nullptr;
  REQUIRE(fixture.launch(add, 2, {gate}, &done) == CL_SUCCESS);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(Fixture::status(done) == CL_QUEUED);
  CHECK(cl.clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
  CHECK(cl.clWaitForEvents(1, &done) == CL_SUCCESS);
  CHECK(Fixture::status(done) == CL_COMPLETE);
  CHECK(fixture.read(buffer, 2) == std::vector<std::int32_t>{6, 7});
}

TEST_CASE("a user event has one end") {
  const Fixture fixture;
  cl_event const event = fixture.user_event();
  CHECK(Fixture::status(event) == CL_SUBMITTED);
  CHECK(cl.clSetUserEventStatus(event, CL_RUNNING) == CL_INVALID_VALUE);
  CHECK(cl.clSetUserEventStatus(event, -7) == CL_SUCCESS);
  CHECK(cl.clSetUserEventStatus(event, CL_COMPLETE) == CL_INVALID_OPERATION);
  CHECK(Fixture::status(event) == -7);
  CHECK(cl.clReleaseEvent(event) == CL_SUCCESS);
}

TEST_CASE("the failure of an event is that of the commands with it in their wait lists") {
  const Fixture fixture;
  cl_mem const buffer = fixture.buffer({1});
  cl_kernel const add = fixture.add(buffer, 5);
  cl_event const gate = fixture.user_event();
  cl_event first = nullptr, second = nullptr, third = nullptr;
  REQUIRE(fixture.launch(add, 1, {gate}, &first) == CL_SUCCESS);
  REQUIRE(fixture.launch(add, 1, {first}, &second) == CL_SUCCESS);
  REQUIRE(fixture.launch(add, 1, {}, &third) == CL_SUCCESS);  // only behind them
  REQUIRE(cl.clSetUserEventStatus(gate, -100) == CL_SUCCESS);
  CHECK(cl.clWaitForEvents(1, &second) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  CHECK(Fixture::status(first) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  CHECK(Fixture::status(second) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  CHECK(cl.clWaitForEvents(1, &third) == CL_SUCCESS);
  CHECK(fixture.read(buffer, 1) == std::vector<std::int32_t>{6});
}

TEST_CASE("callbacks are called once for their status, also when it was reached before") {
  const Fixture fixture;
  cl_mem const buffer = fixture.buffer({1});
  cl_kernel const add = fixture.add(buffer, 5);
  cl_event const gate = fixture.user_event();
  cl_event done = nullptr;
  REQUIRE(fixture.launch(add, 1, {gate}, &done) == CL_SUCCESS);
  Told submitted, running, complete, late;
  REQUIRE(cl.clSetEventCallback(done, CL_SUBMITTED, tell, &submitted) == CL_SUCCESS);
  REQUIRE(cl.clSetEventCallback(done, CL_RUNNING, tell, &running) == CL_SUCCESS);
  REQUIRE(cl.clSetEventCallback(done, CL_COMPLETE, tell, &complete) == CL_SUCCESS);
  CHECK(submitted.calls == 0);
  REQUIRE(cl.clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
  wait_for_callbacks(fixture);
  REQUIRE(cl.clSetEventCallback(done, CL_COMPLETE, tell, &late) == CL_SUCCESS);
  wait_for_callbacks(fixture);
  CHECK((submitted.calls == 1 && submitted.status == CL_SUBMITTED));
  CHECK((running.calls == 1 && running.status == CL_RUNNING));
  CHECK((complete.calls == 1 && complete.status == CL_COMPLETE));
  CHECK((late.calls == 1 && late.status == CL_COMPLETE));
}

TEST_CASE("callbacks of a command that failed get its error") {
  const Fixture fixture;
  cl_event const gate = fixture.user_event();
  cl_event marker = nullptr;
  REQUIRE(cl.clEnqueueMarkerWithWaitList(fixture.queue, 1, &gate, &marker) == CL_SUCCESS);
  Told running;
  REQUIRE(cl.clSetEventCallback(marker, CL_RUNNING, tell, &running) == CL_SUCCESS);
  REQUIRE(cl.clSetUserEventStatus(gate, -3) == CL_SUCCESS);
  wait_for_callbacks(fixture);
  CHECK(running.calls == 1);
  CHECK(running.status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

TEST_CASE("times are ns of simulated time, in order and monotonic") {
  const Fixture fixture;
  cl_mem const buffer = fixture.buffer({1});
  cl_kernel const add = fixture.add(buffer, 5);
  std::vector<cl_event> events(3);
  for (cl_event& event : events) REQUIRE(fixture.launch(add, 1, {}, &event) == CL_SUCCESS);
  REQUIRE(cl.clFinish(fixture.queue) == CL_SUCCESS);
  cl_ulong before = 0;
  for (cl_event event : events) {
    const cl_ulong queued = Fixture::time(event, CL_PROFILING_COMMAND_QUEUED);
    const cl_ulong submit = Fixture::time(event, CL_PROFILING_COMMAND_SUBMIT);
    const cl_ulong start = Fixture::time(event, CL_PROFILING_COMMAND_START);
    const cl_ulong end = Fixture::time(event, CL_PROFILING_COMMAND_END);
    CHECK((queued <= submit && submit <= start && start <= end));
    CHECK(end - start == 100);
    CHECK(start >= before);
    before = end;
  }
  CHECK(before == 300);
  cl_ulong device = 0, host = 0;
  CHECK(cl.clGetDeviceAndHostTimer(fixture.device, &device, &host) == CL_SUCCESS);
  CHECK(device == 300);
  CHECK(host != 0);
}

TEST_CASE("a transfer is a point of time") {
  const Fixture fixture;
  cl_mem const buffer = fixture.buffer({1});
  REQUIRE(fixture.launch(fixture.add(buffer, 1), 1) == CL_SUCCESS);
  std::int32_t value = 0;
  cl_event event = nullptr;
  REQUIRE(cl.clEnqueueReadBuffer(fixture.queue, buffer, CL_TRUE, 0, 4, &value, 0, nullptr, &event) ==
          CL_SUCCESS);
  CHECK(Fixture::time(event, CL_PROFILING_COMMAND_START) == 100);
  CHECK(Fixture::time(event, CL_PROFILING_COMMAND_END) == 100);
}

TEST_CASE("times need a queue with profiling, and the end of the command") {
  const Fixture fixture(0);
  cl_event marker = nullptr;
  REQUIRE(cl.clEnqueueMarkerWithWaitList(fixture.queue, 0, nullptr, &marker) == CL_SUCCESS);
  REQUIRE(cl.clFinish(fixture.queue) == CL_SUCCESS);
  cl_ulong ns = 0;
  CHECK(cl.clGetEventProfilingInfo(marker, CL_PROFILING_COMMAND_END, 8, &ns, nullptr) ==
        CL_PROFILING_INFO_NOT_AVAILABLE);
  const Fixture with;
  cl_event const gate = with.user_event();
  REQUIRE(cl.clEnqueueMarkerWithWaitList(with.queue, 1, &gate, &marker) == CL_SUCCESS);
  CHECK(cl.clGetEventProfilingInfo(marker, CL_PROFILING_COMMAND_END, 8, &ns, nullptr) ==
        CL_PROFILING_INFO_NOT_AVAILABLE);
  REQUIRE(cl.clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
}

TEST_CASE("wait lists are checked") {
  const Fixture fixture, other;
  cl_event const event = fixture.user_event(), foreign = other.user_event();
  CHECK(cl.clEnqueueMarkerWithWaitList(fixture.queue, 1, nullptr, nullptr) == CL_INVALID_EVENT_WAIT_LIST);
  CHECK(cl.clEnqueueMarkerWithWaitList(fixture.queue, 0, &event, nullptr) == CL_INVALID_EVENT_WAIT_LIST);
  CHECK(cl.clEnqueueMarkerWithWaitList(fixture.queue, 1, &foreign, nullptr) == CL_INVALID_CONTEXT);
  const cl_event none = nullptr;
  CHECK(cl.clEnqueueMarkerWithWaitList(fixture.queue, 1, &none, nullptr) == CL_INVALID_EVENT_WAIT_LIST);
  CHECK(cl.clWaitForEvents(0, nullptr) == CL_INVALID_VALUE);
  const cl_event both[] = {event, foreign};
  CHECK(cl.clWaitForEvents(2, both) == CL_INVALID_CONTEXT);
}

// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <numeric>
#include <vector>

#include "platform/opencl/driver/rectangle.h"
#include "testbenches/unit/driver/fixture.h"

using namespace spica::opencl::test;
using Values = std::vector<std::int32_t>;

namespace {

cl_int create_error(const Fixture& fixture, cl_mem_flags flags, std::size_t bytes, void* host = nullptr) {
  cl_int error = 1;
  cl_mem const made = cl.clCreateBuffer(fixture.context, flags, bytes, host, &error);
  CHECK((made == nullptr) == (error != CL_SUCCESS));
  if (made != nullptr) cl.clReleaseMemObject(made);
  return error;
}

Values counted(std::size_t count) {
  Values values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

}  // namespace

TEST_CASE("flags, sizes and host pointers of buffers are checked") {
  const Fixture fixture;
  int host = 0;
  CHECK(create_error(fixture, 0, 0) == CL_INVALID_BUFFER_SIZE);
  CHECK(create_error(fixture, 0, FakeBackend::kMemoryBytes + 1) == CL_INVALID_BUFFER_SIZE);
  CHECK(create_error(fixture, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4) == CL_INVALID_VALUE);
  CHECK(create_error(fixture, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, 4) == CL_INVALID_VALUE);
  CHECK(create_error(fixture, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 4, &host) == CL_INVALID_VALUE);
  CHECK(create_error(fixture, CL_MEM_COPY_HOST_PTR, 4) == CL_INVALID_HOST_PTR);
  CHECK(create_error(fixture, 0, 4, &host) == CL_INVALID_HOST_PTR);
  CHECK(create_error(fixture, CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR, 4, &host) == CL_SUCCESS);
}

TEST_CASE("a full memory refuses buffers, and takes them again after a release") {
  const Fixture fixture;
  cl_int error = 0;
  cl_mem const all = cl.clCreateBuffer(fixture.context, 0, FakeBackend::kMemoryBytes, nullptr, &error);
  REQUIRE(error == CL_SUCCESS);
  CHECK(create_error(fixture, 0, 1) == CL_MEM_OBJECT_ALLOCATION_FAILURE);
  REQUIRE(cl.clReleaseMemObject(all) == CL_SUCCESS);
  CHECK(create_error(fixture, 0, 1) == CL_SUCCESS);
}

TEST_CASE("parts of a buffer share its contents") {
  const Fixture fixture;
  cl_mem const whole = fixture.buffer(counted(128));
  cl_int error = 1;
  const cl_buffer_region region{128, 16}, crooked{4, 16}, outside{256, 512};
  cl_mem const part = cl.clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
  REQUIRE(error == CL_SUCCESS);
  CHECK(fixture.read(part, 4) == Values{32, 33, 34, 35});
  REQUIRE(fixture.launch(fixture.add(part, 100), 1) == CL_SUCCESS);
  CHECK(fixture.read(whole, 34)[32] == 132);
  std::size_t offset = 0;
  CHECK(cl.clGetMemObjectInfo(part, CL_MEM_OFFSET, sizeof offset, &offset, nullptr) == CL_SUCCESS);
  CHECK(offset == 128);
  CHECK(cl.clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &crooked, &error) == nullptr);
  CHECK(error == CL_MISALIGNED_SUB_BUFFER_OFFSET);
  CHECK(cl.clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &outside, &error) == nullptr);
  CHECK(error == CL_INVALID_VALUE);
  CHECK(cl.clCreateSubBuffer(part, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error) == nullptr);
  CHECK(error == CL_INVALID_MEM_OBJECT);
}

TEST_CASE("host accesses are those of the flags and inside of the buffer") {
  const Fixture fixture;
  cl_int error = 1;
  cl_mem const read_only = cl.clCreateBuffer(fixture.context, CL_MEM_HOST_READ_ONLY, 8, nullptr, &error);
  std::int32_t values[4] = {};
  CHECK(cl.clEnqueueWriteBuffer(fixture.queue, read_only, CL_TRUE, 0, 8, values, 0, nullptr, nullptr) ==
        CL_INVALID_OPERATION);
  CHECK(cl.clEnqueueReadBuffer(fixture.queue, read_only, CL_TRUE, 0, 8, values, 0, nullptr, nullptr) ==
        CL_SUCCESS);
  CHECK(cl.clEnqueueReadBuffer(fixture.queue, read_only, CL_TRUE, 4, 8, values, 0, nullptr, nullptr) ==
        CL_INVALID_VALUE);
  CHECK(cl.clEnqueueReadBuffer(fixture.queue, read_only, CL_TRUE, 0, 8, nullptr, 0, nullptr, nullptr) ==
        CL_INVALID_VALUE);
  const Fixture other;
  CHECK(cl.clEnqueueReadBuffer(other.queue, read_only, CL_TRUE, 0, 8, values, 0, nullptr, nullptr) ==
        CL_INVALID_CONTEXT);
}

TEST_CASE("a mapping shows the contents, and an unmapping stores them") {
  const Fixture fixture;
  Values host = counted(8);
  cl_int error = 1;
  const bool uses_host = GENERATE(true, false);
  cl_mem const buffer = cl.clCreateBuffer(
      fixture.context, uses_host ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR, 32, host.data(), &error);
  REQUIRE(error == CL_SUCCESS);
  REQUIRE(fixture.launch(fixture.add(buffer, 10), 8) == CL_SUCCESS);
  void* const pointer = cl.clEnqueueMapBuffer(fixture.queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 8,
                                              8, 0, nullptr, nullptr, &error);
  REQUIRE(error == CL_SUCCESS);
  if (uses_host) CHECK(pointer == host.data() + 2);
  auto* const mapped = static_cast<std::int32_t*>(pointer);
  CHECK((mapped[0] == 12 && mapped[1] == 13));
  mapped[1] = 77;
  cl_uint mappings = 0;
  CHECK(cl.clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT, sizeof mappings, &mappings, nullptr) == CL_SUCCESS);
  CHECK(mappings == 1);
  CHECK(cl.clEnqueueUnmapMemObject(fixture.queue, buffer, mapped + 1, 0, nullptr, nullptr) ==
        CL_INVALID_VALUE);
  const cl_event no_event = nullptr;
  CHECK(cl.clEnqueueUnmapMemObject(fixture.queue, buffer, mapped, 1, &no_event, nullptr) ==
        CL_INVALID_EVENT_WAIT_LIST);
  CHECK(cl.clEnqueueUnmapMemObject(fixture.queue, buffer, mapped, 0, nullptr, nullptr) == CL_SUCCESS);
  CHECK(fixture.read(buffer, 8) == Values{10, 11, 12, 77, 14, 15, 16, 17});
}

TEST_CASE("what a mapping for reading changes is lost") {
  const Fixture fixture;
  cl_mem const buffer = fixture.buffer({1, 2});
  cl_int error = 1;
  auto* const mapped = static_cast<std::int32_t*>(
      cl.clEnqueueMapBuffer(fixture.queue, buffer, CL_TRUE, CL_MAP_READ, 0, 8, 0, nullptr, nullptr, &error));
  REQUIRE(error == CL_SUCCESS);
  mapped[0] = 9;
  REQUIRE(cl.clEnqueueUnmapMemObject(fixture.queue, buffer, mapped, 0, nullptr, nullptr) == CL_SUCCESS);
  CHECK(fixture.read(buffer, 2) == Values{1, 2});
}

TEST_CASE("copies and fills") {
  const Fixture fixture;
  cl_mem const from = fixture.buffer(counted(8)), to = fixture.buffer(Values(8, -1));
  CHECK(cl.clEnqueueCopyBuffer(fixture.queue, from, to, 4, 8, 12, 0, nullptr, nullptr) == CL_SUCCESS);
  CHECK(fixture.read(to, 8) == Values{-1, -1, 1, 2, 3, -1, -1, -1});
  CHECK(cl.clEnqueueCopyBuffer(fixture.queue, from, from, 0, 4, 8, 0, nullptr, nullptr) ==
        CL_MEM_COPY_OVERLAP);
  CHECK(cl.clEnqueueCopyBuffer(fixture.queue, from, to, 0, 28, 8, 0, nullptr, nullptr) == CL_INVALID_VALUE);
  const std::int32_t pattern[2] = {5, 6};
  CHECK(cl.clEnqueueFillBuffer(fixture.queue, to, pattern, 8, 8, 16, 0, nullptr, nullptr) == CL_SUCCESS);
  CHECK(fixture.read(to, 8) == Values{-1, -1, 5, 6, 5, 6, -1, -1});
  CHECK(cl.clEnqueueFillBuffer(fixture.queue, to, pattern, 8, 4, 16, 0, nullptr, nullptr) ==
        CL_INVALID_VALUE);
  CHECK(cl.clEnqueueFillBuffer(fixture.queue, to, pattern, 3, 0, 6, 0, nullptr, nullptr) == CL_INVALID_VALUE);
}

TEST_CASE("boxes move between memories with different pitches") {
  const Fixture fixture;
  cl_mem const grid = fixture.buffer(counted(16));  // four rows of four
  const std::size_t origin[3] = {4, 1, 0}, zero[3] = {0, 0, 0}, region[3] = {8, 2, 1};
  Values host(6, -1);  // rows of three
  CHECK(cl.clEnqueueReadBufferRect(fixture.queue, grid, CL_TRUE, origin, zero, region, 16, 0, 12, 0,
                                   host.data(), 0, nullptr, nullptr) == CL_SUCCESS);
  CHECK(host == Values{5, 6, -1, 9, 10, -1});
  CHECK(cl.clEnqueueWriteBufferRect(fixture.queue, grid, CL_TRUE, zero, zero, region, 16, 0, 12, 0,
                                    host.data(), 0, nullptr, nullptr) == CL_SUCCESS);
  CHECK(fixture.read(grid, 8) == Values{5, 6, 2, 3, 9, 10, 6, 7});
  cl_mem const to = fixture.buffer(Values(4, 0));
  CHECK(cl.clEnqueueCopyBufferRect(fixture.queue, grid, to, origin, zero, region, 16, 0, 8, 0, 0, nullptr,
                                   nullptr) == CL_SUCCESS);
  CHECK(fixture.read(to, 4) == Values{10, 6, 9, 10});
  CHECK(cl.clEnqueueReadBufferRect(fixture.queue, grid, CL_TRUE, origin, zero, region, 4, 0, 0, 0,
                                   host.data(), 0, nullptr, nullptr) == CL_INVALID_VALUE);
  CHECK(cl.clEnqueueCopyBufferRect(fixture.queue, grid, grid, zero, origin, region, 16, 64, 16, 64, 0,
                                   nullptr, nullptr) == CL_MEM_COPY_OVERLAP);
}

TEST_CASE("boxes of one buffer overlap where they share bytes") {
  using spica::opencl::Rectangle;
  const Rectangle::Sizes region{4, 2, 1};
  const std::size_t at[3] = {0, 0, 0}, right[3] = {4, 0, 0}, below[3] = {0, 2, 0}, inside[3] = {2, 1, 0};
  const Rectangle first(at, region, 16, 0);
  CHECK_FALSE(first.overlaps(Rectangle(right, region, 16, 0)));
  CHECK_FALSE(first.overlaps(Rectangle(below, region, 16, 0)));
  CHECK(first.overlaps(Rectangle(inside, region, 16, 0)));
  CHECK(first.end() == 20);
}

TEST_CASE("destructor callbacks are called in reverse order") {
  const Fixture fixture;
  static Values calls;
  cl_mem const buffer = fixture.buffer({1});
  REQUIRE(cl.clFinish(fixture.queue) == CL_SUCCESS);
  const auto first = [](cl_mem, void*) { calls.push_back(1); };
  const auto second = [](cl_mem, void*) { calls.push_back(2); };
  REQUIRE(cl.clSetMemObjectDestructorCallback(buffer, first, nullptr) == CL_SUCCESS);
  REQUIRE(cl.clSetMemObjectDestructorCallback(buffer, second, nullptr) == CL_SUCCESS);
  CHECK(cl.clSetMemObjectDestructorCallback(buffer, nullptr, nullptr) == CL_INVALID_VALUE);
  CHECK(fixture.read(buffer, 1) == Values{1});  // its contents have been written
  REQUIRE(cl.clFinish(fixture.queue) == CL_SUCCESS);
  REQUIRE(cl.clRetainMemObject(buffer) == CL_SUCCESS);
  REQUIRE(cl.clReleaseMemObject(buffer) == CL_SUCCESS);
  CHECK(calls.empty());
  REQUIRE(cl.clReleaseMemObject(buffer) == CL_SUCCESS);
  CHECK(cl.clEnqueueMarkerWithWaitList(fixture.queue, 0, nullptr, nullptr) == CL_SUCCESS);
  REQUIRE(cl.clFinish(fixture.queue) == CL_SUCCESS);
  CHECK(calls == Values{2, 1});
}

TEST_CASE("buffers of a context with two devices follow the commands") {
  setenv("SPICA_OPENCL", "virgo,volta-sm", 1);
  const Fixture fixture;
  cl_device_id devices[2] = {};
  REQUIRE(cl.clGetDeviceIDs(nullptr, CL_DEVICE_TYPE_ALL, 2, devices, nullptr) == CL_SUCCESS);
  cl_int error = 1;
  cl_context const both = cl.clCreateContext(nullptr, 2, devices, nullptr, nullptr, &error);
  REQUIRE(error == CL_SUCCESS);
  cl_command_queue const first = cl.clCreateCommandQueue(both, devices[0], 0, &error);
  cl_command_queue const second = cl.clCreateCommandQueue(both, devices[1], 0, &error);
  std::int32_t value = 5, more = 6, read = 0;
  cl_mem const buffer = cl.clCreateBuffer(both, CL_MEM_COPY_HOST_PTR, 4, &value, &error);
  REQUIRE(error == CL_SUCCESS);
  CHECK(cl.clEnqueueReadBuffer(second, buffer, CL_TRUE, 0, 4, &read, 0, nullptr, nullptr) == CL_SUCCESS);
  CHECK(read == 5);
  CHECK(cl.clEnqueueWriteBuffer(second, buffer, CL_TRUE, 0, 4, &more, 0, nullptr, nullptr) == CL_SUCCESS);
  CHECK(cl.clEnqueueReadBuffer(first, buffer, CL_TRUE, 0, 4, &read, 0, nullptr, nullptr) == CL_SUCCESS);
  CHECK(read == 6);
  CHECK(fixture.backend.machines() == 2);
}

// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "platform/opencl/driver/work_groups.h"
#include "testbenches/unit/driver/fixture.h"

using namespace spica::opencl;
using namespace spica::opencl::test;
using Sizes = std::array<std::size_t, 3>;

namespace {

/// Launches a kernel of 3 dimensions, and returns what the machine got.
struct Launched {
  cl_int status = 1;
  Launch launch;
};

Launched run(const Fixture& fixture, const std::string& source, const Sizes& global,
             const Sizes* local = nullptr, const Sizes& offset = {}) {
  static Launched seen;
  seen = {};
  fixture.backend.define("k", [](FakeMachine&, const Launch& launch) { seen.launch = launch; });
  cl_kernel const kernel = fixture.kernel(source, "k");
  seen.status = cl.clEnqueueNDRangeKernel(fixture.queue, kernel, 3, offset.data(), global.data(),
                                          local == nullptr ? nullptr : local->data(), 0, nullptr, nullptr);
  cl.clFinish(fixture.queue);
  cl.clReleaseKernel(kernel);
  return seen;
}

}  // namespace

TEST_CASE("a launch has groups, sizes and the head of its argument block") {
  const Fixture fixture;
  const Sizes local{4, 2, 1};
  const Launched seen = run(fixture, "kernel k", {8, 6, 3}, &local, {100, 0, 7});
  REQUIRE(seen.status == CL_SUCCESS);
  CHECK(seen.launch.groups == std::array<std::uint32_t, 3>{2, 3, 3});
  CHECK(seen.launch.local == std::array<std::uint32_t, 3>{4, 2, 1});
  std::uint32_t head[8] = {};
  REQUIRE(seen.launch.arguments.size() == sizeof head);
  std::memcpy(head, seen.launch.arguments.data(), sizeof head);
  CHECK((head[0] == 100 && head[1] == 0 && head[2] == 7));
  CHECK(head[3] == 3);
}

TEST_CASE("sizes of work groups are checked before the run") {
  const Fixture fixture;
  const Sizes uneven{3, 1, 1}, zero{0, 1, 1}, large{128, 1, 1}, many{16, 8, 1}, four{4, 1, 1};
  CHECK(run(fixture, "kernel k", {8, 1, 1}, &uneven).status == CL_INVALID_WORK_GROUP_SIZE);
  CHECK(run(fixture, "kernel k", {8, 1, 1}, &zero).status == CL_INVALID_WORK_GROUP_SIZE);
  CHECK(run(fixture, "kernel k", {128, 1, 1}, &large).status == CL_INVALID_WORK_ITEM_SIZE);
  CHECK(run(fixture, "kernel k", {16, 8, 1}, &many).status == CL_INVALID_WORK_GROUP_SIZE);
  CHECK(run(fixture, "kernel k\nreqd 8 1 1", {8, 1, 1}, &four).status == CL_INVALID_WORK_GROUP_SIZE);
  CHECK(run(fixture, "kernel k", {std::size_t{1} << 33, 1, 1}).status == CL_INVALID_GLOBAL_WORK_SIZE);
  CHECK(run(fixture, "kernel k", {64, 1, 1}, nullptr, {0xFFFFFFFF, 0, 0}).status == CL_INVALID_GLOBAL_OFFSET);
  CHECK(fixture.backend.machines() == 0);
}

TEST_CASE("private memory beyond the stack of a work item is refused before the run") {
  const Fixture fixture;
  CHECK(run(fixture, "kernel k\nprivate 8192", {8, 1, 1}).status == CL_SUCCESS);
  CHECK(run(fixture, "kernel k\nprivate 8193", {8, 1, 1}).status == CL_OUT_OF_RESOURCES);
}

TEST_CASE("a required size of work groups is taken") {
  const Fixture fixture;
  const Launched seen = run(fixture, "kernel k\nreqd 8 2 1", {16, 4, 1});
  REQUIRE(seen.status == CL_SUCCESS);
  CHECK(seen.launch.local == std::array<std::uint32_t, 3>{8, 2, 1});
}

TEST_CASE("chosen work groups divide the range and fill warps") {
  CHECK(chosen_local_size({1024, 1, 1}, 64, 16) == Sizes{64, 1, 1});
  CHECK(chosen_local_size({1000, 1, 1}, 64, 8) == Sizes{40, 1, 1});
  CHECK(chosen_local_size({7, 1, 1}, 64, 16) == Sizes{7, 1, 1});
  CHECK(chosen_local_size({8, 8, 8}, 64, 16) == Sizes{8, 8, 1});
  CHECK(chosen_local_size({1, 1, 1}, 64, 16) == Sizes{1, 1, 1});
  CHECK(chosen_local_size({127, 2, 1}, 64, 16) == Sizes{1, 2, 1});
}

TEST_CASE("arguments are checked by their kind") {
  const Fixture fixture;
  cl_kernel const kernel = fixture.kernel("kernel k buffer int local bytes:8", "k");
  cl_mem buffer = fixture.buffer({1});
  const cl_int value = 3;
  CHECK(cl.clSetKernelArg(kernel, 4, sizeof value, &value) == CL_INVALID_ARG_INDEX);
  CHECK(cl.clSetKernelArg(kernel, 0, 4, static_cast<const void*>(&buffer)) == CL_INVALID_ARG_SIZE);
  CHECK(cl.clSetKernelArg(kernel, 1, 8, static_cast<const void*>(&buffer)) == CL_INVALID_ARG_SIZE);
  CHECK(cl.clSetKernelArg(kernel, 1, sizeof value, nullptr) == CL_INVALID_ARG_VALUE);
  CHECK(cl.clSetKernelArg(kernel, 2, 0, nullptr) == CL_INVALID_ARG_SIZE);
  CHECK(cl.clSetKernelArg(kernel, 2, 16, &value) == CL_INVALID_ARG_VALUE);
  auto* not_a_buffer = reinterpret_cast<cl_mem>(fixture.queue);
  CHECK(cl.clSetKernelArg(kernel, 0, sizeof(cl_mem), static_cast<const void*>(&not_a_buffer)) ==
        CL_INVALID_MEM_OBJECT);
  CHECK(fixture.launch(kernel, 1) == CL_INVALID_KERNEL_ARGS);
}

TEST_CASE("local arguments follow each other behind the kernel's own memory") {
  const Fixture fixture;
  static Launch seen;
  fixture.backend.define("k", [](FakeMachine&, const Launch& launch) { seen = launch; });
  cl_kernel const kernel = fixture.kernel("kernel k local local buffer\nlocal 64", "k");
  REQUIRE(cl.clSetKernelArg(kernel, 0, 20, nullptr) == CL_SUCCESS);
  REQUIRE(cl.clSetKernelArg(kernel, 1, 16, nullptr) == CL_SUCCESS);
  REQUIRE(cl.clSetKernelArg(kernel, 2, sizeof(cl_mem), nullptr) == CL_SUCCESS);
  REQUIRE(fixture.launch(kernel, 1) == CL_SUCCESS);
  REQUIRE(cl.clFinish(fixture.queue) == CL_SUCCESS);
  CHECK(FakeMachine::word(seen, 0) == 0);
  CHECK(FakeMachine::word(seen, 1) == 32);
  CHECK(FakeMachine::word(seen, 2) == 0);  // a null pointer
  CHECK(seen.local_bytes == 48);
  cl_ulong bytes = 0;
  CHECK(cl.clGetKernelWorkGroupInfo(kernel, nullptr, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes,
                                    nullptr) == CL_SUCCESS);
  CHECK(bytes == 112);
  REQUIRE(cl.clSetKernelArg(kernel, 0, 4096, nullptr) == CL_SUCCESS);
  CHECK(fixture.launch(kernel, 1) == CL_OUT_OF_RESOURCES);
}

TEST_CASE("a launch has the arguments of its moment") {
  const Fixture fixture;
  cl_mem const buffer = fixture.buffer({0});
  cl_event const gate = fixture.user_event();
  cl_kernel const add = fixture.add(buffer, 1);
  REQUIRE(fixture.launch(add, 1, {gate}) == CL_SUCCESS);
  const cl_int other = 50;
  REQUIRE(cl.clSetKernelArg(add, 1, sizeof other, &other) == CL_SUCCESS);
  REQUIRE(cl.clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
  CHECK(fixture.read(buffer, 1) == std::vector<std::int32_t>{1});
}

TEST_CASE("a clone starts with the arguments of its kernel") {
  const Fixture fixture;
  cl_mem const buffer = fixture.buffer({0});
  cl_kernel const add = fixture.add(buffer, 1);
  cl_int error = 1;
  cl_kernel const clone = cl.clCloneKernel(add, &error);
  REQUIRE(error == CL_SUCCESS);
  const cl_int other = 50;
  REQUIRE(cl.clSetKernelArg(add, 1, sizeof other, &other) == CL_SUCCESS);
  REQUIRE(fixture.launch(clone, 1) == CL_SUCCESS);
  CHECK(fixture.read(buffer, 1) == std::vector<std::int32_t>{1});
}

TEST_CASE("kernels tell about their arguments and groups") {
  const Fixture fixture;
  cl_kernel const kernel = fixture.kernel("kernel k buffer constant int\nreqd 4 2 1", "k");
  cl_kernel_arg_address_qualifier space = 0;
  CHECK(cl.clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, nullptr) ==
        CL_SUCCESS);
  CHECK(space == CL_KERNEL_ARG_ADDRESS_CONSTANT);
  char type[16] = {};
  CHECK(cl.clGetKernelArgInfo(kernel, 2, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, nullptr) == CL_SUCCESS);
  CHECK(std::string(type) == "int");
  CHECK(cl.clGetKernelArgInfo(kernel, 3, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, nullptr) ==
        CL_INVALID_ARG_INDEX);
  Sizes sizes{};
  CHECK(cl.clGetKernelWorkGroupInfo(kernel, fixture.device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof sizes,
                                    sizes.data(), nullptr) == CL_SUCCESS);
  CHECK(sizes == Sizes{4, 2, 1});
  std::size_t multiple = 0, groups = 0;
  CHECK(cl.clGetKernelWorkGroupInfo(kernel, nullptr, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                    sizeof multiple, &multiple, nullptr) == CL_SUCCESS);
  CHECK(multiple == 16);
  const std::size_t items = 40;
  CHECK(cl.clGetKernelSubGroupInfo(kernel, fixture.device, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE,
                                   sizeof items, &items, sizeof groups, &groups, nullptr) == CL_SUCCESS);
  CHECK(groups == 3);
}

// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string>
#include <vector>

#include "platform/opencl/driver/device_choice.h"
#include "testbenches/unit/driver/fixture.h"

using namespace spica::opencl;
using namespace spica::opencl::test;
using Catch::Contains;

namespace {

std::vector<cl_device_id> devices(cl_device_type type = CL_DEVICE_TYPE_ALL) {
  FakeBackend::instance();
  std::vector<cl_device_id> found(8);
  cl_uint count = 0;
  const cl_int status = cl.clGetDeviceIDs(nullptr, type, 8, found.data(), &count);
  found.resize(status == CL_SUCCESS ? count : 0);
  return found;
}

std::string text_of(cl_device_id device, cl_device_info name) {
  char text[256] = {};
  REQUIRE(cl.clGetDeviceInfo(device, name, sizeof text, text, nullptr) == CL_SUCCESS);
  return text;
}

template <class T>
T number_of(cl_device_id device, cl_device_info name) {
  T value{};
  std::size_t bytes = 0;
  REQUIRE(cl.clGetDeviceInfo(device, name, sizeof value, &value, &bytes) == CL_SUCCESS);
  CHECK(bytes == sizeof value);
  return value;
}

}  // namespace

TEST_CASE("without an environment variable there is one device: virgo in the fast mode") {
  const auto choices = device_choices("");
  REQUIRE(choices.size() == 1);
  CHECK(choices[0].configuration == "virgo");
  CHECK(choices[0].settings == std::vector<std::string>{"run.mode=fast"});
}

TEST_CASE("devices have modes and settings") {
  const auto choices = device_choices("virgo:mode=cycle:set=cluster.cores=2:set=a.b=x\\,y,volta-sm");
  REQUIRE(choices.size() == 2);
  CHECK(choices[0].settings == std::vector<std::string>{"run.mode=cycle", "cluster.cores=2", "a.b=x,y"});
  CHECK(choices[1].configuration == "volta-sm");
}

TEST_CASE("all errors of the environment variable are reported at once") {
  CHECK_THROWS_WITH(
      device_choices("virgo:mode=slow:colour=red,,a:set=b"),
      Contains("'mode=slow'") && Contains("'colour=red'") && Contains("empty name") && Contains("'set=b'"));
}

TEST_CASE("a configuration that does not exist gives no device") {
  setenv("SPICA_OPENCL", "virgo,missing", 1);
  CHECK(devices().empty());
}

TEST_CASE("each configuration is a device with the facts of its machine") {
  setenv("SPICA_OPENCL", "virgo,volta-sm", 1);
  const auto found = devices();
  REQUIRE(found.size() == 2);
  CHECK(text_of(found[0], CL_DEVICE_NAME) == "Spica virgo");
  CHECK(text_of(found[1], CL_DEVICE_NAME) == "Spica volta-sm");
  CHECK(text_of(found[0], CL_DEVICE_VERSION).find("OpenCL 3.0 ") == 0);
  CHECK(text_of(found[0], CL_DEVICE_OPENCL_C_VERSION).find("OpenCL C 1.2 ") == 0);
  CHECK(number_of<cl_uint>(found[0], CL_DEVICE_MAX_COMPUTE_UNITS) == 2);
  CHECK(number_of<std::size_t>(found[0], CL_DEVICE_MAX_WORK_GROUP_SIZE) == 64);
  CHECK(number_of<cl_ulong>(found[0], CL_DEVICE_LOCAL_MEM_SIZE) == 4096);
  CHECK(number_of<cl_ulong>(found[0], CL_DEVICE_GLOBAL_MEM_SIZE) == FakeBackend::kMemoryBytes);
  CHECK(number_of<cl_device_mem_cache_type>(found[0], CL_DEVICE_GLOBAL_MEM_CACHE_TYPE) ==
        CL_READ_WRITE_CACHE);
  CHECK(number_of<cl_ulong>(found[0], CL_DEVICE_GLOBAL_MEM_CACHE_SIZE) == 65536);
  CHECK(number_of<cl_uint>(found[0], CL_DEVICE_ADDRESS_BITS) == 32);
  CHECK(number_of<cl_uint>(found[0], CL_DEVICE_MEM_BASE_ADDR_ALIGN) == 1024);
}

TEST_CASE("the type and the name of devices can be set") {
  setenv("SPICA_OPENCL_TYPE", "cpu", 1);
  setenv("SPICA_OPENCL_NAME", "Quartz", 1);
  CHECK(devices(CL_DEVICE_TYPE_GPU).empty());
  const auto found = devices(CL_DEVICE_TYPE_CPU);
  REQUIRE(found.size() == 1);
  CHECK(text_of(found[0], CL_DEVICE_NAME) == "Quartz");
}

TEST_CASE("questions about devices are checked") {
  const auto found = devices();
  REQUIRE(found.size() == 1);
  char byte = 0;
  CHECK(cl.clGetDeviceInfo(found[0], CL_DEVICE_NAME, 1, &byte, nullptr) == CL_INVALID_VALUE);
  CHECK(cl.clGetDeviceInfo(found[0], 0xFFFF, 1, &byte, nullptr) == CL_INVALID_VALUE);
  CHECK(cl.clGetDeviceInfo(nullptr, CL_DEVICE_NAME, 1, &byte, nullptr) == CL_INVALID_DEVICE);
  CHECK(cl.clGetDeviceIDs(nullptr, 0, 0, nullptr, nullptr) == CL_INVALID_VALUE);
  cl_uint count = 0;
  CHECK(cl.clGetDeviceIDs(nullptr, 0, 0, nullptr, &count) == CL_INVALID_DEVICE_TYPE);
  CHECK(cl.clGetDeviceIDs(nullptr, CL_DEVICE_TYPE_ACCELERATOR, 0, nullptr, &count) == CL_DEVICE_NOT_FOUND);
}

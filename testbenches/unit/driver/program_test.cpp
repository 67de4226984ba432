// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "platform/opencl/driver/program_binary.h"
#include "testbenches/unit/driver/fixture.h"

using namespace spica::opencl::test;

namespace {

cl_program source_program(const Fixture& fixture, const std::string& source) {
  const char* text = source.c_str();
  cl_int error = 1;
  cl_program const made = cl.clCreateProgramWithSource(fixture.context, 1, &text, nullptr, &error);
  REQUIRE(error == CL_SUCCESS);
  return made;
}

std::string log_of(const Fixture& fixture, cl_program program) {
  char text[512] = {};
  REQUIRE(cl.clGetProgramBuildInfo(program, fixture.device, CL_PROGRAM_BUILD_LOG, sizeof text, text,
                                   nullptr) == CL_SUCCESS);
  return text;
}

template <class T>
T build_info(const Fixture& fixture, cl_program program, cl_program_build_info name) {
  T value{};
  REQUIRE(cl.clGetProgramBuildInfo(program, fixture.device, name, sizeof value, &value, nullptr) ==
          CL_SUCCESS);
  return value;
}

std::string binary_of(cl_program program) {
  std::size_t size = 0;
  REQUIRE(cl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) == CL_SUCCESS);
  std::string binary(size, 0);
  auto* bytes = reinterpret_cast<unsigned char*>(&binary[0]);
  REQUIRE(cl.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, static_cast<void*>(&bytes),
                              nullptr) == CL_SUCCESS);
  return binary;
}

cl_program from_binary(const Fixture& fixture, const std::string& binary, cl_int& status, cl_int& error) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t size = binary.size();
  return cl.clCreateProgramWithBinary(fixture.context, 1, &fixture.device, &size, &bytes, &status, &error);
}

}  // namespace

TEST_CASE("a build has a status, a log and kernels") {
  const Fixture fixture;
  cl_program const program =
      source_program(fixture, "kernel one buffer\nwarning unused\nkernel two int int\n");
  CHECK(build_info<cl_build_status>(fixture, program, CL_PROGRAM_BUILD_STATUS) == CL_BUILD_NONE);
  cl_int error = 0;
  CHECK(cl.clCreateKernel(program, "one", &error) == nullptr);
  CHECK(error == CL_INVALID_PROGRAM_EXECUTABLE);
  REQUIRE(cl.clBuildProgram(program, 0, nullptr, "-DX=1", nullptr, nullptr) == CL_SUCCESS);
  CHECK(build_info<cl_build_status>(fixture, program, CL_PROGRAM_BUILD_STATUS) == CL_BUILD_SUCCESS);
  CHECK(build_info<cl_program_binary_type>(fixture, program, CL_PROGRAM_BINARY_TYPE) ==
        CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
  CHECK(log_of(fixture, program) == "warning unused\n");
  char names[64] = {};
  CHECK(cl.clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, nullptr) == CL_SUCCESS);
  CHECK(std::string(names) == "one;two");
  cl_kernel kernels[2] = {};
  cl_uint count = 0;
  CHECK(cl.clCreateKernelsInProgram(program, 1, kernels, &count) == CL_INVALID_VALUE);
  CHECK(cl.clCreateKernelsInProgram(program, 2, kernels, &count) == CL_SUCCESS);
  CHECK(count == 2);
  CHECK(cl.clCreateKernel(program, "three", &error) == nullptr);
  CHECK(error == CL_INVALID_KERNEL_NAME);
  CHECK(cl.clBuildProgram(program, 0, nullptr, "", nullptr, nullptr) ==
        CL_INVALID_OPERATION);  // it has kernels
}

TEST_CASE("a build that fails keeps its log, and calls back") {
  const Fixture fixture;
  cl_program const program = source_program(fixture, "error program.cl:1: no such type\n");
  static int calls = 0;
  const auto notify = [](cl_program, void*) { ++calls; };
  CHECK(cl.clBuildProgram(program, 0, nullptr, "", notify, nullptr) == CL_BUILD_PROGRAM_FAILURE);
  CHECK(calls == 1);
  CHECK(build_info<cl_build_status>(fixture, program, CL_PROGRAM_BUILD_STATUS) == CL_BUILD_ERROR);
  CHECK(log_of(fixture, program) == "error program.cl:1: no such type\n");
  CHECK(cl.clBuildProgram(program, 0, nullptr, "-bad", nullptr, nullptr) == CL_INVALID_BUILD_OPTIONS);
  CHECK(log_of(fixture, program) == "unknown option -bad\n");
}

TEST_CASE("programs are linked at different addresses, which are free after a release and a wait") {
  const Fixture fixture;
  fixture.backend.define("k", [](FakeMachine&, const spica::opencl::Launch&) {});
  cl_kernel const first = fixture.kernel("kernel k", "k"), second = fixture.kernel("kernel k", "k");
  REQUIRE(fixture.launch(first, 1) == CL_SUCCESS);
  REQUIRE(fixture.launch(second, 1) == CL_SUCCESS);
  REQUIRE(cl.clFinish(fixture.queue) == CL_SUCCESS);
  REQUIRE(cl.clReleaseKernel(first) == CL_SUCCESS);
  REQUIRE(cl.clReleaseKernel(second) == CL_SUCCESS);
  REQUIRE(cl.clFinish(fixture.queue) == CL_SUCCESS);
  const cl_kernel third = fixture.kernel("kernel k", "k");
  REQUIRE(fixture.launch(third, 1) == CL_SUCCESS);
  REQUIRE(cl.clFinish(fixture.queue) == CL_SUCCESS);
  std::vector<std::string> places;
  for (const std::string& note : fixture.backend.notes())
    if (note.find("base") != std::string::npos) places.push_back(note);
  const std::vector<std::string> expected = {"add base 1048576", "add base 1114112", "remove base 1048576",
                                             "remove base 1114112", "add base 1048576"};
  CHECK(places == expected);
}

TEST_CASE("a program that is larger than a slot is linked again where it fits") {
  const Fixture fixture;
  const cl_program large = source_program(fixture, "kernel k\nimage 600000\n");
  CHECK(cl.clBuildProgram(large, 0, nullptr, "", nullptr, nullptr) == CL_SUCCESS);
  const cl_program too_large = source_program(fixture, "kernel k\nimage 2000000\n");
  CHECK(cl.clBuildProgram(too_large, 0, nullptr, "", nullptr, nullptr) == CL_BUILD_PROGRAM_FAILURE);
  CHECK(log_of(fixture, too_large) == "no memory for a program of 2000000 bytes\n");
}

TEST_CASE("objects and libraries are linked") {
  const Fixture fixture;
  const cl_program header = source_program(fixture, "kernel from_header");
  const cl_program a = source_program(fixture, "kernel a"), b = source_program(fixture, "kernel b");
  const char* name = "h.h";
  REQUIRE(cl.clCompileProgram(a, 0, nullptr, "", 1, &header, &name, nullptr, nullptr) == CL_SUCCESS);
  CHECK(build_info<cl_program_binary_type>(fixture, a, CL_PROGRAM_BINARY_TYPE) ==
        CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
  cl_int error = 1;
  const cl_program inputs[] = {a, b};
  CHECK(cl.clLinkProgram(fixture.context, 0, nullptr, "", 2, inputs, nullptr, nullptr, &error) == nullptr);
  CHECK(error == CL_INVALID_OPERATION);  // b is a source
  REQUIRE(cl.clCompileProgram(b, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr) == CL_SUCCESS);
  const cl_program library =
      cl.clLinkProgram(fixture.context, 0, nullptr, "-create-library", 1, &b, nullptr, nullptr, &error);
  REQUIRE(error == CL_SUCCESS);
  CHECK(build_info<cl_program_binary_type>(fixture, library, CL_PROGRAM_BINARY_TYPE) ==
        CL_PROGRAM_BINARY_TYPE_LIBRARY);
  const cl_program with_library[] = {a, library};
  const cl_program linked =
      cl.clLinkProgram(fixture.context, 0, nullptr, "", 2, with_library, nullptr, nullptr, &error);
  REQUIRE(error == CL_SUCCESS);
  std::size_t kernels = 0;
  CHECK(cl.clGetProgramInfo(linked, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, nullptr) == CL_SUCCESS);
  CHECK(kernels == 3);
}

TEST_CASE("a link that fails returns a program with a log") {
  const Fixture fixture;
  const cl_program a = source_program(fixture, "kernel a");
  REQUIRE(cl.clCompileProgram(a, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr) == CL_SUCCESS);
  const cl_program bad = source_program(fixture, "error undefined function f");
  CHECK(cl.clCompileProgram(bad, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr) ==
        CL_COMPILE_PROGRAM_FAILURE);
}

TEST_CASE("a binary is a program again, to be built") {
  const Fixture fixture;
  const cl_program program = fixture.program("kernel k int");
  const std::string binary = binary_of(program);
  cl_int status = 1, error = 1;
  const cl_program loaded = from_binary(fixture, binary, status, error);
  REQUIRE(error == CL_SUCCESS);
  CHECK(status == CL_SUCCESS);
  CHECK(cl.clCreateKernel(loaded, "k", &error) == nullptr);
  CHECK(error == CL_INVALID_PROGRAM_EXECUTABLE);
  REQUIRE(cl.clBuildProgram(loaded, 0, nullptr, "", nullptr, nullptr) == CL_SUCCESS);
  CHECK(cl.clCreateKernel(loaded, "k", &error) != nullptr);
}

TEST_CASE("a device has one binary") {
  const Fixture fixture;
  const std::string binary = binary_of(fixture.program("kernel k"));
  const auto* const bytes = reinterpret_cast<const unsigned char*>(binary.data());
  const cl_device_id devices[2] = {fixture.device, fixture.device};
  const std::size_t sizes[2] = {binary.size(), binary.size()};
  const unsigned char* binaries[2] = {bytes, bytes};
  cl_int error = CL_SUCCESS;
  CHECK(cl.clCreateProgramWithBinary(fixture.context, 2, devices, sizes, binaries, nullptr, &error) ==
        nullptr);
  CHECK(error == CL_INVALID_DEVICE);
}

TEST_CASE("damaged binaries and those of another machine are refused") {
  const Fixture fixture;
  const std::string binary = binary_of(fixture.program("kernel k int"));
  cl_int status = 1, error = 1;
  for (const std::string& bad :
       {binary.substr(0, binary.size() - 1), binary + "x", "x" + binary, std::string("text")}) {
    CHECK(from_binary(fixture, bad, status, error) == nullptr);
    CHECK((status == CL_INVALID_BINARY && error == CL_INVALID_BINARY));
  }
  auto other = *spica::opencl::binary_of(binary);
  other.built_for = "volta-sm";
  CHECK(from_binary(fixture, bytes_of(other), status, error) == nullptr);
  CHECK(error == CL_INVALID_BINARY);
  CHECK(from_binary(fixture, "", status, error) == nullptr);
  CHECK(error == CL_INVALID_VALUE);
}

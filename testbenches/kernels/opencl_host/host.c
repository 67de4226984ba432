// SPDX-License-Identifier: Apache-2.0
// An OpenCL program as any other: vector sum, reduction with local memory, and times of events. Prints one line
// for each part; exit code 1: a wrong result or an unexpected error code.
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 1000
#define GROUP 50

static const char* kSource =
    "__kernel void vadd(__global const float* a, __global const float* b, __global float* c) {\n"
    "  size_t i = get_global_id(0);\n"
    "  c[i] = a[i] + b[i];\n"
    "}\n"
    "__kernel void sum(__global const int* x, __global int* sums, __local int* part) {\n"
    "  size_t lane = get_local_id(0), size = get_local_size(0);\n"
    "  part[lane] = x[get_global_id(0)];\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  if (lane == 0) {\n"
    "    int total = 0;\n"
    "    for (size_t i = 0; i < size; ++i) total += part[i];\n"
    "    sums[get_group_id(0)] = total;\n"
    "  }\n"
    "}\n"
    "__kernel void place(__global int* x) {\n"
    "  size_t at = (get_global_id(1) - get_global_offset(1)) * get_global_size(0) + get_global_id(0);\n"
    "  x[at] = 100 * (int)get_global_id(1) + 10 * (int)get_work_dim() + (int)get_local_id(0);\n"
    "}\n";

static void check(int is_good, const char* what) {
  if (is_good) return;
  printf("FAILED: %s\n", what);
  exit(1);
}

static cl_context context;
static cl_command_queue queue;
static cl_program program;

static cl_mem buffer(size_t bytes, void* contents) {
  cl_int error;
  cl_mem made = clCreateBuffer(context, contents ? CL_MEM_COPY_HOST_PTR : 0, bytes, contents, &error);
  check(error == CL_SUCCESS, "clCreateBuffer");
  return made;
}

static cl_kernel kernel(const char* name) {
  cl_int error;
  cl_kernel made = clCreateKernel(program, name, &error);
  check(error == CL_SUCCESS, name);
  return made;
}

static cl_ulong time_of(cl_event event, cl_profiling_info name) {
  cl_ulong ns = 0;
  check(clGetEventProfilingInfo(event, name, sizeof ns, &ns, NULL) == CL_SUCCESS, "clGetEventProfilingInfo");
  return ns;
}

static void vadd(void) {
  static float a[N], b[N], c[N];
  for (int i = 0; i < N; ++i) a[i] = (float)i, b[i] = 0.5f * (float)i;
  cl_mem x = buffer(sizeof a, a), y = buffer(sizeof b, b), z = buffer(sizeof c, NULL);
  cl_kernel add = kernel("vadd");
  clSetKernelArg(add, 0, sizeof x, &x);
  clSetKernelArg(add, 1, sizeof y, &y);
  clSetKernelArg(add, 2, sizeof z, &z);
  const size_t items = N;
  cl_event event;
  cl_ulong last = 0;
  for (int run = 0; run < 3; ++run) {
    check(clEnqueueNDRangeKernel(queue, add, 1, NULL, &items, NULL, 0, NULL, &event) == CL_SUCCESS,
          "launch vadd");
    check(clWaitForEvents(1, &event) == CL_SUCCESS, "wait");
    const cl_ulong queued = time_of(event, CL_PROFILING_COMMAND_QUEUED),
                   submit = time_of(event, CL_PROFILING_COMMAND_SUBMIT);
    const cl_ulong start = time_of(event, CL_PROFILING_COMMAND_START),
                   end = time_of(event, CL_PROFILING_COMMAND_END);
    check(last <= queued && queued <= submit && submit <= start && start < end, "order of times");
    last = end;
    clReleaseEvent(event);
  }
  check(clEnqueueReadBuffer(queue, z, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL) == CL_SUCCESS, "read");
  for (int i = 0; i < N; ++i) check(c[i] == 1.5f * (float)i, "vadd");
  printf("vadd is right\n");
  clReleaseKernel(add);
  clReleaseMemObject(x);
  clReleaseMemObject(y);
  clReleaseMemObject(z);
}

static void reduction(void) {
  static int values[N], sums[N / GROUP];
  for (int i = 0; i < N; ++i) values[i] = i;
  cl_mem x = buffer(sizeof values, values), y = buffer(sizeof sums, NULL);
  cl_kernel sum = kernel("sum");
  clSetKernelArg(sum, 0, sizeof x, &x);
  clSetKernelArg(sum, 1, sizeof y, &y);
  clSetKernelArg(sum, 2, GROUP * sizeof(int), NULL);
  const size_t items = N, group = GROUP;
  check(clEnqueueNDRangeKernel(queue, sum, 1, NULL, &items, &group, 0, NULL, NULL) == CL_SUCCESS,
        "launch sum");
  int* mapped = clEnqueueMapBuffer(queue, y, CL_TRUE, CL_MAP_READ, 0, sizeof sums, 0, NULL, NULL, NULL);
  int total = 0;
  for (int i = 0; i < N / GROUP; ++i) total += mapped[i];
  check(total == N * (N - 1) / 2, "sum");
  check(clEnqueueUnmapMemObject(queue, y, mapped, 0, NULL, NULL) == CL_SUCCESS, "unmap");
  printf("reduction is right\n");
  clReleaseKernel(sum);
  clReleaseMemObject(x);
  clReleaseMemObject(y);
}

static void index_space(void) {
  static int values[24];
  cl_mem x = buffer(sizeof values, NULL);
  cl_kernel place = kernel("place");
  clSetKernelArg(place, 0, sizeof x, &x);
  const size_t offset[2] = {0, 5}, items[2] = {8, 3}, group[2] = {4, 1}, uneven[2] = {3, 1};
  check(clEnqueueNDRangeKernel(queue, place, 2, offset, items, uneven, 0, NULL, NULL) ==
            CL_INVALID_WORK_GROUP_SIZE,
        "uneven groups");
  check(clEnqueueNDRangeKernel(queue, place, 2, offset, items, group, 0, NULL, NULL) == CL_SUCCESS,
        "launch place");
  check(clEnqueueReadBuffer(queue, x, CL_TRUE, 0, sizeof values, values, 0, NULL, NULL) == CL_SUCCESS,
        "read");
  for (int i = 0; i < 24; ++i) check(values[i] == 100 * (5 + i / 8) + 20 + i % 4, "index space");
  printf("index space is right\n");
  clReleaseKernel(place);
  clReleaseMemObject(x);
}

static void build_errors(cl_device_id device) {
  const char* bad = "__kernel void k(__global int* x) { x[0] = undeclared; }\n";
  cl_int error;
  cl_program broken = clCreateProgramWithSource(context, 1, &bad, NULL, &error);
  check(clBuildProgram(broken, 1, &device, "", NULL, NULL) == CL_BUILD_PROGRAM_FAILURE,
        "a source with an error");
  char log[4096] = {0};
  clGetProgramBuildInfo(broken, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
  check(strstr(log, "program.cl:1:") != NULL && strstr(log, "undeclared") != NULL, log);
  check(clBuildProgram(broken, 1, &device, "-no-such-option", NULL, NULL) == CL_INVALID_BUILD_OPTIONS,
        "options");
  clReleaseProgram(broken);
  printf("build errors are right\n");
}

int main(void) {
  cl_platform_id platform;
  cl_device_id device;
  cl_int error;
  check(clGetPlatformIDs(1, &platform, NULL) == CL_SUCCESS, "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL) == CL_SUCCESS, "clGetDeviceIDs");
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  check(error == CL_SUCCESS, "clCreateContext");
  queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error);
  check(error == CL_SUCCESS, "clCreateCommandQueue");
  program = clCreateProgramWithSource(context, 1, &kSource, NULL, &error);
  if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS) {
    char log[4096] = {0};
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    check(0, log);
  }
  vadd();
  reduction();
  index_space();
  build_errors(device);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Eight threads share a context and a queue. Each has another queue, kernels, a buffer and, half way, a program of its own;
// its launches on the shared queue wait for those on its own. Exit code 1: a wrong result or an error.
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kThreads = 8, kItems = 256, kRounds = 20, kGroup = 32 };

static const char* kSource =
    "kernel void mix(global uint* v, uint s) { size_t i = get_global_id(0); v[i] = v[i] * 1664525u + s + (uint)i; }\n"
    "kernel void add(global uint* total, uint s) { atomic_add(total, s); }\n";

static cl_context context;
static cl_device_id device;
static cl_program program;
static cl_command_queue shared;
static cl_mem total;

static void check(cl_int error, const char* what) {
  if (error == CL_SUCCESS) return;
  printf("FAILED: %s: %d\n", what, error);
  exit(1);
}

static cl_command_queue new_queue(void) {
  cl_int error;
  cl_command_queue made = clCreateCommandQueueWithProperties(context, device, NULL, &error);
  check(error, "clCreateCommandQueueWithProperties");
  return made;
}

static cl_mem new_buffer(size_t bytes, void* contents) {
  cl_int error;
  cl_mem made = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, bytes, contents, &error);
  check(error, "clCreateBuffer");
  return made;
}

static cl_program build(void) {
  cl_int error;
  cl_program made = clCreateProgramWithSource(context, 1, &kSource, NULL, &error);
  check(error, "clCreateProgramWithSource");
  check(clBuildProgram(made, 1, &device, "", NULL, NULL), "clBuildProgram");
  return made;
}

static cl_kernel kernel(const char* name) {
  cl_int error;
  cl_kernel made = clCreateKernel(program, name, &error);
  check(error, name);
  return made;
}

static void launch(cl_command_queue queue, cl_kernel k, cl_mem buffer, cl_uint addend, size_t items, const cl_event* after,
                   cl_event* event) {
  const size_t group = kGroup;
  check(clSetKernelArg(k, 0, sizeof buffer, &buffer), "clSetKernelArg");
  check(clSetKernelArg(k, 1, sizeof addend, &addend), "clSetKernelArg");
  check(clEnqueueNDRangeKernel(queue, k, 1, NULL, &items, &group, after ? 1 : 0, after, event), "clEnqueueNDRangeKernel");
}

static cl_uint addend_of(cl_uint thread, cl_uint round) { return thread * 31 + round; }

static void* work(void* number) {
  const cl_uint me = (cl_uint)(size_t)number;
  cl_uint values[kItems], expected[kItems];
  for (cl_uint i = 0; i < kItems; ++i) expected[i] = values[i] = me * 977 + i;
  cl_command_queue own = new_queue();
  cl_kernel mix = kernel("mix"), add = kernel("add");
  cl_mem buffer = new_buffer(sizeof values, values);
  for (cl_uint round = 0; round < kRounds; ++round) {
    const cl_uint addend = addend_of(me, round);
    cl_event mixed, added;
    launch(own, mix, buffer, addend, kItems, NULL, &mixed);
    launch(shared, add, total, addend, kGroup, &mixed, &added);
    for (cl_uint i = 0; i < kItems; ++i) expected[i] = expected[i] * 1664525u + addend + i;
    if (round % 5 == 4) {
      check(clEnqueueReadBuffer(own, buffer, CL_TRUE, 0, sizeof values, values, 1, &added, NULL), "clEnqueueReadBuffer");
      check(memcmp(values, expected, sizeof values), "words of a thread differ");
    }
    clReleaseEvent(mixed);
    clReleaseEvent(added);
    if (round == kRounds / 2) clReleaseProgram(build());
  }
  clReleaseMemObject(buffer);
  clReleaseKernel(mix);
  clReleaseKernel(add);
  clReleaseCommandQueue(own);
  return NULL;
}

int main(void) {
  cl_platform_id platform;
  cl_int error;
  pthread_t threads[kThreads];
  cl_uint sum = 0, expected = 0;
  check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  check(error, "clCreateContext");
  program = build();
  shared = new_queue();
  total = new_buffer(sizeof sum, &sum);
  for (size_t i = 0; i < kThreads; ++i) check(pthread_create(threads + i, NULL, work, (void*)i), "pthread_create");
  for (size_t i = 0; i < kThreads; ++i) check(pthread_join(threads[i], NULL), "pthread_join");
  check(clEnqueueReadBuffer(shared, total, CL_TRUE, 0, sizeof sum, &sum, 0, NULL, NULL), "clEnqueueReadBuffer");
  for (cl_uint me = 0; me < kThreads; ++me)
    for (cl_uint round = 0; round < kRounds; ++round) expected += kGroup * addend_of(me, round);
  check(sum != expected, "the sum of all threads differs");
  puts("threads are right");
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CL/cl_icd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "platform/opencl/driver/context.h"
#include "platform/opencl/driver/object.h"

/// A buffer, or a part of one.
struct _cl_mem final : spica::opencl::Object<_cl_mem, CL_INVALID_MEM_OBJECT> {
  using Destroyed = void(CL_CALLBACK*)(cl_mem, void*);

  /// A buffer with a place on each device. Copies the contents of `host` if the flags request it.
  _cl_mem(_cl_context& owner, cl_mem_flags with, std::size_t bytes, void* host,
          std::vector<cl_mem_properties> as_given);
  /// A part of `whole`, which is not itself a part.
  _cl_mem(_cl_mem& whole, cl_mem_flags with, std::size_t at, std::size_t bytes);
  ~_cl_mem();

  _cl_mem& root() { return parent != nullptr ? *parent : *this; }
  std::uint64_t address(cl_device_id device) const {
    return parent != nullptr ? parent->address(device) + origin : places_.at(device);
  }

  /// The host memory that a mapping of this buffer shows. Throws std::bad_alloc.
  std::byte* host_memory();
  struct Mapping {
    std::size_t offset, bytes;
    bool writes;
  };
  void add_mapping(const Mapping& mapping);
  /// Throws CL_INVALID_VALUE if `pointer` is not that of a mapping.
  Mapping take_mapping(const void* pointer);
  cl_uint mappings();

  void on_destruction(Destroyed callback, void* user_data);

  const spica::opencl::Ref<_cl_context> context;
  const spica::opencl::Ref<_cl_mem> parent;
  const cl_mem_flags flags;
  const std::size_t size, origin;  // bytes
  void* const host_pointer;  // of CL_MEM_USE_HOST_PTR, else null
  const std::vector<cl_mem_properties> properties;

  /// The device with the contents; null: none were written. Belongs to the worker.
  cl_device_id on_device = nullptr;

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };

  std::map<cl_device_id, std::uint64_t> places_;
  std::mutex mutex_;
  std::unique_ptr<std::byte, Free> shadow_;
  std::list<Mapping> mappings_;
  std::vector<std::pair<Destroyed, void*>> destructors_;
};

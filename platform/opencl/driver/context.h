// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CL/cl_icd.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "platform/opencl/driver/allocator.h"
#include "platform/opencl/driver/device.h"
#include "platform/opencl/driver/object.h"
#include "platform/opencl/driver/worker.h"

/// A context: memory, programs and commands of its devices.
struct _cl_context final : spica::opencl::Object<_cl_context, CL_INVALID_CONTEXT> {
  using Notify = void(CL_CALLBACK*)(const char*, const void*, std::size_t, void*);
  using Destroyed = void(CL_CALLBACK*)(cl_context, void*);

  _cl_context(std::vector<cl_device_id> on, std::vector<cl_context_properties> as_given, Notify notify,
              void* user_data);
  ~_cl_context();

  bool has(cl_device_id device) const;
  bool is_lost() const { return worker_->is_lost(); }
  spica::opencl::Worker& worker() const { return *worker_; }
  spica::opencl::Graph& graph() const { return worker_->graph(); }

  using Places = std::map<cl_device_id, std::uint64_t>;
  /// A place in the memory of each device, by device. Throws CL_MEM_OBJECT_ALLOCATION_FAILURE.
  Places allocate(std::size_t bytes);
  /// They are free after reuse_released(), or when an allocation needs them.
  void release_memory(const Places& places);
  /// What was released is free: the application has waited for commands. When a command releases the last reference to a
  /// buffer or a program depends on the speed of the host; addresses, and with them times, must not.
  void reuse_released();

  /// Destructor callbacks are called in reverse order.
  void on_destruction(Destroyed callback, void* user_data);
  unsigned next_queue_number() { return queues_++; }

  const std::vector<cl_device_id> devices;
  const std::vector<cl_context_properties> properties;

 private:
  std::optional<Places> find(std::size_t bytes);
  void free_released();

  std::mutex mutex_;
  std::map<cl_device_id, spica::opencl::Allocator> memories_;
  std::vector<Places> released_;
  std::vector<std::pair<Destroyed, void*>> destructors_;
  std::atomic<unsigned> queues_{0};
  std::shared_ptr<spica::opencl::Worker> worker_;
};

// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/driver/context.h"

#include <algorithm>
#include <optional>
#include <utility>

using spica::opencl::ClError;
using spica::opencl::DeviceFacts;

_cl_context::_cl_context(std::vector<cl_device_id> on, std::vector<cl_context_properties> as_given,
                         Notify notify, void* user_data)
    : devices(std::move(on)), properties(std::move(as_given)) {
  for (cl_device_id device : devices) {
    const DeviceFacts& facts = device->facts();
    memories_.emplace(device, spica::opencl::Allocator(facts.memory_base, facts.memory_bytes));
  }
  worker_ = std::make_shared<spica::opencl::Worker>(devices, [notify, user_data](const std::string& report) {
    if (notify != nullptr) notify(report.c_str(), nullptr, 0, user_data);
    else spica::opencl::report_error(report);
  });
  worker_->start();
}

_cl_context::~_cl_context() {
  for (auto callback = destructors_.rbegin(); callback != destructors_.rend(); ++callback)
    callback->first(this, callback->second);
  worker_->stop();
}

bool _cl_context::has(cl_device_id device) const {
  return std::find(devices.begin(), devices.end(), device) != devices.end();
}

_cl_context::Places _cl_context::allocate(std::size_t bytes) {
  const std::lock_guard<std::mutex> held(mutex_);
  if (const auto places = find(bytes)) return *places;
  free_released();
  if (const auto places = find(bytes)) return *places;
  throw ClError(CL_MEM_OBJECT_ALLOCATION_FAILURE);
}

std::optional<_cl_context::Places> _cl_context::find(std::size_t bytes) {
  Places places;
  for (auto& [device, memory] : memories_) {
    const std::optional<std::uint64_t> place = memory.allocate(bytes);
    if (!place) {
      for (const auto& [other, address] : places) memories_.at(other).release(address);
      return std::nullopt;
    }
    places[device] = *place;
  }
  return places;
}

void _cl_context::release_memory(const Places& places) {
  const std::lock_guard<std::mutex> held(mutex_);
  released_.push_back(places);
}

void _cl_context::free_released() {
  for (const Places& places : released_)
    for (const auto& [device, address] : places) memories_.at(device).release(address);
  released_.clear();
}

void _cl_context::reuse_released() {
  for (cl_device_id device : devices) worker_->programs(device)->reuse_released();
  const std::lock_guard<std::mutex> held(mutex_);
  free_released();
}

void _cl_context::on_destruction(Destroyed callback, void* user_data) {
  const std::lock_guard<std::mutex> held(mutex_);
  destructors_.emplace_back(callback, user_data);
}

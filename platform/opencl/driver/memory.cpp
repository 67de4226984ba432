// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/driver/memory.h"

#include <algorithm>
#include <new>

using spica::opencl::Allocator;
using spica::opencl::ClError;
using spica::opencl::Ref;

_cl_mem::_cl_mem(_cl_context& owner, cl_mem_flags with, std::size_t bytes, void* host,
                 std::vector<cl_mem_properties> as_given)
    : context(&owner),
      flags(with),
      size(bytes),
      origin(0),
      host_pointer((with & CL_MEM_USE_HOST_PTR) != 0 ? host : nullptr),
      properties(std::move(as_given)),
      places_(owner.allocate(bytes)) {
  if ((flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) == 0) return;
  const auto* const from = static_cast<const std::byte*>(host);
  context->graph().post([buffer = Ref<_cl_mem>(this), contents = std::vector<std::byte>(from, from + bytes)] {
    const cl_device_id device = buffer->context->devices[0];
    buffer->context->worker().write(device, buffer->address(device), contents.data(), contents.size());
    buffer->on_device = device;
  });
}

_cl_mem::_cl_mem(_cl_mem& whole, cl_mem_flags with, std::size_t at, std::size_t bytes)
    : context(whole.context),
      parent(&whole),
      flags(with),
      size(bytes),
      origin(at),
      host_pointer(whole.host_pointer == nullptr ? nullptr
                                                 : static_cast<std::byte*>(whole.host_pointer) + at) {}

_cl_mem::~_cl_mem() {
  for (auto callback = destructors_.rbegin(); callback != destructors_.rend(); ++callback)
    callback->first(this, callback->second);
  if (!places_.empty()) context->release_memory(places_);
}

std::byte* _cl_mem::host_memory() {
  if (host_pointer != nullptr) return static_cast<std::byte*>(host_pointer);
  if (parent != nullptr) return parent->host_memory() + origin;
  const std::lock_guard<std::mutex> held(mutex_);
  if (shadow_ == nullptr) {
    const std::size_t room =
        (size + Allocator::kAlignment - 1) / Allocator::kAlignment * Allocator::kAlignment;
    shadow_.reset(static_cast<std::byte*>(std::aligned_alloc(Allocator::kAlignment, room)));
    if (shadow_ == nullptr) throw std::bad_alloc();
  }
  return shadow_.get();
}

void _cl_mem::add_mapping(const Mapping& mapping) {
  const std::lock_guard<std::mutex> held(mutex_);
  mappings_.push_back(mapping);
}

_cl_mem::Mapping _cl_mem::take_mapping(const void* pointer) {
  const std::byte* const memory = host_memory();
  const std::lock_guard<std::mutex> held(mutex_);
  const auto found = std::find_if(mappings_.begin(), mappings_.end(),
                                  [&](const Mapping& mapping) { return memory + mapping.offset == pointer; });
  if (found == mappings_.end()) throw ClError(CL_INVALID_VALUE);
  const Mapping mapping = *found;
  mappings_.erase(found);
  return mapping;
}

cl_uint _cl_mem::mappings() {
  const std::lock_guard<std::mutex> held(mutex_);
  return static_cast<cl_uint>(mappings_.size());
}

void _cl_mem::on_destruction(Destroyed callback, void* user_data) {
  const std::lock_guard<std::mutex> held(mutex_);
  destructors_.emplace_back(callback, user_data);
}

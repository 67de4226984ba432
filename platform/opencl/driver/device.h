// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CL/cl_icd.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "platform/opencl/driver/backend.h"
#include "platform/opencl/driver/object.h"

/// The platform "Spica". There is one, which exists to the end of the process.
struct _cl_platform_id final : spica::opencl::Object<_cl_platform_id, CL_INVALID_PLATFORM> {
  static _cl_platform_id& instance();

  /// The devices named by the environment. Reports errors once, and returns no device then.
  const std::vector<cl_device_id>& devices();
  /// Those of a type. Throws CL_INVALID_DEVICE_TYPE.
  std::vector<cl_device_id> devices(cl_device_type type);

 private:
  _cl_platform_id() = default;
  std::once_flag once_;
  std::deque<_cl_device_id> storage_;
  std::vector<cl_device_id> devices_;
};

/// A configuration of the machine. Exists to the end of the process, so its reference count has no effect.
struct _cl_device_id final : spica::opencl::Object<_cl_device_id, CL_INVALID_DEVICE> {
  /// Reads the parameters of the machine. Throws std::exception.
  explicit _cl_device_id(const spica::opencl::DeviceChoice& choice);

  const spica::opencl::DeviceChoice& choice() const { return choice_; }
  const spica::opencl::DeviceFacts& facts() const { return facts_; }
  spica::opencl::Compiler& compiler() const { return *compiler_; }
  cl_device_type type() const { return type_; }
  const std::string& name() const { return name_; }
  /// Identifies the machine in program binaries.
  std::string built_for() const;

  /// The latest simulated time of all machines of this device, in ns.
  std::uint64_t now_ns() const { return now_ns_; }
  void advance(std::uint64_t now_ns);

 private:
  const spica::opencl::DeviceChoice choice_;
  const spica::opencl::DeviceFacts facts_;
  std::unique_ptr<spica::opencl::Compiler> compiler_;
  cl_device_type type_ = CL_DEVICE_TYPE_GPU;
  std::string name_;
  std::atomic<std::uint64_t> now_ns_{0};
};

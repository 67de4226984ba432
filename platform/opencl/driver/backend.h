// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "platform/opencl/driver/compiler.h"
#include "platform/opencl/driver/device_choice.h"
#include "platform/opencl/driver/machine.h"

namespace spica::opencl {

/// Provides machines and compilers of a configuration. Thread-safe. All functions throw std::exception with
/// the reason.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual DeviceFacts facts(const DeviceChoice& choice) = 0;
  virtual std::unique_ptr<DeviceMachine> start(const DeviceChoice& choice) = 0;
  virtual std::unique_ptr<Compiler> compiler(const DeviceFacts& facts) = 0;
};

/// The backend of this process (spica_backend.cpp), unless a test has set another one.
Backend& backend();
/// Replaces the backend, before the first entry point is called. `backend` must outlive all objects.
void set_backend(Backend& backend);
/// Makes the backend of `spica serve` processes.
Backend& spica_backend();

}  // namespace spica::opencl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CL/cl_icd.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/opencl/driver/compiler.h"
#include "platform/opencl/driver/context.h"
#include "platform/opencl/driver/executable.h"
#include "platform/opencl/driver/object.h"

namespace spica::opencl {

/// The state of a program on one device.
struct Build {
  cl_build_status status = CL_BUILD_NONE;
  cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
  std::string options, log;
  std::string code;  // position independent; what a binary of the program contains
  std::shared_ptr<const Executable> executable;
};

/// One of the ways to build: how it names errors of options and of programs, and what it makes.
struct BuildStep {
  cl_int options_error, program_error;
  cl_program_binary_type made;
};

}  // namespace spica::opencl

/// A program: source or binaries, and what was built of them.
struct _cl_program final : spica::opencl::Object<_cl_program, CL_INVALID_PROGRAM> {
  /// From a source, or without one (clLinkProgram).
  _cl_program(_cl_context& owner, std::vector<cl_device_id> on, std::optional<std::string> text);
  ~_cl_program();

  /// Loads a binary for a device; to be built before use. Throws CL_INVALID_BINARY.
  void load(cl_device_id device, const std::string& binary);
  /// The binary for a device, "": none.
  std::string binary(cl_device_id device) const;

  /// clBuildProgram, clCompileProgram. Throws ClError after the state has been updated.
  void build(const std::vector<cl_device_id>& on, const std::string& options);
  void compile(const std::vector<cl_device_id>& on, const std::string& options,
               const spica::opencl::Headers& headers);
  /// clLinkProgram. Throws ClError after the state has been updated.
  void link(const std::vector<cl_device_id>& on, const std::vector<cl_program>& inputs,
            const std::string& options);

  spica::opencl::Build state(cl_device_id device) const;
  /// The executable for a device, or null.
  std::shared_ptr<const spica::opencl::Executable> executable(cl_device_id device) const;
  /// The first executable. Throws CL_INVALID_PROGRAM_EXECUTABLE.
  std::shared_ptr<const spica::opencl::Executable> any_executable() const;

  const spica::opencl::Ref<_cl_context> context;
  const std::vector<cl_device_id> devices;
  const std::optional<std::string> source;
  std::atomic<unsigned> kernels{0};  // kernel objects attached to it

 private:
  void check_may_build(const std::vector<cl_device_id>& on) const;
  void begin(cl_device_id device, const std::string& options);
  /// The build of a device from now on.
  void store(cl_device_id device, const spica::opencl::Build& build);
  /// Does `work` on a build that has begun, and stores what comes of it. Returns the error of the step; CL_SUCCESS:
  /// none.
  cl_int attempt(cl_device_id device, const spica::opencl::BuildStep& step, spica::opencl::Build build,
                 const std::function<void(spica::opencl::Build&)>& work);
  /// Translates the source, if there is one. False: failed; `build` has the log.
  bool translate(cl_device_id device, const std::string& options, const spica::opencl::Headers& headers,
                 spica::opencl::Build& build) const;
  /// Makes the executable of `build.code` at free addresses.
  void place(cl_device_id device, const std::string& options, spica::opencl::Build& build) const;

  mutable std::mutex mutex_;
  std::map<cl_device_id, spica::opencl::Build> builds_;
};

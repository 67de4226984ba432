// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/driver/program.h"

#include <algorithm>

#include "platform/opencl/driver/program_binary.h"

using spica::opencl::Build;
using spica::opencl::BuildResult;
using spica::opencl::BuildStep;
using spica::opencl::ClError;
using spica::opencl::Executable;
using spica::opencl::Headers;
using spica::opencl::ProgramArea;
using spica::opencl::require;

namespace {

/// Throws the error of the first device on which it failed, after all have been tried.
class FirstError {
 public:
  void note(cl_int error) {
    if (first_ == CL_SUCCESS) first_ = error;
  }
  void raise() const { require(first_ == CL_SUCCESS, first_); }

 private:
  cl_int first_ = CL_SUCCESS;
};

bool has_word(const std::string& options, const std::string& word) {
  return (" " + options + " ").find(" " + word + " ") != std::string::npos;
}

}  // namespace

_cl_program::_cl_program(_cl_context& owner, std::vector<cl_device_id> on, std::optional<std::string> text)
    : context(&owner), devices(std::move(on)), source(std::move(text)) {
  for (cl_device_id device : devices) builds_[device];
}

_cl_program::~_cl_program() = default;

void _cl_program::load(cl_device_id device, const std::string& binary) {
  const auto read = spica::opencl::binary_of(binary);
  require(read && read->built_for == device->built_for(), CL_INVALID_BINARY);
  Build build;
  build.type = read->type;
  build.code = read->code;
  store(device, build);
}

std::string _cl_program::binary(cl_device_id device) const {
  const Build build = state(device);
  if (build.code.empty()) return "";
  return spica::opencl::bytes_of({build.type, device->built_for(), build.code});
}

Build _cl_program::state(cl_device_id device) const {
  const std::lock_guard<std::mutex> held(mutex_);
  const auto found = builds_.find(device);
  require(found != builds_.end(), CL_INVALID_DEVICE);
  return found->second;
}

std::shared_ptr<const Executable> _cl_program::executable(cl_device_id device) const {
  return state(device).executable;
}

std::shared_ptr<const Executable> _cl_program::any_executable() const {
  for (cl_device_id device : devices)
    if (auto found = executable(device)) return found;
  throw ClError(CL_INVALID_PROGRAM_EXECUTABLE);
}

void _cl_program::check_may_build(const std::vector<cl_device_id>& on) const {
  require(kernels == 0, CL_INVALID_OPERATION);
  for (cl_device_id device : on) require(state(device).status != CL_BUILD_IN_PROGRESS, CL_INVALID_OPERATION);
}

void _cl_program::begin(cl_device_id device, const std::string& options) {
  const std::lock_guard<std::mutex> held(mutex_);
  Build& build = builds_.at(device);
  build.status = CL_BUILD_IN_PROGRESS;
  build.options = options;
  build.executable = nullptr;
}

cl_int _cl_program::attempt(cl_device_id device, const BuildStep& step, Build build,
                            const std::function<void(Build&)>& work) {
  try {
    work(build);
  } catch (const std::exception& problem) {
    build.status = step.program_error;
    build.log += problem.what();
  }
  const cl_int status = build.status;
  build.status = status == CL_SUCCESS ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
  build.type = status == CL_SUCCESS ? step.made : CL_PROGRAM_BINARY_TYPE_NONE;
  store(device, build);
  if (status == CL_SUCCESS) return CL_SUCCESS;
  return status == CL_INVALID_BUILD_OPTIONS ? step.options_error : step.program_error;
}

void _cl_program::store(cl_device_id device, const Build& build) {
  const std::lock_guard<std::mutex> held(mutex_);
  builds_.at(device) = build;
}

bool _cl_program::translate(cl_device_id device, const std::string& options, const Headers& headers,
                            Build& build) const {
  BuildResult result = device->compiler().compile(*source, options, headers);
  build.log = result.log;
  build.status = result.status;
  build.code = std::move(result.code);
  return result.status == CL_SUCCESS;
}

void _cl_program::place(cl_device_id device, const std::string& options, Build& build) const {
  const std::shared_ptr<ProgramArea>& area = context->worker().programs(device);
  std::uint64_t bytes = ProgramArea::kSlot;
  for (int attempt = 0; attempt < 2; ++attempt) {  // the second one when the image turns out to be larger
    const auto base = area->reserve(bytes);
    if (!base) {
      build.status = CL_OUT_OF_RESOURCES;
      build.log += "no memory for a program of " + std::to_string(bytes) + " bytes";
      if (area->keeps_programs()) build.log += ": with checks or results, programs that have run keep theirs";
      build.log += "\n";
      return;
    }
    BuildResult result = device->compiler().link({build.code}, options, *base);
    build.status = result.status;
    if (attempt == 0 || result.status != CL_SUCCESS) build.log += result.log;
    const std::uint64_t needed = result.image_bytes;
    const auto executable = std::make_shared<const Executable>(area, *base, std::move(result));
    if (build.status != CL_SUCCESS) return;
    if (needed <= bytes) {
      build.executable = executable;
      return;
    }
    bytes = needed;
  }
}

void _cl_program::build(const std::vector<cl_device_id>& on, const std::string& options) {
  check_may_build(on);
  FirstError error;
  for (cl_device_id device : on) {
    const Build before = state(device);
    require(source.has_value() || !before.code.empty(), CL_INVALID_BINARY);
    begin(device, options);
    Build build;
    build.options = options;
    build.code = before.code;
    error.note(attempt(
        device, {CL_INVALID_BUILD_OPTIONS, CL_BUILD_PROGRAM_FAILURE, CL_PROGRAM_BINARY_TYPE_EXECUTABLE},
        build, [&](Build& made) {
          if (!source.has_value() || translate(device, options, {}, made))
            place(device, !source.has_value() ? "" : options, made);
        }));
  }
  error.raise();
}

void _cl_program::compile(const std::vector<cl_device_id>& on, const std::string& options,
                          const Headers& headers) {
  require(source.has_value(), CL_INVALID_OPERATION);
  check_may_build(on);
  FirstError error;
  for (cl_device_id device : on) {
    begin(device, options);
    Build build;
    build.options = options;
    error.note(attempt(
        device,
        {CL_INVALID_COMPILER_OPTIONS, CL_COMPILE_PROGRAM_FAILURE, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT},
        build, [&](Build& made) { translate(device, options, headers, made); }));
  }
  error.raise();
}

void _cl_program::link(const std::vector<cl_device_id>& on, const std::vector<cl_program>& inputs,
                       const std::string& options) {
  const bool is_library = has_word(options, "-create-library");
  const BuildStep step{CL_INVALID_LINKER_OPTIONS, CL_LINK_PROGRAM_FAILURE,
                       static_cast<cl_program_binary_type>(is_library ? CL_PROGRAM_BINARY_TYPE_LIBRARY
                                                                      : CL_PROGRAM_BINARY_TYPE_EXECUTABLE)};
  FirstError error;
  for (cl_device_id device : on) {
    Build build;
    build.options = options;
    std::vector<std::string> codes;
    for (cl_program input : inputs) codes.push_back(input->state(device).code);
    error.note(attempt(device, step, build, [&](Build& made) {
      BuildResult combined = device->compiler().combine(codes, options);
      made.status = combined.status;
      made.log = combined.log;
      made.code = std::move(combined.code);
      if (made.status == CL_SUCCESS && !is_library) place(device, options, made);
    }));
  }
  error.raise();
}

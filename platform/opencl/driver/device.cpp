// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/driver/device.h"

#include <cstdlib>
#include <map>
#include <stdexcept>

namespace spica::opencl {

namespace {

Backend* chosen = nullptr;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Programs that ask for a device of another type than GPU find one with SPICA_OPENCL_TYPE.
cl_device_type type_from_environment() {
  static const std::map<std::string, cl_device_type> types = {{"", CL_DEVICE_TYPE_GPU},
                                                              {"gpu", CL_DEVICE_TYPE_GPU},
                                                              {"cpu", CL_DEVICE_TYPE_CPU},
                                                              {"accelerator", CL_DEVICE_TYPE_ACCELERATOR}};
  const auto found = types.find(environment("SPICA_OPENCL_TYPE"));
  if (found == types.end())
    throw std::invalid_argument(
        "environment variable SPICA_OPENCL_TYPE: allowed are gpu, cpu and accelerator");
  return found->second;
}

}  // namespace

Backend& backend() { return chosen != nullptr ? *chosen : spica_backend(); }
void set_backend(Backend& backend) { chosen = &backend; }

}  // namespace spica::opencl

using spica::opencl::environment;

_cl_platform_id& _cl_platform_id::instance() {
  static auto* const platform = new _cl_platform_id;  // host programs may call until the end of the process
  return *platform;
}

const std::vector<cl_device_id>& _cl_platform_id::devices() {
  std::call_once(once_, [this] {
    try {
      for (const auto& choice : spica::opencl::device_choices(environment("SPICA_OPENCL")))
        devices_.push_back(&storage_.emplace_back(choice));
    } catch (const std::exception& error) {
      spica::opencl::report_error(error.what());
      devices_.clear();
    }
  });
  return devices_;
}

std::vector<cl_device_id> _cl_platform_id::devices(cl_device_type type) {
  constexpr cl_device_type kTypes = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                    CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;
  spica::opencl::require(type == CL_DEVICE_TYPE_ALL || (type != 0 && (type & ~kTypes) == 0),
                         CL_INVALID_DEVICE_TYPE);
  if (type == CL_DEVICE_TYPE_ALL) return devices();
  std::vector<cl_device_id> found;
  for (cl_device_id device : devices())
    if ((device->type() & type) != 0) found.push_back(device);
  if (found.empty() && (type & CL_DEVICE_TYPE_DEFAULT) != 0 && !devices().empty())
    found.push_back(devices()[0]);
  return found;
}

_cl_device_id::_cl_device_id(const spica::opencl::DeviceChoice& choice)
    : choice_(choice),
      facts_(spica::opencl::backend().facts(choice)),
      compiler_(spica::opencl::backend().compiler(facts_)),
      type_(spica::opencl::type_from_environment()),
      name_(environment("SPICA_OPENCL_NAME")) {
  if (name_.empty()) name_ = "Spica " + facts_.name;
}

std::string _cl_device_id::built_for() const {
  std::string text = choice_.configuration;
  for (const std::string& setting : choice_.settings)
    if (setting.compare(0, 9, "run.mode=") != 0) text += " " + setting;  // both modes run the same code
  return text;
}

void _cl_device_id::advance(std::uint64_t now_ns) {
  std::uint64_t before = now_ns_;
  while (before < now_ns && !now_ns_.compare_exchange_weak(before, now_ns)) {
  }
}

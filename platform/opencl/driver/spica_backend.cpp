// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <memory>
#include <string>

#include "platform/bindings/client/process.h"
#include "platform/opencl/driver/backend.h"
#include "platform/opencl/driver/compiler_process.h"
#include "platform/opencl/driver/session_machine.h"

namespace spica::opencl {

namespace {

/// The program spica of the installation that this library belongs to. Throws std::exception.
std::string program_file() {
  Dl_info place{};
  dladdr(reinterpret_cast<void*>(&program_file), &place);
  return client::program_of(place.dli_fname);
}

class SpicaBackend final : public Backend {
 public:
  DeviceFacts facts(const DeviceChoice& choice) override { return session_facts(program_file(), choice); }
  std::unique_ptr<DeviceMachine> start(const DeviceChoice& choice) override {
    return start_session(program_file(), choice);
  }
  std::unique_ptr<Compiler> compiler(const DeviceFacts& facts) override {
    return std::make_unique<CompilerProcess>(program_file(), facts.local_bytes);
  }
};

}  // namespace

Backend& spica_backend() {
  static auto* const backend = new SpicaBackend;  // host programs may call until the end of the process
  return *backend;
}

}  // namespace spica::opencl

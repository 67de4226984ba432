// SPDX-License-Identifier: Apache-2.0
#include "testbenches/unit/driver/fake_backend.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace spica::opencl::test {

namespace {

constexpr std::uint32_t kHead = 32;
constexpr std::uint64_t kLaunchNs = 100;

KernelArgument argument_of(const std::string& kind, std::uint32_t& offset) {
  KernelArgument argument{
      "a",    kind, CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_TYPE_NONE,
      offset, 4};
  if (kind == "buffer") argument.space = CL_KERNEL_ARG_ADDRESS_GLOBAL;
  if (kind == "constant") argument.space = CL_KERNEL_ARG_ADDRESS_CONSTANT;
  if (kind == "local") argument.space = CL_KERNEL_ARG_ADDRESS_LOCAL;
  if (kind.compare(0, 6, "bytes:") == 0)
    argument.bytes = static_cast<std::uint32_t>(std::stoul(kind.substr(6)));
  offset += argument.bytes;
  return argument;
}

class FakeCompiler final : public Compiler {
 public:
  BuildResult compile(const std::string& source, const std::string& options,
                      const Headers& headers) override {
    BuildResult result = read(source);
    for (const auto& header : headers) result.code += "\n" + header.second;
    if (options.find("-bad") == std::string::npos) return result;
    result.status = CL_INVALID_BUILD_OPTIONS;
    result.log = "unknown option -bad\n";
    return result;
  }

  BuildResult combine(const std::vector<std::string>& codes, const std::string&) override {
    std::string all;
    for (const std::string& code : codes) all += code + "\n";
    BuildResult result = read(all);
    if (result.status == CL_SUCCESS) result.log.clear();  // warnings are those of the compilation
    return result;
  }

  BuildResult link(const std::vector<std::string>& codes, const std::string& options,
                   std::uint32_t base) override {
    BuildResult result = combine(codes, options);
    result.code = "base " + std::to_string(base) + "\n" + result.code;
    return result;
  }

 private:
  static BuildResult read(const std::string& source) {
    BuildResult result;
    result.status = CL_SUCCESS;
    result.code = source;
    result.image_bytes = 100;
    std::istringstream lines(source);
    for (std::string line; std::getline(lines, line);) read_line(line, result);
    return result;
  }

  static void read_line(const std::string& line, BuildResult& result) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "kernel") {
      KernelDescription kernel;
      words >> kernel.name;
      std::uint32_t offset = kHead;
      while (words >> word) kernel.arguments.push_back(argument_of(word, offset));
      result.kernels.push_back(kernel);
    } else if (word == "reqd") {
      for (std::uint32_t& size : result.kernels.back().required_local) words >> size;
    } else if (word == "local") {
      words >> result.kernels.back().local_bytes;
    } else if (word == "private") {
      words >> result.kernels.back().private_bytes;
    } else if (word == "image") {
      words >> result.image_bytes;
    } else if (word == "warning" || word == "error") {
      result.log += line + "\n";
      if (word == "error") result.status = CL_BUILD_PROGRAM_FAILURE;
    }
  }
};

}  // namespace

FakeBackend& FakeBackend::instance() {
  static auto* const backend = new FakeBackend;
  set_backend(*backend);
  return *backend;
}

DeviceFacts FakeBackend::facts(const DeviceChoice& choice) {
  if (choice.configuration == "missing") throw std::runtime_error("configuration 'missing' does not exist");
  DeviceFacts facts;
  facts.name = choice.configuration;
  facts.compute_units = 2;
  facts.warp_lanes = 16;
  facts.max_group_items = 64;
  facts.local_bytes = 4096;
  facts.private_bytes = 8192;
  facts.cache_bytes = 65536;
  facts.memory_base = kMemoryBase;
  facts.memory_bytes = kMemoryBytes;
  facts.program_base = kProgramBase;
  facts.program_bytes = kProgramBytes;
  return facts;
}

std::unique_ptr<DeviceMachine> FakeBackend::start(const DeviceChoice&) {
  ++machines_;
  return std::make_unique<FakeMachine>(*this);
}

std::unique_ptr<Compiler> FakeBackend::compiler(const DeviceFacts&) {
  return std::make_unique<FakeCompiler>();
}

void FakeBackend::note(const std::string& what) {
  const std::lock_guard<std::mutex> held(mutex_);
  notes_.push_back(what);
}

std::vector<std::string> FakeBackend::notes() {
  const std::lock_guard<std::mutex> held(mutex_);
  return notes_;
}

std::uint8_t* FakeMachine::at(std::uint64_t address, std::size_t bytes) {
  const std::uint64_t offset = address - FakeBackend::kMemoryBase;
  if (offset > memory_.size() || bytes > memory_.size() - offset)
    throw std::runtime_error("outside of memory");
  return memory_.data() + offset;
}

void FakeMachine::write(std::uint64_t address, const void* from, std::size_t bytes) {
  if (bytes != 0) std::memcpy(at(address, bytes), from, bytes);
}

void FakeMachine::read(std::uint64_t address, void* to, std::size_t bytes) {
  if (bytes != 0) std::memcpy(to, at(address, bytes), bytes);
}

std::uint64_t FakeMachine::add_program(const std::string& elf) {
  owner_.note("add " + elf.substr(0, elf.find('\n')));
  programs_[++added_] = elf;
  return added_;
}

void FakeMachine::remove_program(std::uint64_t program) {
  const std::string& elf = programs_.at(program);
  owner_.note("remove " + elf.substr(0, elf.find('\n')));
  programs_.erase(program);
}

std::uint64_t FakeMachine::submit(const Launch& launch) {
  owner_.note("submit " + launch.kernel);
  programs_.at(launch.program);
  if (launch.kernel == "refused") throw std::runtime_error("no cluster has room for a work group");
  submitted_.emplace_back(++launches_, launch);
  return launches_;
}

std::vector<Completion> FakeMachine::run() {
  const auto [number, launch] = submitted_.at(0);
  submitted_.erase(submitted_.begin());
  owner_.note("run " + launch.kernel);
  const std::uint64_t begin = now_;
  now_ += kLaunchNs;
  owner_.kernel(launch.kernel)(*this, launch);
  return {{number, begin, begin, now_, kLaunchNs}};
}

std::uint32_t FakeMachine::word(const Launch& launch, std::size_t argument) {
  std::uint32_t value = 0;
  std::memcpy(&value, launch.arguments.data() + kHead + 4 * argument, sizeof value);
  return value;
}

std::int32_t& FakeMachine::element(const Launch& launch, std::size_t argument, std::size_t index) {
  return *reinterpret_cast<std::int32_t*>(at(word(launch, argument) + 4 * index, 4));
}

}  // namespace spica::opencl::test

/// Cases keep objects and events to their end, as many programs do. Other leaks of the driver are reported.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): the name is the sanitizer's
extern "C" const char* __lsan_default_suppressions() {
  return "leak:spica::opencl::create<\nleak:_cl_command_queue::enqueue\n";
}

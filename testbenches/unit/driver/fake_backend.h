// SPDX-License-Identifier: Apache-2.0
// A machine and a compiler in memory, for tests of the OpenCL driver.
#pragma once

#include <CL/cl_icd.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "platform/opencl/driver/backend.h"

namespace spica::opencl::test {

class FakeMachine;

/// A kernel in C++. It may throw MachineStopped.
using FakeKernel = std::function<void(FakeMachine&, const Launch&)>;

/// Machines of 64 KB of memory at 0x1000, 16 lanes, 64 work items in a group. A source is a list of lines:
///   kernel NAME ARGUMENT...     ARGUMENT: buffer, constant, local, int, or bytes:N
///   reqd X Y Z | local BYTES | private BYTES    of the kernel before
///   warning TEXT | error TEXT   a line of the build log; an error fails
///   image BYTES                 size of the linked program
/// The code that a program consists of is its text; kernels do what define() says.
class FakeBackend final : public Backend {
 public:
  static constexpr std::uint64_t kMemoryBase = 0x1000, kMemoryBytes = 0x10000;
  static constexpr std::uint64_t kProgramBase = 0x100000, kProgramBytes = 0x100000;

  /// The backend of this process, installed.
  static FakeBackend& instance();

  DeviceFacts facts(const DeviceChoice& choice) override;
  std::unique_ptr<DeviceMachine> start(const DeviceChoice& choice) override;
  std::unique_ptr<Compiler> compiler(const DeviceFacts& facts) override;

  void define(const std::string& name, FakeKernel kernel) { kernels_[name] = std::move(kernel); }
  const FakeKernel& kernel(const std::string& name) const { return kernels_.at(name); }

  /// Notes what machines did, for tests of order.
  void note(const std::string& what);
  std::vector<std::string> notes();
  unsigned machines() const { return machines_; }  // started so far

 private:
  std::map<std::string, FakeKernel> kernels_;
  std::mutex mutex_;
  std::vector<std::string> notes_;
  unsigned machines_ = 0;
};

/// Each launch takes 100 ns, one after the other.
class FakeMachine final : public DeviceMachine {
 public:
  explicit FakeMachine(FakeBackend& owner) : owner_(owner), memory_(FakeBackend::kMemoryBytes) {}

  void write(std::uint64_t address, const void* from, std::size_t bytes) override;
  void read(std::uint64_t address, void* to, std::size_t bytes) override;
  std::uint64_t add_program(const std::string& elf) override;
  void remove_program(std::uint64_t program) override;
  std::uint64_t submit(const Launch& launch) override;
  std::vector<Completion> run() override;
  /// Launches end ahead of it, as in the fast mode.
  std::uint64_t now_ns() override { return now_ - now_ / 50; }

  /// An element of a buffer, from an argument block.
  std::int32_t& element(const Launch& launch, std::size_t argument, std::size_t index);
  /// The word at a place of the argument block, behind its head.
  static std::uint32_t word(const Launch& launch, std::size_t argument);

 private:
  std::uint8_t* at(std::uint64_t address, std::size_t bytes);

  FakeBackend& owner_;
  std::vector<std::uint8_t> memory_;
  std::map<std::uint64_t, std::string> programs_;
  std::vector<std::pair<std::uint64_t, Launch>> submitted_;
  std::uint64_t now_ = 0, launches_ = 0, added_ = 0;
};

}  // namespace spica::opencl::test

// SPDX-License-Identifier: Apache-2.0
// The protocol between a program and the process of its machine: messages through a socket, one answer per request.
// Both sides have the same version of Spica and run on one host, so numbers are sent in host representation.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "platform/bindings/client/device.h"
#include "platform/bindings/client/spica.h"

namespace spica::client {

enum class Request : std::uint8_t {
  kCreate,  // configuration, overrides -> version of Spica
  kObserve,  // Observation
  kLoad,  // program
  kArguments,  // list
  kGrid,  // kernel, grid, block
  kStep,  // the members of Machine::Impl::Step
  kVariable,  // name -> Variable, text of its type
  kFill,  // name, Type, bytes of the variable
  kWrite,  // address, cluster, bytes
  kRead,  // address, cluster, count -> bytes
  kRun,  // -> Outcome
  kRunCycles,  // cycles -> whether it has not ended
  kTime,  // -> cycles, MHz
  kStatistic,  // name -> number
  kCounts,  // -> names and numbers
  kWarp,  // core, warp -> Warp
  kOutput,  // -> text
  kConfiguration,  // -> text
  // of a Device
  kStand,  // DeviceOptions -> DeviceFacts
  kAdd,  // program -> Program
  kRemove,  // number of the program
  kSymbol,  // number of the program, name -> address
  kProblems,  // Launch -> text
  kEnqueue,  // queue, Launch -> Ticket
  kEnqueueBarrier,  // queue, Tickets -> Ticket
  kRunUntil,  // Ticket -> whether it has completed
  kRunIdle,  // -> whether the device has not ended
  kTimes,  // Ticket -> LaunchTimes
  kFaults,  // number of the first -> Faults
  // without a machine
  kMma,  // silicon, operands, result, instruction, m, n, k, A, B, C, scales of A and B -> D
  kExplain,  // silicon, operands, result, instruction, k, row of A, column of B, C -> rule, evidence, steps
};

/// The first member of a message from the machine.
enum class Answer : std::uint8_t {
  kDone,  // the result of the request
  kError,  // text of an Error
  kInternalError,  // text of an InternalError
  kLine,  // a line of the program's output; the answer follows later
};

/// Appends values to a message.
class Writer {
 public:
  template <class T>
  std::enable_if_t<std::is_arithmetic_v<T> || std::is_enum_v<T>, Writer&> operator<<(T value) {
    return add(&value, sizeof value);
  }
  Writer& operator<<(const std::string& text) {
    *this << std::uint64_t{text.size()};
    return add(text.data(), text.size());
  }
  template <class T>
  Writer& operator<<(const std::vector<T>& values) {
    *this << std::uint64_t{values.size()};
    for (const T& value : values) *this << value;
    return *this;
  }
  template <class A, class B>
  Writer& operator<<(const std::pair<A, B>& both) {
    return *this << both.first << both.second;
  }

  /// Space for `bytes` bytes, without their count.
  char* room(std::uint64_t bytes) {
    bytes_.resize(bytes_.size() + bytes);
    return bytes_.data() + (bytes_.size() - bytes);
  }

  const std::string& bytes() const { return bytes_; }

 private:
  Writer& add(const void* data, std::size_t bytes) {
    bytes_.append(static_cast<const char*>(data), bytes);
    return *this;
  }
  std::string bytes_;
};

/// Extracts values from a message. Throws std::runtime_error if the message is too short.
class Reader {
 public:
  explicit Reader(std::string bytes) : bytes_(std::move(bytes)) {}

  template <class T>
  std::enable_if_t<std::is_arithmetic_v<T> || std::is_enum_v<T>, Reader&> operator>>(T& value) {
    std::memcpy(&value, raw(sizeof value), sizeof value);
    return *this;
  }
  Reader& operator>>(std::string& text) {
    const std::uint64_t size = get<std::uint64_t>();
    text.assign(raw(size), size);
    return *this;
  }
  template <class T>
  Reader& operator>>(std::vector<T>& values) {
    values.clear();
    for (std::uint64_t left = get<std::uint64_t>(); left != 0; --left) {
      values.emplace_back();
      *this >> values.back();
    }
    return *this;
  }
  template <class A, class B>
  Reader& operator>>(std::pair<A, B>& both) {
    return *this >> both.first >> both.second;
  }
  template <class T>
  T get() {
    T value{};
    *this >> value;
    return value;
  }

  const char* raw(std::uint64_t bytes) {
    if (bytes > bytes_.size() - at_) throw std::runtime_error("a message between the processes is too short");
    at_ += bytes;
    return bytes_.data() + (at_ - bytes);
  }
  std::uint64_t left() const { return bytes_.size() - at_; }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

inline Writer& operator<<(Writer& to, const Type& type) {
  return to << type.kind << type.bytes << type.shape;
}
inline Reader& operator>>(Reader& from, Type& type) { return from >> type.kind >> type.bytes >> type.shape; }

inline Writer& operator<<(Writer& to, const Variable& variable) {
  return to << variable.name << variable.address << variable.bytes << variable.type;
}
inline Reader& operator>>(Reader& from, Variable& variable) {
  return from >> variable.name >> variable.address >> variable.bytes >> variable.type;
}

inline Writer& operator<<(Writer& to, const Fault& fault) {
  return to << fault.severity << fault.what << fault.cycle << fault.core << fault.warp << fault.pc
            << fault.lanes << fault.address << fault.function << fault.file << fault.line << fault.text;
}
inline Reader& operator>>(Reader& from, Fault& fault) {
  return from >> fault.severity >> fault.what >> fault.cycle >> fault.core >> fault.warp >> fault.pc >>
         fault.lanes >> fault.address >> fault.function >> fault.file >> fault.line >> fault.text;
}

inline Writer& operator<<(Writer& to, const Outcome& outcome) {
  return to << outcome.end << outcome.exit_code << outcome.cycles << outcome.kernel_cycles << outcome.faults
            << outcome.report << outcome.documents;
}
inline Reader& operator>>(Reader& from, Outcome& outcome) {
  return from >> outcome.end >> outcome.exit_code >> outcome.cycles >> outcome.kernel_cycles >>
         outcome.faults >> outcome.report >> outcome.documents;
}

inline Writer& operator<<(Writer& to, const Observation& observation) {
  return to << observation.checks << observation.suppressions << observation.traces << observation.profile
            << observation.energy << observation.launches << observation.out << observation.report
            << observation.command_line << observation.debugged_launch;
}
inline Reader& operator>>(Reader& from, Observation& observation) {
  return from >> observation.checks >> observation.suppressions >> observation.traces >>
         observation.profile >> observation.energy >> observation.launches >> observation.out >>
         observation.report >> observation.command_line >> observation.debugged_launch;
}

inline Writer& operator<<(Writer& to, const Warp& warp) {
  return to << warp.pc << warp.lanes << warp.running << warp.lane_count << warp.integers << warp.floats;
}
inline Reader& operator>>(Reader& from, Warp& warp) {
  return from >> warp.pc >> warp.lanes >> warp.running >> warp.lane_count >> warp.integers >> warp.floats;
}

inline Writer& operator<<(Writer& to, const DeviceFacts& facts) {
  return to << facts.memory_begin << facts.memory_end << facts.queues << facts.clusters << facts.cores
            << facts.warps << facts.lanes << facts.shared_bytes << facts.barriers << facts.stack_bytes
            << facts.cache_bytes << facts.line_bytes << facts.mhz;
}
inline Reader& operator>>(Reader& from, DeviceFacts& facts) {
  return from >> facts.memory_begin >> facts.memory_end >> facts.queues >> facts.clusters >> facts.cores >>
         facts.warps >> facts.lanes >> facts.shared_bytes >> facts.barriers >> facts.stack_bytes >>
         facts.cache_bytes >> facts.line_bytes >> facts.mhz;
}

inline Writer& operator<<(Writer& to, const Kernel& kernel) {
  return to << kernel.id << kernel.name << kernel.threads << kernel.shared_bytes << kernel.registers
            << kernel.barriers;
}
inline Reader& operator>>(Reader& from, Kernel& kernel) {
  return from >> kernel.id >> kernel.name >> kernel.threads >> kernel.shared_bytes >> kernel.registers >>
         kernel.barriers;
}

inline Writer& operator<<(Writer& to, const AddressRange& range) { return to << range.begin << range.end; }
inline Reader& operator>>(Reader& from, AddressRange& range) { return from >> range.begin >> range.end; }

inline Writer& operator<<(Writer& to, const Program& program) {
  return to << program.id << program.ranges << program.kernels << program.warnings;
}
inline Reader& operator>>(Reader& from, Program& program) {
  return from >> program.id >> program.ranges >> program.kernels >> program.warnings;
}

inline Writer& operator<<(Writer& to, const Launch& launch) {
  return to << launch.kernel << launch.grid << launch.block << launch.shared_bytes << launch.arguments
            << launch.name << launch.in_order << launch.after;
}
inline Reader& operator>>(Reader& from, Launch& launch) {
  return from >> launch.kernel >> launch.grid >> launch.block >> launch.shared_bytes >> launch.arguments >>
         launch.name >> launch.in_order >> launch.after;
}

inline Writer& operator<<(Writer& to, const LaunchTimes& times) {
  return to << times.submitted << times.launched << times.begun << times.ended << times.completed;
}
inline Reader& operator>>(Reader& from, LaunchTimes& times) {
  return from >> times.submitted >> times.launched >> times.begun >> times.ended >> times.completed;
}

}  // namespace spica::client

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "models/protocol/payload/guest_fault.h"
#include "platform/machine/loader/program.h"

namespace spica::session {

/// Collects the faults, warnings and notes of a machine about its program, in order.
///
/// The first fault ends the run; later ones only follow from it. Each kind of warning or note is kept once per
/// instruction, and 1000 in all: a program that goes wrong in a loop has no end of them.
class FaultLog {
 public:
  /// `stop` is called at the first fault. The program must outlive the log.
  FaultLog(const loader::Program& program, std::function<void()> stop)
      : program_(program), stop_(std::move(stop)) {}

  void report(const protocol::GuestFault& fault);

  bool faulted() const { return faulted_; }
  const std::vector<protocol::GuestFault>& all() const { return faults_; }
  /// Number of warnings and notes beyond the limit.
  std::uint64_t unreported() const { return unreported_; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(faults_, unreported_, warned_, faulted_);
  }

 private:
  const loader::Program& program_;
  const std::function<void()> stop_;
  std::vector<protocol::GuestFault> faults_;
  std::uint64_t unreported_ = 0;
  std::set<std::pair<protocol::FaultKind, std::uint32_t>> warned_;  // kind and pc of each, or its kernel
  bool faulted_ = false;
};

}  // namespace spica::session

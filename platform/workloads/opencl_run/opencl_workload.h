// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "platform/workloads/workload.h"

namespace spica::workloads {

class OpenClResults;
struct HostEnd;

/// The options of `spica opencl`.
struct OpenClOptions {
  std::string config = "virgo", files, program, arguments;

  static constexpr std::string_view kFiles[] = {"config", "program"};
  static constexpr std::string_view kWork[] = {"program", "args"};
  static constexpr std::string_view kRequired[] = {"program"};

  template <class Self, class Visit>
  static void describe(Self& o, Visit&& field) {
    field("config", o.config, "configuration of the device, a file or a name");
    field("files", o.files,
          "files that the program reads, separated by spaces; a change re-runs points of sweeps");
    field("program", o.program, "host program, a file or a name in PATH");
    field("args", o.arguments, "its arguments, separated by spaces; quotes as in a shell");
  }
};

/// What `spica opencl` does apart from results.
struct OpenClOutputs {
  bool gdb = false;
  std::uint64_t launch = 1;

  static constexpr config::Link kNeeds[] = {{"launch", "gdb"}};

  template <class Self, class Visit>
  static void describe(Self& o, Visit&& field) {
    field("gdb", o.gdb, "wait for gdb at the launch of a kernel, the first one or --launch");
    field("launch", o.launch, "launch", base::Range{1, 999'999'999},
          "number of the launch for --gdb, from 1");
  }
};

/// A program that uses OpenCL. The system's loader finds the driver, which starts a machine for each context.
class OpenClWorkload final : public HostWorkload {
 public:
  explicit OpenClWorkload(Places places) : places_(std::move(places)) {}

  config::Field options() override;
  config::Field outputs() override;
  std::string machine() const override { return asked.config; }
  Dependencies depends_on(const std::function<soc::SocParams()>& machine) const override;

  int run(const job::JobOptions& job) override;

  OpenClOptions asked;
  OpenClOutputs shown;

 private:
  std::string device_text(const job::JobOptions& job, bool is_fast, const std::string& out) const;

  Places places_;
};

}  // namespace spica::workloads

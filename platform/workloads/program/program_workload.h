// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "platform/workloads/workload.h"

namespace spica::workloads {

/// What `spica run` can be asked for, and a sweep of a program.
struct ProgramOptions {
  std::string config, elf, arguments, kernel, grid, block, samples;

  static constexpr std::string_view kFiles[] = {"config", "elf"};
  static constexpr std::string_view kWork[] = {"args", "kernel", "grid"};
  static constexpr std::string_view kRequired[] = {"config", "elf"};

  template <class Self, class Visit>
  static void describe(Self& o, Visit&& field) {
    field("config", o.config, "configuration file, or name of one in configs/");
    field("elf", o.elf,
          "RISC-V program (rv32imaf, bare metal), a file or the name of a kernel that comes with Spica");
    field(
        "args", o.arguments,
        "argument block by the names of its members, n=1024,factor=2.5, or by types, u32:1024,u64:0xA0000000 or "
        "gemm:256x256x256");
    field(
        "kernel", o.kernel,
        "NAME of a kernel of the program (SPICA_KERNEL), to be run as a grid of work groups (default: the only one)");
    field("grid", o.grid, "X, XxY or XxYxZ: work groups of the kernel");
    field(
        "block", o.block,
        "X, XxY or XxYxZ: threads of a work group (default: as the kernel says); 256,4096: with bytes of shared memory "
        "for arrays without a length (extern __shared__)");
    field(
        "samples", o.samples,
        "ADDRESS+COUNT: numbers of 32 bits that the program leaves there, as many as it prints in a line \"samples: N\"; "
        "stats.json has their quantiles and histogram");
  }
};

/// Any bare-metal program.
class ProgramWorkload final : public Workload {
 public:
  explicit ProgramWorkload(Places places) : places_(std::move(places)) {}

  config::Field options() override;
  std::string machine() const override { return asked.config; }
  Dependencies depends_on(const std::function<soc::SocParams()>& machine) const override;

  void choose(job::JobOptions& job) override;
  Figures figures(job::Job& job, const job::JobOutcome& outcome) override;

  ProgramOptions asked;

 private:
  Places places_;
};

}  // namespace spica::workloads

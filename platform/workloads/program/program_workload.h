// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "platform/workloads/workload.h"

namespace spica::workloads {

/// The options of `spica run`, also for sweeps of a program.
struct ProgramOptions {
  std::string config, elf, arguments, kernel, grid, block, samples;
  std::uint64_t shared = 0;

  static constexpr std::string_view kFiles[] = {"config", "elf"};
  static constexpr std::string_view kWork[] = {"args", "kernel", "grid"};
  static constexpr std::string_view kRequired[] = {"config", "elf"};

  template <class Self, class Visit>
  static void describe(Self& o, Visit&& field) {
    field("config", o.config, "configuration file, or name of one in configs/");
    field("elf", o.elf, "RISC-V program (rv32imaf, bare metal), a file or the name of a shipped kernel");
    field("args", o.arguments,
          "argument block: n=1024,factor=2.5, or by types u32:1024,u64:0xA0000000,gemm:MxNxK");
    field("kernel", o.kernel,
          "kernel of the program (SPICA_KERNEL) to run as a grid (default: the only one)");
    field("grid", o.grid, "X, XxY or XxYxZ: work groups of the kernel");
    field("block", o.block,
          "X, XxY or XxYxZ threads of a work group, with ,BYTES for extern __shared__ arrays");
    field("shared", o.shared, "B", base::Range{0, 1 << 24},
          "shared memory of a work group, in addition to the kernel's own");
    field("samples", o.samples,
          "ADDRESS+COUNT of 32-bit numbers, for quantiles in stats.json (docs/reference/results.md)");
  }
};

/// Any bare-metal program.
class ProgramWorkload final : public MachineWorkload {
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

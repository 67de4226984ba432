// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/workloads/gemm/gemm_options.h"
#include "platform/workloads/gemm/gemm_products.h"
#include "platform/workloads/workload.h"

namespace spica::workloads {

/// Matrix products: C = A * B.
class GemmWorkload final : public MachineWorkload {
 public:
  explicit GemmWorkload(Places places) : places_(std::move(places)) {}

  config::Field options() override;
  config::Field outputs() override;
  std::string machine() const override;
  Dependencies depends_on(const std::function<soc::SocParams()>& machine) const override;
  void check_options() const override;

  void choose(job::JobOptions& job) override;
  void prepare(job::Job& job) override;
  void check(job::Job& job, const job::JobOutcome& outcome) override;
  Figures figures(job::Job& job, const job::JobOutcome& outcome) override;

  GemmOptions asked;

 private:
  GemmDesign design_for_options(const std::vector<std::string>& overrides,
                                std::vector<std::string>& of_format) const;
  void read_operands();
  std::uint64_t describe_work(const soc::SocParams& machine, Figures& figures) const;

  Places places_;
  GemmOutputs outputs_;
  GemmDesign design_;  // compiled for the given options
  ProductsRequest request_;
  std::optional<Products> products_;
  std::string window_;  // timed by the program
  // The result of check().
  std::optional<GemmCheck> found_;
  std::string wrong_matrix_ = "C";
  std::optional<FormatErrors> errors_;
};

}  // namespace spica::workloads

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/workloads/gemm/gemm_options.h"
#include "platform/workloads/workload.h"

namespace spica::workloads {

/// Matrix products: C = A * B.
class GemmWorkload final : public Workload {
 public:
  explicit GemmWorkload(Places places) : places_(std::move(places)) {}

  config::Field options() override;
  std::string machine() const override;
  Dependencies depends_on(const std::function<soc::SocParams()>& machine) const override;
  void check_options() const override;

  GemmOptions asked;

 private:
  Places places_;
};

}  // namespace spica::workloads

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/protocol/host_queues/packets.h"
#include "platform/base/json/value.h"
#include "platform/workloads/concurrent/additions.h"
#include "platform/workloads/concurrent/kernel_library.h"
#include "platform/workloads/concurrent/model_file.h"
#include "platform/workloads/concurrent/schedule.h"
#include "platform/workloads/gemm/gemm_products.h"
#include "platform/workloads/workload.h"

namespace spica::workloads {

/// The options of `spica concurrent`, also for sweeps.
struct ConcurrentOptions {
  std::string products;
  std::uint32_t available = 2;
  concurrent::Schedule schedule = concurrent::Schedule::kDefault;
  std::string kernel;
  std::string library = concurrent::KernelLibrary::kShipped, weights = concurrent::kShippedModel;
  std::uint32_t additions = 0, rounds = 1;
  std::uint64_t seed = 1;
  std::string config = "mgpu-8";

  static constexpr std::string_view kFiles[] = {"library", "weights", "config"};
  static constexpr std::string_view kWork[] = {"gemm", "available", "additions", "rounds"};
  static constexpr std::string_view kRequired[] = {"gemm"};
  static constexpr config::Link kNeeds[] = {{"weights", "schedule=goldyloc"}};

  template <class Self, class Visit>
  static void describe(Self& o, Visit&& field) {
    field("gemm", o.products, "products as M_N_K_T1T2, separated by commas; streams take them in turn");
    field("available", o.available, "products", base::Range{1, protocol::kMostQueues},
          "number of products that are ready at once, each in its own stream");
    field("schedule", o.schedule, concurrent::kSchedules,
          "policy that decides how products share the machine");
    field("kernel", o.kernel, "kernel of gemm_tile for all products, instead of a library");
    field("library", o.library, "kernels of the products: file of spica tune, or a name");
    field("weights", o.weights, "model for --schedule goldyloc: file of spica train, or a name");
    field("additions", o.additions, "additions", base::Range{0, protocol::kMostQueues},
          "number of concurrent element-wise additions of matrices like C, each in its own stream");
    field("rounds", o.rounds, "times", base::Range{1, 1000}, "number of products that each stream runs");
    field("seed", o.seed, "seed", base::Range{0, 1.9e19}, "seed of the random operands");
    field("config", o.config, "configuration of the machine");
  }
};

/// Matrix products that are available at the same time.
class ConcurrentWorkload final : public MachineWorkload {
 public:
  static constexpr const char* kDesign = "gemm-tile";

  explicit ConcurrentWorkload(Places places) : places_(std::move(places)) {}

  config::Field options() override;
  std::string machine() const override { return asked.config; }
  Dependencies depends_on(const std::function<soc::SocParams()>& machine) const override;

  void choose(job::JobOptions& job) override;
  void prepare(job::Job& job) override;
  void check(job::Job& job, const job::JobOutcome& outcome) override;
  Figures figures(job::Job& job, const job::JobOutcome& outcome) override;

  ConcurrentOptions asked;

 private:
  void name_products();
  GemmDesign design() const;
  std::vector<session::Stream> streams(const soc::SocParams& params) const;
  std::string products_text() const;
  void describe(const job::Job& job, json::Value& details) const;

  Places places_;
  std::vector<concurrent::ProductName> names_;  // name of each stream's product
  std::vector<concurrent::TunedProduct> tuned_;  // likewise
  std::optional<protocol::ConcurrencyModel> model_;
  GemmDesign design_;
  std::optional<Products> products_;
  std::optional<ElementwiseAdditions> additions_;
  // The result of check().
  std::optional<GemmCheck> found_;
  std::string wrong_matrix_ = "C";
  bool additions_correct_ = false;
};

}  // namespace spica::workloads

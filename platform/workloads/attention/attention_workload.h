// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/config/choices.h"
#include "platform/workloads/attention.h"
#include "platform/workloads/attention_check.h"
#include "platform/workloads/timed_region.h"
#include "platform/workloads/workload.h"

namespace spica::workloads {

/// The options of `spica attention`, also for sweeps.
struct AttentionOptions {
  std::string design = "virgo";
  Exponential exponential = Exponential::kExact;
  std::string format;
  AttentionSize size;
  double spread = 1;
  std::string region;  // a key of kRegions; empty: results, if the kernel supports it
  std::uint64_t seed = 1;
  std::string config;

  static constexpr std::string_view kFiles[] = {"design", "config"};
  static constexpr config::Link kEarlierNames[] = {{"format", "element"}};
  static constexpr std::string_view kWork[] = {"sequence", "queries", "heads", "causal", "head_dim"};

  template <class Self, class Visit>
  static void describe(Self& o, Visit&& field) {
    constexpr base::Range kCount{0, 4'294'967'295.};
    field("design", o.design, "name (spica config --kind attention-design --names) or file of a design");
    field("exponential", o.exponential, kExponentials,
          "exponential of the softmax: exact, or the polynomial 1 + x + x^2/2 of published kernels");
    const std::vector<std::string> formats = {"fp32", "fp16", "bf16", "fp8_e4m3", "fp8_e5m2"};
    field(
        "format", o.format, formats,
        "number format of Q, K and V; the same numbers are rounded to each format (default: that of the design)");
    field("sequence", o.size.sequence, "queries", kCount, "number of queries and keys, a multiple of 128");
    field("queries", o.size.queries, "queries", kCount,
          "number of queries to process, a multiple of 128; 0: all");
    field("heads", o.size.heads, "heads", kCount,
          "number of heads to run back to back, each with its own Q, K and V");
    field("causal", o.size.causal,
          "causal mask: a query sees keys up to its own number; needs the exact exponential");
    field("head_dim", o.size.head_dim, "elements", kCount, "elements of a query: 64");
    field("spread", o.spread, "", base::Range{0, 1000},
          "range of Q: uniform in [-spread, spread); larger values make the weights less even");
    field("region", o.region, config::names_of(kRegions), kRegionText);
    field("seed", o.seed, "seed", base::Range{0, 1.9e19}, "seed of the random operands");
    field("config", o.config, "configuration to use instead of the design's own");
  }
};

/// Flash attention forward: O = softmax(Q K^T / sqrt(d)) V.
class AttentionWorkload final : public MachineWorkload {
 public:
  explicit AttentionWorkload(Places places) : places_(std::move(places)) {}

  config::Field options() override;
  std::string machine() const override;
  Dependencies depends_on(const std::function<soc::SocParams()>& machine) const override;
  void check_options() const override;

  void choose(job::JobOptions& job) override;
  void prepare(job::Job& job) override;
  void check(job::Job& job, const job::JobOutcome& outcome) override;
  Figures figures(job::Job& job, const job::JobOutcome& outcome) override;

  AttentionOptions asked;

 private:
  void describe_check(const AttentionCheck& check, Figures& figures) const;

  Places places_;
  AttentionDesign design_;  // for the requested element
  bool is_rounded_ = false;  // the requested element is not the design's own
  std::string window_;  // timed by the program
  std::vector<AttentionOperands> heads_,
      reals_;  // operands of each head; and the same before rounding, if rounded
  // The result of check().
  std::optional<AttentionCheck> found_;
  std::string wrong_matrix_ = "O";
};

}  // namespace spica::workloads

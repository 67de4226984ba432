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

/// What `spica attention` can be asked for, and a sweep.
struct AttentionOptions {
  std::string design = "virgo";
  Exponential exponential = Exponential::kExact;
  std::string element;
  AttentionSize size;
  double spread = 1;
  std::string region;  // of kRegions; empty: results, where the kernel has that
  std::uint64_t seed = 1;
  std::string config;

  static constexpr std::string_view kFiles[] = {"design", "config"};
  static constexpr std::string_view kWork[] = {"sequence", "queries", "heads", "causal", "head_dim"};

  template <class Self, class Visit>
  static void describe(Self& o, Visit&& field) {
    constexpr base::Range kCount{0, 4'294'967'295.};
    field(
        "design", o.design,
        "virgo: matrix unit; tc: tensor cores, both as published; NAME-overlapped: better programs (spica config --kind "
        "attention-design --names); or a design file");
    field("exponential", o.exponential, kExponentials,
          "exponential of the softmax: exact, or the polynomial 1 + x + x^2/2 of the published kernels");
    field(
        "element", o.element, std::vector<std::string>{"fp32", "fp16", "bf16", "fp8_e4m3", "fp8_e5m2"},
        "elements of Q, K and V: fp32; fp16, for which a design names another; bf16 and fp8, with that design compiled for "
        "them (default: that of the design). Operands are the same for all, rounded to it, and the result has max_error and "
        "rms_error against theirs before");
    field("sequence", o.size.sequence, "queries", kCount, "number of queries and keys, a multiple of 128");
    field("queries", o.size.queries, "queries", kCount,
          "treat only these first queries, a multiple of 128; 0: all. A published program treats 128");
    field("heads", o.size.heads, "heads", kCount,
          "heads of this size in one run, one after the other, each with Q, K and V of its own");
    field("causal", o.size.causal,
          "a query sees the keys up to its own number only; needs the exact exponential");
    field("head_dim", o.size.head_dim, "elements", kCount, "of a query: 64");
    field("spread", o.spread, "", base::Range{0, 1000},
          "Q is uniform in [-spread, spread): the larger the spread, the less even the weights");
    field("region", o.region, config::names_of(kRegions), kRegionText);
    field("seed", o.seed, "seed", base::Range{0, 1.9e19}, "of the operands");
    field("config", o.config, "configuration to use instead of the design's own");
  }
};

/// Flash attention forward: O = softmax(Q K^T / sqrt(d)) V.
class AttentionWorkload final : public Workload {
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
  AttentionDesign design_;  // for the element that was asked for
  bool is_rounded_ = false;  // to another element than the design's own
  std::string window_;  // that the program times
  std::vector<AttentionOperands> heads_, reals_;  // of each; and before they were rounded, or none
  // What check() found.
  std::optional<AttentionCheck> found_;
  std::string wrong_matrix_ = "O";
};

}  // namespace spica::workloads

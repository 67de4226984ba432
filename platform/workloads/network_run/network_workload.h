// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/params.h"
#include "platform/base/json/value.h"
#include "platform/workloads/network/lower.h"
#include "platform/workloads/network/operators.h"
#include "platform/workloads/network_run/network_check.h"
#include "platform/workloads/network_run/network_map.h"
#include "platform/workloads/network_run/section_runs.h"
#include "platform/workloads/workload.h"

namespace spica::network {
class KernelCatalogue;
class NetworkJob;
class NetworkReport;
struct KernelPlan;
}  // namespace spica::network

namespace spica::workloads {

/// Which of several equal blocks run.
enum class BlockChoice : std::uint8_t { kAll, kOnce };
inline constexpr base::Choices kBlockChoices{base::Choice<BlockChoice>{"all", BlockChoice::kAll},
                                             base::Choice<BlockChoice>{"once", BlockChoice::kOnce}};

/// The options of `spica network`.
struct NetworkOptions {
  std::string model, config = "virgo", inputs, expected, map;
  std::vector<std::string> shape, symbol;
  network::ElementType format = network::ElementType::kFp32;
  BlockChoice blocks = BlockChoice::kAll;
  double tolerance = 0;
  std::uint64_t seed = 1;

  static constexpr std::string_view kFiles[] = {"model", "inputs", "expected", "map", "config"};
  static constexpr std::string_view kWork[] = {"model", "shape", "symbol"};
  static constexpr std::string_view kRequired[] = {"model"};

  template <class Self, class Visit>
  static void describe(Self& o, Visit&& field) {
    field("model", o.model, "network, an ONNX file (docs/howto/networks.md)");
    field("format", o.format, network::kFormats,
          "format in memory of tensors that are FP32 in the file; all arithmetic is FP32");
    field("map", o.map, "kernels and formats by operator or node, a YAML file (config --kind network-map)");
    field.list("shape", o.shape,
               "INPUT=EXTENTS: extents of an input, ids=1x128; several: repeated, or separated by commas");
    field.list(
        "symbol", o.symbol,
        "NAME=N: extent that the model has as a symbol, batch=1; several: repeated, or separated by commas");
    field("inputs", o.inputs, "inputs by name, a file of numpy.savez; others are random");
    field("expected", o.expected, "expected outputs by name, a file of numpy.savez");
    field(
        "blocks", o.blocks, kBlockChoices,
        "equal blocks, such as the layers of a transformer: all run, or the first two, whose times later ones take "
        "(once)");
    field(
        "tolerance", o.tolerance, "", base::Range{0, 1e30},
        "allowed error of outputs, in units of 1 + abs(y); 0: for fp32 2e-5 + 1e-4 abs(y), else errors are only "
        "reported");
    field("seed", o.seed, "seed", base::Range{0, 1.9e19}, "seed of random inputs");
    field("config", o.config, "configuration of the machine");
  }
};

/// What `spica network` shows and writes, apart from results.
struct NetworkOutputs {
  bool list = false;
  std::string outputs;

  static constexpr std::string_view kFiles[] = {"outputs"};

  template <class Self, class Visit>
  static void describe(Self& o, Visit&& field) {
    field("list", o.list, "print what becomes of each node, and run nothing");
    field("outputs", o.outputs, "write the outputs of the network to a file, as numpy.savez does");
  }
};

/// A neural network, operator by operator, on one machine.
class NetworkWorkload final : public MachineWorkload {
 public:
  explicit NetworkWorkload(Places places);
  ~NetworkWorkload() override;

  config::Field options() override;
  config::Field outputs() override;
  std::string machine() const override { return asked.config; }
  Dependencies depends_on(const std::function<soc::SocParams()>& machine) const override;
  std::optional<std::string> listing() override;

  void choose(job::JobOptions& job) override;
  void prepare(job::Job& job) override;
  void check(job::Job& job, const job::JobOutcome& outcome) override;
  Figures figures(job::Job& job, const job::JobOutcome& outcome) override;

  NetworkOptions asked;
  NetworkOutputs shown;

 private:
  struct Output {
    std::string name, with;  // compared with: "reference", the file of --expected
    network::Difference difference;
    bool decides = true;  // false: only reported
  };

  /// `check`: of what can be read, if not all can.
  const network::Network& network(const network::CheckOperators& check = {});
  network::KernelPlan kernels();
  std::string work_digest() const;
  void run_sections(const job::JobOptions& job, const soc::SocParams& machine);
  void check_expected();
  void compare_outputs();
  void write_outputs() const;
  void write_report(job::Job& job, const network::NetworkReport& report, const json::Value& details) const;
  void compare_output(const network::Port& port, const std::vector<double>& wanted, const std::string& with);

  Places places_;
  std::optional<network::Network> network_;
  std::vector<network::KernelChoice> choices_;  // by operator
  std::unique_ptr<network::KernelCatalogue> kernels_;
  std::map<std::size_t, network::Constant> inputs_;
  network::Blocks blocks_;
  network::SectionResults sections_;  // all up to the last block; of --blocks once
  std::unique_ptr<network::NetworkJob> job_;
  bool is_checked_ = false;
  std::vector<Output> outputs_;
};

}  // namespace spica::workloads

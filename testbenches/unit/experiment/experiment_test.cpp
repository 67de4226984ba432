// SPDX-License-Identifier: Apache-2.0
// Sweeps as tables: what their cells are called, and beside which of them something published stands.
#include "platform/studies/experiment/experiment.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "platform/base/input/user_error.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/temporary_folder.h"

using namespace spica;
using Catch::Contains;

namespace {

const std::filesystem::path kShipped = std::filesystem::path(SPICA_SOURCE_DIR) / "configs";

/// A sweep file of a user, as a table.
class Table {
 public:
  explicit Table(const std::string& text, const std::string& own_design = {},
                 const std::vector<std::string>& overrides = {}) {
    if (!own_design.empty()) std::ofstream(folder_.path("mine.yaml")) << own_design;
    std::ofstream(folder_.path("table.yaml")) << text;
    open(folder_.path("table.yaml"), overrides);
  }
  const experiment::Experiment& operator*() const { return *experiment_; }
  const experiment::Experiment* operator->() const { return experiment_.get(); }
  std::string names() const {
    std::string names;
    for (const experiment::Cell& cell : experiment_->cells()) names += cell.name + " ";
    return names;
  }
  const experiment::Cell& cell(std::size_t number) const { return experiment_->cells().at(number); }

 private:
  void open(const std::string& file, const std::vector<std::string>& overrides) {
    const sweep::OpenSweep::Chosen all;
    open_ =
        std::make_unique<sweep::OpenSweep>(file, "", workloads::Places{kShipped, {}, {}}, &all, overrides);
    experiment_ = std::make_unique<experiment::Experiment>(open_->plan(), open_->keys(), kShipped);
  }

  testbench::TemporaryFolder folder_;
  std::unique_ptr<sweep::OpenSweep> open_;
  std::unique_ptr<experiment::Experiment> experiment_;
};

}  // namespace

TEST_CASE("the sweeps that come with the platform are good, in their order") {
  std::string names;
  for (const config::Entry& entry : config::entries(kShipped, sweep::kSweeps)) {
    names += entry.name + " ";
    CHECK(sweep::read_sweep(entry.name, kShipped).title == entry.title);
  }
  CHECK(
      names ==
      "virgo-cycles fp16-cycles virgo-energy energy-sensitivity formats formats-blocks formats-sm formats-weights fused dual-unit tensor-warps "
      "tensor-generations tensor-latency mma-offload inter-warp-multicast concurrent-gemm "
      "concurrent-gemm-pairs concurrent-gemm-batched concurrent-gemm-elementwise concurrent-gemm-machines reconvergence gpu-stream gpu-gemm gpu-memory network memory-bandwidth "
      "shared-memory-banks warps array-size attention-styles attention-formats ");
}

TEST_CASE("each design computes all sizes, one design after the other") {
  const Table table("axes: {design: [tc, simt], size: [64x64x64, 128x64x64]}\n");
  CHECK(table.names() == "tc-64x64x64 tc-128x64x64 simt-64x64x64 simt-128x64x64 ");
  CHECK(table.cell(1).design == "tc");
  CHECK(table.cell(1).size == "128x64x64");
  CHECK(table.cell(1).columns.empty());
  CHECK_FALSE(table->measures_energy());
}

TEST_CASE("axes that say neither design nor size are columns, and points that do not exist no cells") {
  const Table table(
      "axes: {design: [tc, simt], warps: {key: cluster.core.warps, values: [4, 8]}}\n"
      "fixed: {size: 64x64x64}\nonly: design == \"tc\" or cluster.core.warps > 4\n");
  CHECK(table.names() == "tc-4 tc-8 simt-8 ");
  CHECK(table.cell(2).size == "64x64x64");
  CHECK(table.cell(2).columns.dump() == R"({"warps":8})");
}

TEST_CASE("the layers of a network are columns with their sizes") {
  const Table table("axes: {design: [tc], layer: {layers: bert-large, most_rows: 64}}\n");
  CHECK_THAT(table.cell(0).size, Contains("64x"));
  CHECK(table.cell(0).columns.contains("layer"));
}

TEST_CASE("a design file of one's own stands beside the sweep, and goes by its name") {
  const Table table(
      "axes: {design: [mine.yaml, virgo-dma], size: [64x64x64]}\nfixed: {energy: true}\n"
      "comparisons: [{design: mine.yaml, base: virgo-dma}]\n",
      "extends: designs/virgo-dma\npublished: [{size: 64, cycles: 5, source: me}]\n");
  CHECK(table.names() == "mine-64x64x64 virgo-dma-64x64x64 ");
  CHECK(table->comparisons().at(0).design == "mine");
  CHECK(table->comparisons().at(0).base == "virgo-dma");
  CHECK(table->published(table.cell(0))->cycles == 5);
  CHECK(table->published(table.cell(0))->source == "me");
  CHECK_FALSE(table->published(table.cell(1)));
}

TEST_CASE("published values belong to the machine of the design") {
  const Table table("axes: {design: [virgo-dma], size: [256x256x256, '256', 512x512x512]}\n");
  CHECK(table->published(table.cell(0))->cycles == 310'000);
  CHECK(table->published(table.cell(1))->cycles == 310'000);
  CHECK_FALSE(table->published(table.cell(2)));
  const Table same("axes: {design: [virgo-dma], size: [256x256x256]}\n", {},
                   {"cluster.cores=4", "run.max_cycles=5"});
  CHECK(same->published(same.cell(0)));
  CHECK(same->unpublished_keys().empty());
  const Table other("axes: {design: [virgo-dma], size: [256x256x256]}\nlimits: {cycles: 9}\n", {},
                    {"cluster.cores=2", "run.max_cycles=5"});
  CHECK_FALSE(other->published(other.cell(0)));
  CHECK(other->unpublished_keys() == std::vector<std::string>{"cluster.cores"});
  CHECK(other->sweep().fixed_value("run.max_cycles") == "5");
}

TEST_CASE("what is set for all cells is not what an axis sets") {
  const std::string text = "axes: {design: [tc], warps: {key: cluster.core.warps, values: [4, 8]}}\n";
  CHECK_THROWS_WITH(Table(text, {}, {"cluster.core.warps=2"}), Contains("the axis warps sets it"));
  CHECK_THROWS_WITH(Table(text, {}, {"cluster.core.warps"}), Contains("KEY=VALUE is expected"));
}

TEST_CASE("of points on several machines those on the published one have what is published") {
  const Table table(
      "axes: {design: [virgo-dma], cores: {key: cluster.cores, values: [2, 4]}}\nfixed: {size: 256x256x256}\n");
  CHECK_FALSE(table->published(table.cell(0)));
  CHECK(table->published(table.cell(1))->cycles == 310'000);
  const Table other("config: virgo-dual\naxes: {design: [virgo-dma], size: [256x256x256]}\n");
  CHECK_FALSE(other->published(other.cell(0)));
}

TEST_CASE("programs are called by their machine, and have a column for each axis") {
  const Table table(
      "job: run\nelf: hello\naxes:\n"
      "  style: {key: config, values: [volta-sm, turing-sm], labels: [volta, turing]}\n"
      "  sums: {argument: [0, 1], labels: [fp32, fp16]}\n"
      "  fast: {argument: [0, 1], labels: ['false', 'true']}\n"
      "  warps: {argument: [4, 16]}\n");
  REQUIRE(table->cells().size() == 16);
  const experiment::Cell& cell = table.cell(7);
  CHECK(cell.design == "volta-sm");
  CHECK(cell.size == "fp16-true-16");
  CHECK(cell.name == "volta-fp16-true-16");
  CHECK(cell.columns.dump() == R"({"style":"volta","sums":"fp16","fast":true,"warps":16})");
  CHECK(table->runs_programs());
  CHECK_FALSE(table->published(cell));
}

TEST_CASE("a table has one run of each point") {
  CHECK_THROWS_WITH(Table("axes: {design: [tc], size: ['64']}\nrepeats: {seeds: 3}\n"),
                    Contains("spica sweep run runs them all"));
}

// SPDX-License-Identifier: Apache-2.0
// Experiment files: what they mean, and the exact sentence for each mistake.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "platform/experiment/experiment.h"
#include "testbenches/support/temporary_folder.h"

using namespace spica;
using Catch::Matchers::Contains;

namespace {

const std::filesystem::path kShipped = std::filesystem::path(SPICA_SOURCE_DIR) / "configs";

/// A folder of a user.
class Desk {
 public:
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path(name)) << text;
    return folder_.path(name);
  }
  experiment::Experiment read(const std::string& text) const {
    return experiment::read_experiment(write("table.yaml", text), kShipped);
  }
  /// All problems, with the files called by their names.
  std::string problems(const std::string& text) const {
    try {
      read(text);
    } catch (const config::ConfigError& error) {
      return folder_.without_folder(error.what());
    }
    return {};
  }

 private:
  testbench::TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("the experiments that come with the platform are good, in their order") {
  std::string names;
  for (const config::Entry& entry : config::entries(kShipped, experiment::kExperiments)) {
    names += entry.name + " ";
    CHECK(experiment::read_experiment(entry.name, kShipped).title == entry.title);
  }
  CHECK(
      names ==
      "virgo-cycles fp16-cycles virgo-energy energy-sensitivity fused dual-unit tensor-warps tensor-generations tensor-latency ");
}

TEST_CASE("each design computes all sizes, one design after the other") {
  Desk desk;
  const auto table = desk.read("title: t\ndesigns: [tc, simt]\nsizes: [64x64x64, 128x64x64]\n");
  std::string cells;
  for (const experiment::Cell& cell : table.cells()) cells += cell.design + "-" + cell.size + " ";
  CHECK(cells == "tc-64x64x64 tc-128x64x64 simt-64x64x64 simt-128x64x64 ");
  CHECK(table.name == "table");
  CHECK_FALSE(table.energy);
}

TEST_CASE("a design file of one's own stands beside the experiment") {
  Desk desk;
  const std::string own = desk.write("mine.yaml",
                                     "extends: designs/virgo-dma\n"
                                     "published: [{size: 64, cycles: 5, source: me}]\n");
  const auto table = desk.read("title: t\ndesigns: [mine.yaml, virgo-dma]\nsizes: [64x64x64]\n");
  CHECK(table.cells()[0].design == "mine");
  CHECK(table.design("mine").given == own);
  CHECK(experiment::published(table, table.cells()[0])->cycles == 5);
  CHECK(experiment::published(table, table.cells()[0])->source == "me");
  CHECK_FALSE(experiment::published(table, table.cells()[1]));
}

TEST_CASE("published values belong to the machine of the design") {
  const auto table = experiment::read_experiment("virgo-cycles", kShipped);
  CHECK(experiment::published(table, {"virgo-dma", "256x256x256"})->cycles == 310'000);
  CHECK(experiment::published(table, {"virgo-dma", "256"})->cycles == 310'000);
  CHECK_FALSE(experiment::published(table, {"virgo-dma", "512x512x512"}));
  CHECK(experiment::unpublished_keys(table, {"cluster.cores=4", "run.max_cycles=5"}, kShipped).empty());
  CHECK(experiment::unpublished_keys(table, {"cluster.cores=2"}, kShipped) ==
        std::vector<std::string>{"cluster.cores"});
}

TEST_CASE("what is wrong with an experiment is said at once, with what it names") {
  Desk desk;
  CHECK(desk.problems("titel: t\n") ==
        "table.yaml: designs: an experiment needs a design, or a program; designs (default)\n"
        "table.yaml: sizes: an experiment needs a size; sizes (default)\n"
        "table.yaml:1: titel: unknown key, did you mean \"title\"?; "
        "allowed: title, order, designs, sizes, energy, comparisons, sensitivity, program, axes, samples\n"
        "table.yaml:1: title: is missing; allowed: any text");
  CHECK(desk.problems("title: t\ndesigns: [tc]\nsizes: [50x, 64x64x64, 64x64x64]\n") ==
        "table.yaml:3: sizes[0]: size '50x' is not MxNxK, for example 256x256x256, or one number for a cube\n"
        "table.yaml:3: sizes[2]: given twice; sizes[2] = 64x64x64 (table.yaml:3)");
  CHECK_THAT(
      desk.problems("title: t\ndesigns: [tc, tv]\nsizes: [64]\n"),
      Contains("table.yaml:2: designs[1]: tv: no such design, did you mean \"tc\"?; allowed: ampere-fp16, "));
  CHECK(desk.problems("title: t\ndesigns: [tc, tc]\nsizes: [64]\n") ==
        "table.yaml:2: designs[1]: tc is given twice");
  CHECK(desk.problems("title: t\ndesigns: []\nsizes: []\n") ==
        "table.yaml:2: designs: an experiment needs a design, or a program; designs (table.yaml:2)\n"
        "table.yaml:3: sizes: an experiment needs a size; sizes (table.yaml:3)");
  CHECK(desk.problems("title: t\ndesigns: [tc]\nsizes: ['']\n") == "table.yaml:3: sizes[0]: a size is MxNxK");
}

TEST_CASE("problems of a design stand at their place in the design's file") {
  Desk desk;
  desk.write("mine.yaml", "extends: designs/tc\ntile: {m: 0}\n");
  CHECK(desk.problems("title: t\ndesigns: [mine.yaml]\nsizes: [64]\n") ==
        "mine.yaml:2: tile.m: 0 is out of range; allowed: 1..9999999");
}

TEST_CASE("comparisons name two designs of an experiment with energy") {
  Desk desk;
  const std::string table = "title: t\ndesigns: [tc, simt]\nsizes: [64]\n";
  CHECK(desk.problems(table + "energy: true\ncomparisons: [{design: tc, base: simt}]\n").empty());
  CHECK(desk.problems(table + "energy: true\ncomparisons: [{design: tc}, {design: virgo, base: simt}]\n") ==
        "table.yaml:5: comparisons[0].base: is missing; allowed: any text\n"
        "table.yaml:5: comparisons[1].design: \"virgo\" is no design of this experiment; allowed: simt, tc");
  CHECK(desk.problems(table + "comparisons: [{design: tc, base: simt}]\n") ==
        "table.yaml: energy: comparisons are of energy; energy = false (default)");
  CHECK(desk.problems(table + "energy: true\nsensitivity: true\n") ==
        "table.yaml:5: sensitivity: it is that of comparisons, and there are none; sensitivity = true "
        "(table.yaml:5)");
}

TEST_CASE(
    "a program runs once for each combination of the values of its axes, the last one changing fastest") {
  Desk desk;
  const auto table = desk.read(
      "title: t\nprogram: hello\naxes:\n"
      "  - {name: style, values: [volta, turing], config: '{}-sm'}\n"
      "  - {name: sums, values: [fp32, fp16], argument: place}\n"
      "  - {name: warps, values: [4, 0x10], argument: number}\n");
  REQUIRE(table.program_cells.size() == 8);
  const experiment::ProgramCell& cell = table.program_cells[3];
  CHECK(cell.config == "volta-sm");
  CHECK(cell.arguments == "u32:1,u32:0x10");
  CHECK(cell.name == "fp16-0x10");
  CHECK(cell.values == std::vector<std::string>{"volta", "fp16", "0x10"});
  CHECK(table.program_cells[4].config == "turing-sm");
  CHECK(table.cells()[4].design == "turing-sm");
  CHECK(table.cells()[4].size == "fp32-4");
}

TEST_CASE("mistakes in an experiment with a program are told with their place") {
  Desk desk;
  CHECK_THAT(desk.problems("title: t\n"), Contains("an experiment needs a design, or a program"));
  CHECK_THAT(desk.problems("title: t\nprogram: hello\n"),
             Contains("one of the axes must say the configuration"));
  CHECK_THAT(
      desk.problems(
          "title: t\nprogram: hello\ndesigns: [tc]\naxes: [{name: a, values: [virgo], config: '{}'}]\n"),
      Contains("with a program there are no designs, sizes or energy"));
  CHECK_THAT(desk.problems("title: t\ndesigns: [tc]\nsizes: [64x64x64]\naxes: [{name: a, values: [b]}]\n"),
             Contains("they are of a program, and there is none"));
  const std::string axes = desk.problems(
      "title: t\nprogram: hello\naxes:\n  - {name: m, values: [virgo, virgo], config: '{}'}\n"
      "  - {name: n, values: [x], argument: number}\n  - {name: o, values: []}\n");
  CHECK_THAT(axes, Contains("table.yaml:4") && Contains("axes[0].values[1]") && Contains("given twice"));
  CHECK_THAT(axes,
             Contains("axes[1].values[0]") && Contains("the program gets it as a number, and it is none"));
  CHECK_THAT(axes, Contains("an axis needs a value"));
}

TEST_CASE(
    "samples that a program leaves become quantiles, and a histogram of eight steps to a power of two") {
  const testbench::TemporaryFolder folder;
  const std::vector<std::uint32_t> numbers{5, 1, 100, 17, 16, 1, 3, 127, 2, 96, 0xFFFFFFFF};
  std::ofstream(folder.path("samples.bin"), std::ios::binary)
      .write(reinterpret_cast<const char*>(numbers.data()), static_cast<std::streamsize>(4 * numbers.size()));
  auto columns = json::Value::object();
  experiment::add_samples(folder.path("samples.bin"), 10, columns);  // the last one is not a sample
  CHECK(columns["min"] == 1);
  CHECK(columns["median"] == 5);
  CHECK(columns["p90"] == 100);
  CHECK(columns["max"] == 127);
  CHECK(columns["histogram"].dump() == "[[1,2],[2,1],[3,1],[5,1],[16,2],[96,2],[120,1]]");
}

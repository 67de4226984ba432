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
  CHECK(names == "virgo-cycles fp16-cycles virgo-energy energy-sensitivity fused dual-unit ");
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
        "table.yaml:1: designs: is missing; allowed: a list, each entry any text\n"
        "table.yaml:1: sizes: is missing; allowed: a list, each entry any text\n"
        "table.yaml:1: titel: unknown key, did you mean \"title\"?; "
        "allowed: title, order, designs, sizes, energy, comparisons, sensitivity\n"
        "table.yaml:1: title: is missing; allowed: any text");
  CHECK(
      desk.problems("title: t\ndesigns: [tc]\nsizes: [50, 64x64x64, 64x64x64]\n") ==
      "table.yaml:3: sizes[0]: size 50x50x50: M, N and K must be multiples of the tile 64x64x64 of design tc\n"
      "table.yaml:3: sizes[2]: given twice; sizes[2] = 64x64x64 (table.yaml:3)");
  CHECK_THAT(
      desk.problems("title: t\ndesigns: [tc, tv]\nsizes: [64]\n"),
      Contains(
          "table.yaml:2: designs[1]: tv: no such design, did you mean \"tc\"?; allowed: dual-parallel, "));
  CHECK(desk.problems("title: t\ndesigns: [tc, tc]\nsizes: [64]\n") ==
        "table.yaml:2: designs[1]: tc is given twice");
  CHECK(desk.problems("title: t\ndesigns: []\nsizes: []\n") ==
        "table.yaml:2: designs: an experiment needs a design; designs (table.yaml:2)\n"
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

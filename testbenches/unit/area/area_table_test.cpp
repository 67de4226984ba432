// SPDX-License-Identifier: Apache-2.0
// What a user reads who writes an area table, and how areas of other technologies follow from it.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "platform/base/config/problem.h"
#include "platform/observe/area/table_file.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/temporary_folder.h"

using namespace spica;
using base::Structure;
namespace fs = std::filesystem;

namespace {

const fs::path kConfigs = fs::path(SPICA_SOURCE_DIR) / "configs";

power::AreaTable table_of(const std::string& text) {
  const testbench::TemporaryFolder folder;
  std::ofstream(folder.path("mine.yaml")) << text;
  return area::read_table(folder.path("mine.yaml"), kConfigs);
}

std::string complaint(const std::string& text) {
  try {
    table_of(text);
  } catch (const config::ConfigError& error) {
    return error.what();
  }
  return "";
}

const std::string kExtends = "extends: first-order-16nm\n";

}  // namespace

TEST_CASE("the area table that comes along has an entry and a source for every structure") {
  const power::AreaTable table = area::read_table("first-order-16nm", kConfigs);
  for (std::size_t i = 0; i < base::kStructures.size(); ++i) {
    const power::StructureArea& entry = table.structure(static_cast<Structure>(i));
    INFO(base::kStructures[i].name);
    CHECK(entry.low > 0);
    CHECK(entry.low < entry.nominal);
    CHECK(entry.nominal < entry.high);
    CHECK(entry.source.size() > 20);
  }
}

TEST_CASE("a structure without an entry, an entry without a structure and values out of order are refused") {
  const std::string missing = complaint("structures: {alu: {low: 1, nominal: 2, high: 3}}\n");
  CHECK_THAT(missing,
             Catch::Contains("structures.sram_bit.low") && Catch::Contains("bit of a memory with one port"));
  CHECK_THAT(missing, !Catch::Contains("structures.alu"));
  CHECK_THAT(complaint(kExtends + "structures: {sram_bits: {low: 1}}\n"), Catch::Contains("sram_bit"));
  CHECK_THAT(complaint(kExtends + "structures: {alu: {low: 300}}\n"),
             Catch::Contains("low <= nominal <= high does not hold"));
  CHECK(complaint(kExtends + "structures: {alu: {low: 200}}\n").empty());
  CHECK_THAT(complaint(kExtends + "scaling: [{technology_nm: 16, area: 1}, {technology_nm: 45, area: 5}]\n"),
             Catch::Contains("technologies and areas must decrease"));
}

TEST_CASE("a table of one's own changes one entry and leaves the others") {
  const power::AreaTable theirs = area::read_table("first-order-16nm", kConfigs),
                         mine = table_of(kExtends + "structures: {sram_bit: {nominal: 0.2}}\n");
  CHECK(mine.square_micrometres(Structure::kSramBit, 16).nominal == 0.2);
  CHECK(mine.square_micrometres(Structure::kFlopBit, 16).nominal ==
        theirs.square_micrometres(Structure::kFlopBit, 16).nominal);
}

TEST_CASE("areas follow the published ratios of technologies, and the square of the length beyond them") {
  const power::AreaTable table = area::read_table("first-order-16nm", kConfigs);
  CHECK(table.scale_to(16) == Approx(1));
  CHECK(table.scale_to(45) == Approx(5.3));
  CHECK(table.scale_to(7) == Approx(0.31));
  // Halfway between 20 and 32 nm on a scale of logarithms: the geometric mean.
  CHECK(table.scale_to(std::sqrt(20.0 * 32)) == Approx(std::sqrt(1.1 * 2.4)));
  CHECK(table.scale_to(180) == Approx(34.0 * (180.0 / 130) * (180.0 / 130)));
  CHECK(table.scale_to(3.5) == Approx(0.31 / 4));
  CHECK(table.square_micrometres(Structure::kMacFp32, 45).high ==
        Approx(5.3 * table.structure(Structure::kMacFp32).high));
}

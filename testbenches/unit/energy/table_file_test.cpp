// SPDX-License-Identifier: Apache-2.0
// What a user reads who writes an energy table.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

#include "platform/base/config/problem.h"
#include "platform/machine/soc/build_machine.h"
#include "platform/observe/energy/table_file.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/temporary_folder.h"

namespace spica::testbench {
/// Blocks register their types in programs that can build a machine.
extern decltype(&soc::build_machine) builder;
decltype(&soc::build_machine) builder = &soc::build_machine;
}  // namespace spica::testbench

using namespace spica;
namespace fs = std::filesystem;

namespace {

const fs::path kConfigs = fs::path(SPICA_SOURCE_DIR) / "configs";

/// A folder with a table in it, gone afterwards.
class TableFile {
 public:
  explicit TableFile(const std::string& text) { std::ofstream(path()) << text; }
  std::string path() const { return folder_.path("mine.yaml"); }

 private:
  testbench::TemporaryFolder folder_;
};

std::string nominal_table() {
  std::stringstream text;
  text << std::ifstream(kConfigs / "power" / "virgo-16nm.yaml").rdbuf();
  return text.str();
}

std::string without_line(std::string text, const std::string& start) {
  const std::size_t at = text.find("\n    " + start);
  REQUIRE(at != std::string::npos);
  return text.erase(at, text.find('\n', at + 1) - at);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string extends(const std::string& changes) {
  return "extends: " + (kConfigs / "power" / "virgo-16nm.yaml").string() + "\n" + changes;
}

std::string complaint(const std::string& text) {
  const TableFile file(text);
  try {
    energy::read_table(file.path(), kConfigs);
  } catch (const config::ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the table that comes along has an entry for every event") {
  CHECK_NOTHROW(energy::read_table("virgo-16nm", kConfigs));
}

namespace {

/// What the table that comes along says of an event.
const power::Coefficient& entry_of(const power::EnergyTable& table, std::string_view event) {
  const auto& kinds = power::event_kinds();
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const auto& one) { return one.name == event; });
  REQUIRE(found != kinds.end());
  return table.event(static_cast<std::size_t>(found - kinds.begin()));
}

bool has_year(const std::string& source) {
  static const std::regex kYear("(^|[^0-9])(19|20)[0-9]{2}([^0-9]|$)");
  return std::regex_search(source, kYear);
}

}  // namespace

TEST_CASE("every energy names a title, a year and a table or figure, or is marked as doubtful") {
  const auto table = energy::read_table("virgo-16nm", kConfigs);
  const std::regex place("table [0-9]|figure [0-9]");
  for (std::size_t kind = 0; kind < power::event_kinds().size(); ++kind) {
    INFO(power::event_kinds()[kind].name);
    const power::Coefficient& entry = table->event(kind);
    if (entry.high == 0) {  // why it is nothing
      CHECK_THAT(entry.source, Catch::StartsWith("contained in") || Catch::StartsWith("not counted"));
      continue;
    }
    CHECK(has_year(entry.source));
    CHECK((entry.doubtful || std::regex_search(entry.source, place)));
    CHECK(entry.low < entry.high);
  }
  for (std::size_t kind = 0; kind < power::idle_kinds().size(); ++kind) {
    INFO(power::idle_kinds()[kind].type->name);
    CHECK(!table->idle(kind).source.empty());
    CHECK((table->idle(kind).doubtful || has_year(table->idle(kind).source)));
  }
}

TEST_CASE("priors join entries that are uncertain for the same reason") {
  const auto table = energy::read_table("virgo-16nm", kConfigs);
  CHECK(entry_of(*table, "core.issue").prior == entry_of(*table, "core.commit").prior);
  CHECK(entry_of(*table, "matrix_unit.mac_fp16").prior == entry_of(*table, "tensor_core.mac_fp16").prior);
  CHECK(entry_of(*table, "matrix_unit.mac_fp16").prior != entry_of(*table, "matrix_unit.mac_fp32").prior);
  CHECK(entry_of(*table, "core.alu").prior.empty());
  for (std::size_t kind = 0; kind < power::event_kinds().size(); ++kind)  // what is calibrated has one factor
    if (table->event(kind).calibrated) CHECK(table->event(kind).prior == "warp_instruction");
}

TEST_CASE("multiply-adds of the array and of dot products, reads and writes of shared memory differ") {
  const auto table = energy::read_table("virgo-16nm", kConfigs);
  const auto nominal = [&](std::string_view event) { return entry_of(*table, event).nominal; };
  CHECK(nominal("matrix_unit.mac_fp32") < nominal("tensor_core.mac_fp32"));  // FIFOs
  CHECK(nominal("matrix_unit.mac_fp16") < nominal("tensor_core.mac_fp16"));
  CHECK(nominal("decoupled_tensor_core.mac_fp16") == nominal("matrix_unit.mac_fp16"));  // the same arithmetic
  for (const std::string client : {"core", "dma"})
    CHECK(nominal("shared_memory." + client + "_read") < nominal("shared_memory." + client + "_write"));
  for (const char* event : {"operand", "accumulator_read", "accumulator_write"})
    CHECK(entry_of(*table, std::string("decoupled_tensor_core.") + event).low > 0);
}

TEST_CASE("an event without an entry is missing by name") {
  const std::string text = complaint(without_line(nominal_table(), "alu:"));
  CHECK_THAT(text,
             Catch::Contains("mine.yaml: events.core.alu.nominal: is missing: energy of one lane operation"));
}

TEST_CASE("an entry without one of its values is missing that value") {
  const std::string text = complaint(replaced(nominal_table(), "alu: {low: 0.04, ", "alu: {"));
  CHECK_THAT(text, Catch::Contains("events.core.alu.low: is missing"));
  CHECK_THAT(text, !Catch::Contains("nominal: is missing"));
}

TEST_CASE("an entry for no event is unknown by name, with the events there are") {
  const std::string text = complaint(extends("events: {core: {fmaa: {low: 1, nominal: 1, high: 1}}}\n"));
  CHECK_THAT(text, Catch::Contains("mine.yaml:2: events.core.fmaa: unknown key, did you mean \"fma\"?"));
  CHECK_THAT(text, Catch::Contains("register_read"));
}

TEST_CASE("values out of order and unknown units are refused") {
  CHECK_THAT(complaint(extends("events: {core: {fma: {nominal: 9}}}\n")),
             Catch::Contains("low <= nominal <= high does not hold"));
  CHECK_THAT(complaint(extends("events: {core: {fma: {unit: pj}}}\n")),
             Catch::Contains("events.core.fma.unit") && Catch::Contains("fJ, pJ, nJ"));
}

TEST_CASE("a scalar that leaves the priors is refused") {
  CHECK_THAT(complaint(extends("calibration: {instruction_overhead: 9}\n")),
             Catch::Contains("calibration.instruction_overhead") && Catch::Contains("core.fetch"));
}

TEST_CASE("another table changes what it names and keeps the rest") {
  const TableFile file(extends("events: {core: {fma: {low: 10, nominal: 20, high: 30, unit: fJ}}}\n"));
  const auto mine = energy::read_table(file.path(), kConfigs);
  const auto theirs = energy::read_table("virgo-16nm", kConfigs);
  for (std::size_t kind = 0; kind < power::event_kinds().size(); ++kind) {
    const bool changed = power::event_kinds()[kind].name == "core.fma";
    INFO(power::event_kinds()[kind].name);
    CHECK(mine->picojoule(kind).nominal == (changed ? 0.02 : theirs->picojoule(kind).nominal));
  }
}

TEST_CASE("a source names texts of the table in brackets") {
  const TableFile file(
      extends("sources: {lab: 'Our lab, 2026, table 2'}\n"
              "events: {core: {fma: {source: '[lab]: 2 pJ [at 1 V], [lab'}}}\n"));
  const auto mine = energy::read_table(file.path(), kConfigs);
  CHECK(entry_of(*mine, "core.fma").source == "Our lab, 2026, table 2: 2 pJ [at 1 V], [lab");
  CHECK_THAT(entry_of(*mine, "core.issue").source, Catch::StartsWith("Dally, Hot Chips 2023"));  // extended
  CHECK_THAT(complaint(extends("sources: {lab: [1]}\n")),
             Catch::Contains("mine.yaml:2: sources.lab: is not a text"));
  CHECK_THAT(complaint(extends("sources: lab\n")), Catch::Contains("sources"));
}

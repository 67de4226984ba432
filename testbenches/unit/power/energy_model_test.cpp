// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "models/interconnect/crossbar.h"
#include "models/main_memory/main_memory.h"
#include "models/power/energy_model.h"
#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::power;

namespace {

/// Sets the entries of a table through its own declaration, as the reader does.
struct Setter {
  double low, nominal, high;
  void operator()(...) {}
  template <class Number, class... Rest>
  void operator()(std::string_view name, Number& value, std::string_view, base::Range, Rest&&...) {
    if constexpr (std::is_same_v<Number, double>) {
      if (name == "low") value = low;
      if (name == "nominal") value = nominal;
      if (name == "high") value = high;
    }
  }
  void operator()(std::string_view, std::string&, std::string_view) {}
  void operator()(std::string_view, bool& value, std::string_view) { value = false; }
  template <class Enum, std::size_t N>
  void operator()(std::string_view, Enum&, const base::Choices<Enum, N>&, std::string_view) {}
  template <class Entry>
  void list(std::string_view, std::vector<Entry>&, std::string_view) {}
  template <class Params>
  void group(std::string_view, Params& params, std::string_view) {
    Params::describe(params, *this);
  }
};

/// All events cost 1 / 2 / 4 pJ, all idle terms 1 / 2 / 4 mW.
struct Flat {
  Flat() {
    EnergyTable::describe(table, Setter{1, 2, 4});
    table.clock_gating = {};
    table.clock_gating.none = {2, 3, 4};
  }
  const AreaTable areas;
  EnergyTable table;
};

struct RequestStats : base::StatGroup {
  base::Counter& read = counter("bytes_read", base::Unit::kBytes, "");
  base::Counter& written = counter("bytes_written", base::Unit::kBytes, "");
};
struct DramStats : RequestStats {
  base::Counter& misses = counter("row_misses", base::Unit::kCount, "");
  base::Counter& conflicts = counter("row_conflicts", base::Unit::kCount, "");
  base::Counter& refreshes = counter("refreshes", base::Unit::kCount, "");
};

}  // namespace

TEST_CASE("low, nominal and high energies give low, nominal and high sums, DRAM apart") {
  Flat flat;
  RequestStats bus;
  DramStats dram;
  Activity activity({{"bus", &interconnect::Crossbar::block_type(), "soc/bus", &bus},
                     {"main_memory", &main_memory::MainMemory::block_type(), "dram", &dram}});
  bus.read += 10;
  dram.read += 3;
  const EnergyModel model(flat.table, operating_point({}, flat.table, 400), activity, flat.areas);
  const Interval chip = model.active(activity.counts(), true);
  CHECK(chip.low == 10);
  CHECK(chip.nominal == 20);
  CHECK(chip.high == 40);
  CHECK(model.active(activity.counts(), false).nominal == 6);
}

TEST_CASE("the tree of blocks adds up to the sum of all events, idle power to that of all blocks") {
  Flat flat;
  RequestStats bus;
  DramStats dram;
  Activity activity({{"bus", &interconnect::Crossbar::block_type(), "soc/bus", &bus},
                     {"main_memory", &main_memory::MainMemory::block_type(), "dram", &dram}});
  bus.read += 10;
  bus.written += 1;
  dram.written += 7;
  const EnergyModel model(flat.table, operating_point({}, flat.table, 400), activity, flat.areas);
  const EnergyNode root = model.tree(activity, activity.counts(), 400e6);  // one second
  REQUIRE(root.find("soc/bus") != nullptr);
  CHECK(root.find("soc")->active.nominal == model.active(activity.counts(), true).nominal);
  CHECK(root.find("dram")->active.nominal == model.active(activity.counts(), false).nominal);
  CHECK(root.active.nominal == 36);
  CHECK(model.idle().nominal == 4);                    // 2 mW clock + 2 mW leakage of the bus
  CHECK(root.find("soc")->idle.nominal == Approx(4e9));        // 4 mJ
  CHECK(root.find("soc/cache") == nullptr);
}

TEST_CASE(
    "dynamic energy follows the square of the voltage, clock power the frequency, leakage its exponent") {
  Flat flat;
  flat.table.leakage_exponent = 3;
  PowerParams params;
  params.voltage = 1.6;  // twice the table's
  const EnergyModel model(flat.table, operating_point(params, flat.table, 800));  // and twice its frequency
  for (std::size_t kind = 0; kind < event_kinds().size(); ++kind)
    CHECK(model.per_event(kind).nominal == Approx(off_chip(event_kinds()[kind]) ? 2 : 8));
  Block block;
  CHECK(model.idle_power(0, block).nominal == Approx(2 * 4 * 2 + 2 * 8));
  block.clock = 0.5;  // half of the machine's
  CHECK(model.idle_power(0, block).nominal == Approx(2 * 4 + 2 * 8));
}

TEST_CASE("another technology scales the chip by the table's exponent and leaves the DRAM alone") {
  Flat flat;
  flat.table.technology_exponent = 0.886;
  PowerParams params;
  params.technology_nm = 45;
  const EnergyModel model(flat.table, operating_point(params, flat.table, 400));
  for (std::size_t kind = 0; kind < event_kinds().size(); ++kind)
    CHECK(model.per_event(kind).nominal ==
          Approx(off_chip(event_kinds()[kind]) ? 2 : 2 * std::pow(45.0 / 16, 0.886)));
}

TEST_CASE("an operating point takes from the table what the user leaves open") {
  Flat flat;
  flat.table.voltage = 0.7;
  flat.table.technology_nm = 12;
  const OperatingPoint point = operating_point({}, flat.table, 123);
  CHECK(point.voltage == 0.7);
  CHECK(point.technology_nm == 12);
  CHECK(point.clock_mhz == 123);
}

TEST_CASE("clocks that never stop take what the table says, leakage stays") {
  Flat flat;
  PowerParams params;
  const double gated =
      EnergyModel(flat.table, operating_point(params, flat.table, 400)).idle_power(0, {}).nominal;
  params.clock_gating = ClockGating::kNone;
  CHECK(EnergyModel(flat.table, operating_point(params, flat.table, 400)).idle_power(0, {}).nominal ==
        Approx(gated + 2 * (3 - 1)));
}

TEST_CASE("a device replaces what the table says of memories off the chip, and has a standby") {
  Flat flat;
  RequestStats bus;
  DramStats dram;
  Activity activity(
      {{"bus", &interconnect::Crossbar::block_type(), "soc/bus", &bus},
       {"main_memory", &main_memory::MainMemory::block_type(), "dram", &dram, {{"channels", 4}}}});
  DeviceEnergies device;
  DeviceEnergies::describe(device, Setter{5, 7, 9});
  dram.read += 3;
  dram.misses += 2;
  const EnergyModel model(flat.table, operating_point({}, flat.table, 400), activity, flat.areas, &device);
  CHECK(model.active(activity.counts(), false).nominal == 3 * (7 + 7) + 2 * 7);  // bytes with the wires
  CHECK(model.standby().high == 4 * 9);
  CHECK(model.idle().nominal == 4);
  const EnergyNode root = model.tree(activity, activity.counts(), 400e6);
  CHECK(root.find("dram")->idle.nominal == Approx(4 * 7e9));
  CHECK(root.find("dram")->active.nominal == 56);
}

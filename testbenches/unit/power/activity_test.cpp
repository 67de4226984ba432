// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <set>
#include <stdexcept>
#include <string>

#include "models/power/activity.h"

using namespace spica;
using power::Activity;
using power::Block;

namespace {

/// A bus with its counters, as the system has it.
struct BusStats : base::StatGroup {
  base::Counter& read = counter("bytes_read", base::Unit::kBytes, "");
  base::Counter& written = counter("bytes_written", base::Unit::kBytes, "");
};

std::size_t kind_of(std::string_view name) {
  for (std::size_t kind = 0; kind < power::event_kinds().size(); ++kind)
    if (power::event_kinds()[kind].name == name) return kind;
  throw std::logic_error("no such event");
}

}  // namespace

TEST_CASE("every event has a name of its own, a unit and a description") {
  std::set<std::string_view> names;
  for (const power::EventKind& kind : power::event_kinds()) {
    INFO(kind.name);
    CHECK(names.insert(kind.name).second);
    CHECK(kind.name.find('.') != std::string_view::npos);
    CHECK_FALSE(kind.unit.empty());
    CHECK_FALSE(kind.doc.empty());
    CHECK_FALSE(kind.sources.empty());
  }
}

TEST_CASE("energy always goes to a leaf of the tree, so that children add up to their parent") {
  // Blocks inside a core share its node; all others have one of their own.
  const auto owner = [](std::string_view block) {
    const std::set<std::string_view> inside{"tensor_core", "decoupled_tensor_core", "icache", "dcache",
                                            "coalescer"};
    return inside.count(block) != 0 ? std::string_view("core") : block;
  };
  std::vector<std::pair<std::string_view, std::string>> places;  // owner, path ending in a slash
  for (const power::EventKind& kind : power::event_kinds())
    places.emplace_back(owner(kind.block), kind.place.empty() ? "" : std::string(kind.place) + "/");
  for (const power::IdleKind& kind : power::idle_kinds())
    places.emplace_back(owner(kind.block), std::string(kind.place) + "/");
  for (const auto& [block, place] : places)
    for (const auto& [other_block, other] : places) {
      if (block != other_block || place == other) continue;
      INFO(block << ": " << place << " and " << other);
      CHECK(other.compare(0, place.size(), place) != 0);
    }
}

TEST_CASE("an event adds the counters of its list, in each block of its type") {
  BusStats first, second;
  Activity activity({{"bus_0", "bus", "soc/bus_0", &first, {}}, {"bus_1", "bus", "soc/bus_1", &second, {}}});
  REQUIRE(activity.channels().size() == 2);
  first.read += 10;
  first.written += 5;
  second.read += 1;
  CHECK(activity.counts() == std::vector<double>{15, 1});
  CHECK(activity.by_kind(activity.counts())[kind_of("bus.byte")] == 16);
}

TEST_CASE("a property of the block multiplies its counter") {
  struct Stats : base::StatGroup {
    base::Counter& preloads = counter("preloads", base::Unit::kCount, "");
    Stats() {
      for (const char* name : {"macs", "rows_read_a", "rows_read_b", "accumulator_rows_accumulated",
                               "accumulator_rows_read", "accumulator_rows_added", "accumulator_rows_loaded",
                               "block_operations", "loads", "stores", "mmio_commands", "cisc_commands"})
        counter(name, base::Unit::kCount, "");
    }
  } stats;
  Block unit{"u",
             "matrix_unit",
             "soc/u",
             &stats,
             {{"dim", 8}, {"row_words", 4}, {"block_words", 32}, {"is_fp32", 0}, {"is_fp16", 1}}};
  Activity activity({unit});
  stats.preloads += 3;
  const std::vector<double> counts = activity.by_kind(activity.counts());
  CHECK(counts[kind_of("matrix_unit.weight")] == 96);
  CHECK(counts[kind_of("matrix_unit.command")] == 3);

  unit.weights.pop_back();
  CHECK_THROWS_WITH(Activity({unit}), Catch::Contains("is_fp16") && Catch::Contains("matrix_unit.mac_fp16"));
}

TEST_CASE("a block without a counter of the list is an error that names both") {
  base::StatGroup nothing;
  CHECK_THROWS_WITH(Activity({{"bus", "bus", "soc/bus", &nothing, {}}}),
                    Catch::Contains("bytes_read") && Catch::Contains("bus.byte"));
}

TEST_CASE("a block that no event counts is an error unless the list says that it is free") {
  base::StatGroup nothing;
  CHECK_THROWS_WITH(Activity({{"sponge_0", "sponge", "soc/sponge_0", &nothing, {}}}),
                    Catch::Contains("sponge"));
  CHECK_NOTHROW(Activity({{"putchar", "putchar", "soc/putchar", &nothing, {}}}));
}

TEST_CASE("a star in the name of a counter stands for any text, and for no counter at all") {
  CHECK(power::matches("dma*_words_read", "dma_words_read"));
  CHECK(power::matches("dma*_words_read", "dma_1_words_read"));
  CHECK_FALSE(power::matches("dma*_words_read", "dma_words_written"));
  CHECK_FALSE(power::matches("dma*_words_read", "dma_read"));
  CHECK_FALSE(power::matches("reads", "reads_"));
}

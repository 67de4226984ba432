// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <stdexcept>
#include <string>

#include "models/barrier/barrier_synchronizer.h"
#include "models/cache/cache.h"
#include "models/coalescer/coalescer.h"
#include "models/console/console.h"
#include "models/dma/dma.h"
#include "models/host_port/host_port.h"
#include "models/interconnect/crossbar.h"
#include "models/interconnect/peripheral_bus.h"
#include "models/main_memory/main_memory.h"
#include "models/matrix_unit/accelerator_node.h"
#include "models/matrix_unit/matrix_unit.h"
#include "models/power/activity.h"
#include "models/shared_memory/shared_memory_block.h"
#include "models/simt_core/core_type.h"
#include "models/tensor_core/decoupled/decoupled_tensor_core.h"
#include "models/tensor_core/synchronous/tensor_core.h"
#include "testbenches/support/catch.h"

using namespace spica;
using power::Activity;
using power::Block;

namespace {

/// A bus with its counters, as the system has it.
struct BusStats : base::StatGroup {
  base::Counter& read = counter("bytes_read", base::Unit::kBytes, "");
  base::Counter& written = counter("bytes_written", base::Unit::kBytes, "");
};

const base::BlockType& kBus = interconnect::Crossbar::block_type();
/// Named here, they are in this program.
const std::vector<const base::BlockType*> kAll{&simt_core::core_type(),
                                               &tensor_core::TensorCore::block_type(),
                                               &tensor_core::DecoupledTensorCore::block_type(),
                                               &cache::Cache::block_type(cache::Role::kL1Instruction),
                                               &cache::Cache::block_type(cache::Role::kSharedInstruction),
                                               &cache::Cache::block_type(cache::Role::kL1Data),
                                               &cache::Cache::block_type(cache::Role::kL2),
                                               &coalescer::Coalescer::block_type(),
                                               &shared_memory::SharedMemoryBlock::block_type(),
                                               &matrix_unit::MatrixUnit::block_type(),
                                               &matrix_unit::AcceleratorNode::block_type(),
                                               &dma::Dma::block_type(),
                                               &interconnect::PeripheralBus::block_type(),
                                               &kBus,
                                               &console::Console::block_type(),
                                               &barrier::BarrierSynchronizer::block_type(),
                                               &main_memory::MainMemory::block_type(),
                                               &host_port::HostPort::block_type()};

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
  // Blocks inside another share its node; all others have one of their own.
  const auto owner = [](const base::BlockType& type) {
    return type.inside.empty() ? type.name : type.inside;
  };
  std::vector<std::pair<std::string_view, std::string>> places;  // owner, path ending in a slash
  for (const power::EventKind& kind : power::event_kinds())
    places.emplace_back(owner(*kind.type), kind.place.empty() ? "" : std::string(kind.place) + "/");
  for (const power::IdleKind& kind : power::idle_kinds())
    places.emplace_back(owner(*kind.type), std::string(kind.place) + "/");
  for (const auto& [block, place] : places)
    for (const auto& [other_block, other] : places) {
      if (block != other_block || place == other) continue;
      INFO(block << ": " << place << " and " << other);
      CHECK(other.compare(0, place.size(), place) != 0);
    }
}

TEST_CASE("an event adds the counters of its list, in each block of its type") {
  BusStats first, second;
  Activity activity({{"bus_0", &kBus, "soc/bus_0", &first}, {"bus_1", &kBus, "soc/bus_1", &second}});
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
             &matrix_unit::MatrixUnit::block_type(),
             "soc/u",
             &stats,
             {{"sum_words", 8},
              {"row_words", 4},
              {"block_words", 32},
              {"is_fp32", 0},
              {"is_tf32", 0},
              {"is_bf16", 0},
              {"is_fp8", 0},
              {"is_fp6", 0},
              {"is_fp4", 0},
              {"is_int8", 0},
              {"is_int4", 0},
              {"is_fp16", 1}}};
  Activity activity({unit});
  stats.preloads += 3;
  const std::vector<double> counts = activity.by_kind(activity.counts());
  CHECK(counts[kind_of("matrix_unit.weight")] == 96);
  CHECK(counts[kind_of("matrix_unit.command")] == 3);

  unit.properties.pop_back();
  CHECK_THROWS_WITH(Activity({unit}), Catch::Contains("is_fp16") && Catch::Contains("matrix_unit.mac_fp16"));
}

TEST_CASE("a block without a counter of the list is an error that names both") {
  base::StatGroup nothing;
  CHECK_THROWS_WITH(Activity({{"bus", &kBus, "soc/bus", &nothing}}),
                    Catch::Contains("bytes_read") && Catch::Contains("bus.byte"));
}

TEST_CASE("a block without events costs nothing") {
  base::StatGroup nothing;
  static const base::BlockType sponge{"sponge"};
  const Activity activity({{"sponge_0", &sponge, "soc/sponge_0", &nothing}});
  CHECK(activity.channels().empty());
}

TEST_CASE("a block whose type comes too late for the list of events is an error that names both") {
  power::event_kinds();
  static base::BlockType late{"latecomer"};
  late.events = {{"latecomer.come", {{"comes"}}, "time", "", {}, "it comes"}};
  base::register_block_type(late);
  base::StatGroup nothing;
  CHECK_THROWS_WITH(Activity({{"late_0", &late, "soc/late_0", &nothing}}),
                    Catch::Contains("late_0") && Catch::Contains("latecomer"));
}

TEST_CASE("every block of Spica has events, or says why its energy is not worth one") {
  for (const base::BlockType* type : kAll) {
    INFO(type->name);
    CHECK(type->events.empty() != type->free.empty());
    CHECK(type->order != base::BlockType::kLast);
  }
}

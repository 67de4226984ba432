// SPDX-License-Identifier: Apache-2.0
#include "platform/job/run_facts.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "models/matrix_unit/matrix_unit_stats.h"
#include "models/tensor_core/decoupled_stats.h"
#include "models/tensor_core/tensor_core_stats.h"
#include "platform/soc/soc.h"
#include "platform/soc/soc_config.h"

namespace spica::job {

using Json = json::Value;

namespace {

constexpr const char* kBase = "virgo";

template <class Stats>
std::uint64_t macs(const base::StatWindow& window, const std::vector<const Stats*>& blocks) {
  std::uint64_t sum = 0;
  for (const Stats* block : blocks) sum += window.value(block->macs);
  return sum;
}

}  // namespace

Json machine_json(soc::Soc& soc) {
  const soc::SocParams& params = soc.params();
  const base::StatWindow window = soc.region().window();
  Json units = Json::array();
  std::uint64_t tensor_macs = 0;
  bool tensor_cores = false;
  for (unsigned i = 0; i < soc.clusters(); ++i) {
    const soc::UnitStats stats = soc.unit_stats(i);
    for (std::size_t unit = 0; unit < stats.matrix_units.size(); ++unit) {
      const std::uint64_t dim = params.cluster.matrix_units[unit].dim;
      units.push_back({{"name", stats.matrix_units[unit].name},
                       {"macs_per_cycle", dim * dim},
                       {"macs", window.value(stats.matrix_units[unit].unit->macs)}});
    }
    tensor_macs += macs(window, stats.tensor_cores) + macs(window, stats.decoupled_tensor_cores);
    tensor_cores = tensor_cores || stats.tensor_cores.size() + stats.decoupled_tensor_cores.size() != 0;
  }
  if (tensor_cores)
    units.push_back({{"name", "tensor cores"},
                     {"macs_per_cycle",
                      params.cluster.tensor_core.macs_per_cycle() * params.cluster.cores * params.clusters},
                     {"macs", tensor_macs}});
  return {{"clock_mhz", params.clock_mhz},
          {"units", std::move(units)},
          {"l2_bytes_per_cycle", params.bus.beat_bytes},
          {"dram_bytes_per_cycle", params.main_memory.peak_bytes_per_cycle(1e6 / params.clock_mhz)},
          {"bank_words_per_cycle", params.cluster.shared_memory.words}};
}

Json configuration_json(const soc::SocParams& params, const config::Source& source,
                        const std::filesystem::path& configs_dir) {
  const config::Source base_source = config::load(kBase, {}, configs_dir);
  soc::SocParams base_params;
  config::apply(base_source, base_params);
  const std::vector<config::EffectiveValue> base = config::effective(base_params, base_source);
  const std::vector<config::EffectiveValue> here = config::effective(params, source);
  const auto by_key = [](const std::vector<config::EffectiveValue>& values) {
    std::map<std::string, const config::EffectiveValue*> map;
    for (const config::EffectiveValue& value : values) map[value.key] = &value;
    return map;
  };
  const auto in_base = by_key(base), in_here = by_key(here);

  Json differences = Json::array();
  for (const config::EffectiveValue& value : here) {
    const auto other = in_base.find(value.key);
    if (other != in_base.end() && other->second->text == value.text) continue;
    differences.push_back({{"key", value.key},
                           {"unit", value.unit},
                           {"base", other == in_base.end() ? Json() : Json(other->second->text)},
                           {"value", value.text},
                           {"place", value.place}});
  }
  for (const config::EffectiveValue& value : base)
    if (in_here.count(value.key) == 0)
      differences.push_back({{"key", value.key},
                             {"unit", value.unit},
                             {"base", value.text},
                             {"value", nullptr},
                             {"place", value.place}});
  return {{"name", source.name}, {"base", kBase}, {"differences", std::move(differences)}};
}

}  // namespace spica::job

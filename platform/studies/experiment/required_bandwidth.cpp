// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/experiment/required_bandwidth.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "platform/base/input/user_error.h"
#include "platform/observe/report/csv.h"

namespace spica::experiment {

namespace {

using Names = std::vector<std::string>;

const Names kNetworks{"resnet-152", "bert-large"};
const Names kMachines{"v100", "rtx-titan", "a100"};

Names or_default(const Names& chosen, const Names& others) { return chosen.empty() ? others : chosen; }

struct NamedLayer {
  std::string network;
  workloads::Layer layer;
};

/// All layers of the networks that are named, and single ones of the default networks.
std::vector<NamedLayer> layers_of(const Names& chosen, const std::filesystem::path& configs_dir,
                                  Names& unknown) {
  const auto of_network = [&](const std::string& network) {
    std::vector<NamedLayer> layers;
    for (workloads::Layer& layer : workloads::read_layer_list(network, configs_dir).layers)
      layers.push_back({network, std::move(layer)});
    return layers;
  };
  std::vector<NamedLayer> known, result;
  for (const std::string& network : kNetworks)
    for (NamedLayer& one : of_network(network)) known.push_back(std::move(one));
  if (chosen.empty()) return known;
  for (const std::string& name : chosen) {
    std::vector<NamedLayer> found;
    if (config::find_file(name, configs_dir, workloads::kLayerLists)) found = of_network(name);
    else
      std::copy_if(known.begin(), known.end(), std::back_inserter(found),
                   [&](const NamedLayer& one) { return one.layer.name == name; });
    if (found.empty())
      unknown.push_back(fmt::format("layer \"{}\": neither a network ({}) nor a layer of {}", name,
                                    fmt::join(config::names(configs_dir, workloads::kLayerLists), ", "),
                                    fmt::join(kNetworks, " or ")));
    result.insert(result.end(), found.begin(), found.end());
  }
  return result;
}

/// Of those that are named the ones that `text_of` accepts.
template <class Value, class Text>
std::vector<Value> chosen_of(const std::vector<Value>& all, const Names& chosen, const char* what,
                             const Text& text_of, Names& unknown) {
  if (chosen.empty()) return all;
  std::vector<Value> result;
  for (const std::string& name : chosen) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Value& value) { return text_of(value) == name; });
    if (found != all.end()) {
      result.push_back(*found);
      continue;
    }
    Names texts;
    for (const Value& value : all) texts.push_back(text_of(value));
    unknown.push_back(fmt::format("{} \"{}\": there are {}", what, name, fmt::join(texts, ", ")));
  }
  return result;
}

std::vector<std::pair<std::string, Gpu>> gpus_of(const Names& chosen,
                                                 const std::filesystem::path& configs_dir, Names& unknown) {
  std::vector<std::pair<std::string, Gpu>> gpus;
  for (const std::string& name : or_default(chosen, kMachines)) {
    if (config::find_file(name, configs_dir, kGpus)) gpus.emplace_back(name, read_gpu(name, configs_dir));
    else
      unknown.push_back(fmt::format("machine \"{}\": neither a file nor one of {}", name,
                                    fmt::join(config::names(configs_dir, kGpus), ", ")));
  }
  return gpus;
}

}  // namespace

std::vector<BandwidthRow> required_bandwidth(const BandwidthChoice& choice,
                                             const std::filesystem::path& configs_dir) {
  Names unknown;
  const auto layers = layers_of(choice.layers, configs_dir, unknown);
  const auto gpus = gpus_of(choice.machines, configs_dir, unknown);
  const auto units = chosen_of(
      std::vector{GemmUnit::kTensor, GemmUnit::kLanes}, choice.units, "unit",
      [](GemmUnit unit) { return std::string(name_of(unit)); }, unknown);
  std::vector<GemmTile> all = tiles_of(GemmUnit::kTensor);
  if (!choice.sizes.empty() && std::count(units.begin(), units.end(), GemmUnit::kLanes) != 0)
    all.insert(all.end(), tiles_of(GemmUnit::kLanes).begin(), tiles_of(GemmUnit::kLanes).end());
  const auto tiles =
      chosen_of(all, choice.sizes, "tile", [](const GemmTile& tile) { return tile.text(); }, unknown);
  if (!unknown.empty()) throw input::UserError(fmt::format("{}", fmt::join(unknown, "\n")));

  std::vector<BandwidthRow> rows;
  for (const auto& [network, layer] : layers)
    for (const auto& [name, gpu] : gpus)
      for (const GemmUnit unit : units) {
        std::vector<GemmTile> fitting;
        for (const GemmTile& tile : tiles_of(unit))
          if (choice.sizes.empty() || std::any_of(tiles.begin(), tiles.end(), [&](const GemmTile& one) {
                return one.text() == tile.text();
              }))
            fitting.push_back(tile);
        if (!fitting.empty())
          rows.push_back({name, network, gpu, layer, unit, best_traffic(layer, fitting, unit, gpu), {}});
      }
  return rows;
}

namespace {

/// The keys of a level that only measured tables have.
void add_measured(const BandwidthRow& row, unsigned level, json::Value& object) {
  const bool there = row.measured.has_value() && row.measured->error.empty();
  const double share = there ? row.measured->levels[level].bytes / row.traffic.levels[level].bytes : 0;
  const auto set = [&](const char* name, const json::Value& value) {
    object[name] = there ? value : json::Value();
  };
  set("measured_part", there ? row.measured->part : "");
  set("measured_part_bytes", there ? row.measured->levels[level].part : 0);
  set("formula_part_bytes", there ? row.measured->levels[level].formula : 0);
  set("measured_bytes", there ? row.measured->levels[level].bytes : 0);
  set("measured_gb_per_s", share * row.traffic.levels[level].required);
  if (row.measured.has_value() && !row.measured->error.empty()) object["error"] = row.measured->error;
}

}  // namespace

json::Value bandwidth_json(const std::vector<BandwidthRow>& rows) {
  auto result = json::Value::array();
  const bool measured =
      std::any_of(rows.begin(), rows.end(), [](const BandwidthRow& row) { return row.measured.has_value(); });
  for (const BandwidthRow& row : rows)
    for (const MemoryLevel level : kMemoryLevels) {
      const LayerTraffic& traffic = row.traffic;
      const LayerTraffic::Level& one = traffic.levels[static_cast<unsigned>(level)];
      json::Value object;
      object["machine"] = row.machine;
      object["unit"] = name_of(row.unit);
      object["network"] = row.network;
      object["layer"] = row.layer.name;
      object["size"] = workloads::GemmSize{row.layer.m, row.layer.n, row.layer.k}.text();
      object["batch"] = row.layer.batch;
      object["tile"] = traffic.tile.text();
      object["level"] = name_of(level);
      object["bytes"] = one.bytes;
      object["required_gb_per_s"] = one.required;
      object["limit_gb_per_s"] = one.limit;
      object["ratio"] = one.required / one.limit;
      object["limited_by"] = traffic.limited_by;
      object["share_of_peak"] = traffic.ideal_seconds / traffic.least_seconds;
      object["thread_blocks"] = traffic.thread_blocks;
      object["resident_blocks"] = traffic.resident_blocks;
      object["tail_utilisation"] = traffic.tail_utilisation;
      object["block_ldg_bytes"] = traffic.block.ldg;
      object["block_sts_bytes"] = traffic.block.sts;
      object["block_lds_a_bytes"] = traffic.block.lds_a;
      object["block_lds_b_bytes"] = traffic.block.lds_b;
      if (measured) add_measured(row, static_cast<unsigned>(level), object);
      result.push_back(std::move(object));
    }
  return result;
}

std::string bandwidth_csv(const std::vector<BandwidthRow>& rows) {
  std::string text;
  for (const json::Value& row : bandwidth_json(rows)) {
    std::string names, values;
    for (const auto& [name, value] : row.items()) {
      const char* const comma = names.empty() ? "" : ",";
      names += comma + name;
      const std::string word = value.is_string() ? value.get<std::string>() : value.dump();
      values += comma + (word.find_first_of(",\"\n") == std::string::npos ? word : report::csv_quoted(word));
    }
    if (text.empty()) text = names + "\n";
    text += values + "\n";
  }
  return text;
}

}  // namespace spica::experiment

// SPDX-License-Identifier: Apache-2.0
#include "platform/energy/blocks.h"

#include <algorithm>
#include <string>

#include "platform/soc/soc.h"

namespace spica::energy {

namespace {

/// "cluster_0.core_1" in its parts: where it is, what it is, which one.
struct Name {
  std::string parent, type, number;
};

Name split(const std::string& name) {
  Name parts;
  const std::size_t dot = name.rfind('.');
  parts.parent = dot == std::string::npos ? "" : name.substr(0, dot);
  parts.type = dot == std::string::npos ? name : name.substr(dot + 1);
  const std::size_t score = parts.type.rfind('_');
  if (score == std::string::npos || score + 1 == parts.type.size()) return parts;
  if (!std::all_of(parts.type.begin() + static_cast<std::ptrdiff_t>(score) + 1, parts.type.end(),
                   [](char c) { return c >= '0' && c <= '9'; }))
    return parts;
  parts.number = parts.type.substr(score + 1);
  parts.type.erase(score);
  return parts;
}

/// Blocks that belong to a core are drawn inside it.
bool is_part_of_core(const std::string& type) {
  return type == "core" || type == "tensor_core" || type == "decoupled_tensor_core" || type == "icache" ||
         type == "dcache" || type == "coalescer";
}

std::string node_of(const Name& name) {
  if (name.type == "main_memory") return "dram";
  std::string node = "soc";
  if (!name.parent.empty()) node += "/" + name.parent;
  if (is_part_of_core(name.type)) return node + "/core_" + name.number;
  return node + "/" + name.type + (name.number.empty() ? "" : "_" + name.number);
}

}  // namespace

std::vector<power::Block> blocks_of(soc::Soc& soc) {
  const soc::SocParams& params = soc.params();
  const cluster::ClusterParams& cluster = params.cluster;
  const auto number = [](auto value) { return static_cast<double>(value); };
  std::vector<power::Block> blocks;
  for (base::Component* component : soc.components()) {
    const Name name = split(soc.short_name(*component));
    power::Block block;
    block.name = soc.short_name(*component);
    block.type = name.type;
    block.node = node_of(name);
    block.stats = &component->stats();
    if (name.type == "core") {
      block.weights = {{"lanes", number(cluster.core.lanes)}};
    } else if (name.type == "tensor_core") {
      const bool fp16 = cluster.tensor_core.operand == tensor_core::Operand::kFp16;
      const double macs = number(cluster.tensor_core.macs_per_pair()) / 2;
      block.weights = {{"lanes", number(cluster.core.lanes)},
                       {"is_fp32", fp16 ? 0 : 1},
                       {"is_fp16", fp16 ? 1 : 0},
                       {"fp32_macs_per_micro_op", fp16 ? 0 : macs},
                       {"fp16_macs_per_micro_op", fp16 ? macs : 0}};
    } else if (name.type == "decoupled_tensor_core") {
      const bool fp16 = cluster.tensor_core.operand == tensor_core::Operand::kFp16;
      block.weights = {{"lanes", number(cluster.core.lanes)},
                       {"block_words", 8},
                       {"is_fp32", fp16 ? 0 : 1},
                       {"is_fp16", fp16 ? 1 : 0}};
    } else if (name.type == "matrix_unit") {
      const auto& unit = cluster.matrix_units[std::stoul(name.number)];
      const bool fp16 = unit.operand == matrix_unit::OperandFormat::kFp16;
      block.weights = {{"dim", number(unit.dim)},
                       {"is_fp32", fp16 ? 0 : 1},
                       {"is_fp16", fp16 ? 1 : 0},
                       {"row_words", number(unit.row_bytes()) / 4},
                       {"block_words", number(unit.dim * unit.row_bytes()) / 4}};
    } else if (name.type == "l2") {
      block.weights = {{"line_bytes", number(params.l2.line_bytes)}};
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace spica::energy

// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/soc/memory_path.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/protocol/payload/slice_map.h"

namespace spica::soc {

namespace {

/// Largest load over the mean of `parts` neighbouring slices, where consecutive addresses are read.
double imbalance(const SocParams& p, std::uint64_t parts) {
  constexpr std::uint64_t kChunks = 1024;  // of each slice, on average
  const protocol::SliceMap map(p.l2.slices, p.network.interleave_bytes, p.network.hash);
  std::vector<std::uint64_t> chunks(parts, 0);
  for (std::uint64_t i = 0; i < kChunks * p.l2.slices; ++i)
    ++chunks[map.slice(p.main_memory.base + i * p.network.interleave_bytes) * parts / p.l2.slices];
  return static_cast<double>(*std::max_element(chunks.begin(), chunks.end()) * parts) /
         static_cast<double>(kChunks * p.l2.slices);
}

}  // namespace

std::vector<PathStep> memory_path(const SocParams& p) {
  const double network = p.bus_mhz() / p.core_mhz(), memory = p.memory_mhz() / p.core_mhz();
  std::vector<PathStep> path;
  const auto& l1 = p.cluster.dcache;
  path.push_back({"level 1 cache", p.clusters * p.cluster.data_caches(),
                  static_cast<double>(l1.banks * l1.bank_bytes_per_cycle), 1, "hits"});
  const double slice = static_cast<double>(p.l2.banks * p.l2.bank_bytes_per_cycle) * network;
  if (p.network.is_crossbar()) {
    const double packet = static_cast<double>(p.network.packet_bytes) * network;
    path.push_back({"port", p.cluster_ports(), packet, 1,
                    p.network.clusters_per_port == 1 ? std::string() : "of 2 clusters each"});
    path.push_back({"slice of level 2", p.l2.slices, std::min(slice, packet), imbalance(p, p.l2.slices),
                    std::string(protocol::kSliceHashes.name_of(p.network.hash)) + " hash"});
  } else {
    path.push_back({"bus", 1, static_cast<double>(p.bus.beat_bytes) * network, 1, ""});
    path.push_back({"level 2 cache", 1, slice, 1, ""});
  }
  const double peak = p.main_memory.peak_bytes_per_cycle(1e6 / p.memory_mhz()) * memory;
  if (peak == 0) return path;  // another simulator's
  const std::uint64_t channels = p.main_memory.channels;
  path.push_back({"memory channel", channels, peak / static_cast<double>(channels),
                  p.network.is_crossbar() ? imbalance(p, channels) : 1, ""});
  return path;
}

std::string memory_path_text(const SocParams& params) {
  const std::vector<PathStep> path = memory_path(params);
  const auto narrowest = std::min_element(
      path.begin(), path.end(), [](const PathStep& a, const PathStep& b) { return a.bytes() < b.bytes(); });
  std::string text = fmt::format("{:<18}{:>6}  {:>13}  {:>13}  {:>10}\n", "read path", "number",
                                 "B/cycle each", "B/cycle all", "GB/s");
  for (auto step = path.begin(); step != path.end(); ++step) {
    std::string note = step->note;
    if (step->imbalance > 1.005)
      note +=
          fmt::format("{}the fullest has {:.2f} of the mean load", note.empty() ? "" : ", ", step->imbalance);
    if (step == narrowest) note += note.empty() ? "narrowest" : "; narrowest";
    text += fmt::format("{:<18}{:>6}  {:>13.4g}  {:>13.4g}  {:>10.4g}{}\n", step->name, step->count,
                        step->bytes_each, step->bytes(), step->bytes() * params.core_mhz() * 1e-3,
                        note.empty() ? std::string() : "  " + note);
  }
  return text;
}

}  // namespace spica::soc

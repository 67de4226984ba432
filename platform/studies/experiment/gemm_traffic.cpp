// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/experiment/gemm_traffic.h"

#include <fmt/format.h>

#include <algorithm>

namespace spica::experiment {

namespace {

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t step) { return (value + step - 1) / step; }
std::uint64_t bytes_of_element(GemmUnit unit) { return unit == GemmUnit::kTensor ? 2 : 4; }

/// Registers of a thread: sums, two sets of fragments of a slice of k, a share of the next block tile, addresses.
std::uint64_t registers_of_thread(const GemmTile& tile, GemmUnit unit, const Gpu& gpu) {
  constexpr std::uint64_t kLanes = 32, kSlices = 8, kAddresses = 40, kMost = 255;
  const std::uint64_t words = 4 * kLanes * tile.warps();  // bytes that one register of all threads has
  const TileTraffic traffic = tile_traffic(tile, unit, gpu);
  const std::uint64_t sums = tile.m * tile.n / (kLanes * tile.warps());
  const std::uint64_t fragments = 2 * rounded_up((traffic.lds_a + traffic.lds_b) / kSlices, words);
  const std::uint64_t staging = traffic.sts == 0 ? 0 : rounded_up(traffic.ldg, words);
  return std::min(kMost, sums + fragments + staging + kAddresses);
}

std::uint64_t resident_blocks(const GemmTile& tile, GemmUnit unit, const Gpu& gpu) {
  const std::uint64_t buffers = 2 * bytes_of_element(unit) * (tile.m + tile.n) * tile.k;
  const std::uint64_t registers = registers_of_thread(tile, unit, gpu) * 32 * tile.warps();
  const std::uint64_t fit = std::min({gpu.blocks.shared_memory / buffers, gpu.blocks.registers / registers,
                                      gpu.blocks.warps / tile.warps()});
  return std::max<std::uint64_t>(1, fit);
}

}  // namespace

std::string GemmTile::text() const { return fmt::format("{}x{}x{}", m, n, k); }

const std::vector<GemmTile>& tiles_of(GemmUnit unit) {
  static const std::vector<GemmTile> tensor{{256, 128, 32, 4, 2}, {128, 256, 32, 2, 4}, {128, 128, 32, 2, 2},
                                            {128, 64, 32, 2, 2},  {64, 128, 32, 2, 2},  {64, 64, 32, 2, 2}};
  static const std::vector<GemmTile> lanes{{128, 128, 8, 4, 2}};
  return unit == GemmUnit::kTensor ? tensor : lanes;
}

const char* name_of(MemoryLevel level) {
  static constexpr const char* kNames[] = {"l1", "l2", "dram"};
  return kNames[static_cast<unsigned>(level)];
}

TileTraffic tile_traffic(const GemmTile& tile, GemmUnit unit, const Gpu& gpu) {
  const std::uint64_t element = bytes_of_element(unit);
  // Lanes that need the same element get it from one read.
  const std::uint64_t reads = unit == GemmUnit::kTensor ? gpu.operand_reads : 1;
  TileTraffic traffic;
  traffic.ldg = element * (tile.m + tile.n) * tile.k;
  traffic.sts = gpu.global_copies == GlobalCopies::kAsynchronous ? 0 : traffic.ldg;
  traffic.lds_a = reads * element * tile.m * tile.k * tile.warps_n;  // each row of warps reads all of its A
  traffic.lds_b = reads * element * tile.n * tile.k * tile.warps_m;
  return traffic;
}

LayerTraffic layer_traffic(const workloads::Layer& layer, const GemmTile& tile, GemmUnit unit,
                           const Gpu& gpu) {
  const auto real = [](std::uint64_t value) { return static_cast<double>(value); };
  const double m = layer.m, n = layer.n, k = layer.k, batch = real(layer.batch);
  const double element = real(bytes_of_element(unit));
  LayerTraffic result;
  result.tile = tile;
  result.block = tile_traffic(tile, unit, gpu);
  result.thread_blocks = layer.batch * rounded_up(layer.m, tile.m) * rounded_up(layer.n, tile.n);
  result.resident_blocks = resident_blocks(tile, unit, gpu);
  const std::uint64_t places = gpu.multiprocessors * result.resident_blocks;
  result.tail_utilisation =
      real(result.thread_blocks) / real(places * rounded_up(result.thread_blocks, places));

  const double multiprocessors = real(gpu.multiprocessors);
  const std::uint64_t rate = unit == GemmUnit::kTensor ? gpu.flop_per_cycle.tensor : gpu.flop_per_cycle.lanes;
  const double flop_per_s = real(rate) * multiprocessors * gpu.clock_mhz * 1e6;
  result.ideal_seconds = 2 * m * n * k * batch / flop_per_s;
  const double tiles_of_k = real(result.thread_blocks * rounded_up(layer.k, tile.k));
  const double c = batch * element * m * n;
  const double bytes[] = {tiles_of_k * real(result.block.total()), tiles_of_k * real(result.block.ldg) + c,
                          batch * element * (m * k + k * n) + c};
  const double limits[] = {gpu.gb_per_s.l1, gpu.gb_per_s.l2, gpu.gb_per_s.dram};
  double slowest = tiles_of_k * 2 * real(tile.m * tile.n * tile.k) / flop_per_s;
  result.limited_by = "compute";
  for (const MemoryLevel level : kMemoryLevels) {
    const auto i = static_cast<unsigned>(level);
    const double share = level == MemoryLevel::kL1 ? bytes[i] / multiprocessors : bytes[i];
    result.levels[i] = {bytes[i], share / result.ideal_seconds / 1e9, limits[i]};
    const double seconds = share / (limits[i] * 1e9);
    if (seconds <= slowest) continue;
    slowest = seconds;
    result.limited_by = name_of(level);
  }
  result.least_seconds = slowest / result.tail_utilisation;
  return result;
}

LayerTraffic best_traffic(const workloads::Layer& layer, const std::vector<GemmTile>& tiles, GemmUnit unit,
                          const Gpu& gpu) {
  LayerTraffic best = layer_traffic(layer, tiles.front(), unit, gpu);
  const auto cost = [](const LayerTraffic& one) { return std::pair(one.least_seconds, one.levels[0].bytes); };
  for (std::size_t i = 1; i < tiles.size(); ++i)
    if (LayerTraffic other = layer_traffic(layer, tiles[i], unit, gpu); cost(other) < cost(best))
      best = std::move(other);
  return best;
}

}  // namespace spica::experiment

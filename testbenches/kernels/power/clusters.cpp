// SPDX-License-Identifier: Apache-2.0
// Every cluster computes the same product with its own matrix unit and DMA, and one step of its tensor cores.
#include "matrix_unit.h"
#include "simt.h"
#include "spawn.h"
#include "tensor_core.h"

namespace {

constexpr unsigned kN = 64, kCoresOfCluster = 4, kClusters = 4;
alignas(64) float a[kN * kN], b[kN * kN], c[kClusters][kN * kN];

void product(unsigned cluster) {
  constexpr unsigned kBlocks = kN / MATRIX_UNIT_DIM;
  matrix_unit_config_execute(0);
  matrix_unit_config_load(0, 0, 4 * kN);
  matrix_unit_config_load(0, 1, 4 * kN);
  matrix_unit_config_store(0, 4 * kN);
  const auto bounds = [] {
    matrix_unit_loop_bounds(0, kBlocks, kBlocks, kBlocks);
    matrix_unit_loop_spad_ab(0, 0, 2 * kN * kBlocks);
    matrix_unit_loop_stride_ab(0, kN, kN);
    matrix_unit_loop_stride_dc(0, 0, kN);
  };
  bounds();
  matrix_unit_loop_address_ab(0, reinterpret_cast<unsigned>(a), reinterpret_cast<unsigned>(b));
  matrix_unit_loop(0, MATRIX_UNIT_SKIPS_LOAD_ONLY, 0, 0);
  matrix_unit_fence(0);
  bounds();
  matrix_unit_loop(0, MATRIX_UNIT_SKIPS_EXECUTE_ONLY, 0, 0);
  matrix_unit_fence(0);
  bounds();
  matrix_unit_loop_address_dc(0, 0, reinterpret_cast<unsigned>(c[cluster]));
  matrix_unit_loop(0, MATRIX_UNIT_SKIPS_STORE_GMEM, 0, 0);
  matrix_unit_fence(0);
}

}  // namespace

int main() {
  const unsigned core = simt_core();
  if (core == 0)
    for (unsigned i = 0; i < kN; ++i)
      for (unsigned j = 0; j < kN; ++j) {
        a[i * kN + j] = static_cast<float>((i + 2 * j) % 7);
        b[i * kN + j] = static_cast<float>((3 * i + j) % 5);
      }
  spawn_barrier();
  if (core % kCoresOfCluster == 0) product(core / kCoresOfCluster);
  simt_tmc(0xFF);  // what the registers of the others hold does not matter
  tensor_core_multiply<0>();
  simt_tmc(1);
  spawn_barrier();
  if (core % kCoresOfCluster != 0) return 0;
  const float* mine = c[core / kCoresOfCluster];
  unsigned wrong = 0;
  for (unsigned i = 0; i < kN; i += 9)
    for (unsigned j = 0; j < kN; j += 7) {
      float sum = 0;
      for (unsigned k = 0; k < kN; ++k) sum += a[i * kN + k] * b[k * kN + j];
      wrong += sum != mine[i * kN + j];
    }
  return wrong == 0 ? 0 : 1;
}

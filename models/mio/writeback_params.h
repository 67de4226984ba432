// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/base/params.h"

namespace spica::mio {

/// The write-back port of a load/store unit, through which loads write the register files of the cores.
struct WritebackParams {
  bool present = false;
  std::uint64_t banks = 2;
  std::uint64_t sector = 32;
  std::uint64_t registers_per_answer = 1;
  bool hits = false;
  bool banks_shared = true;
  std::uint64_t shared_answers = 20;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("present", p.present,
          "the loads of a load/store unit write registers through one port, which serves shared memory and "
          "misses of the level 1 data cache in turn; off: any number of loads per cycle",
          "gpgpu-sim src/gpgpu-sim/shader.cc (ldst_unit::writeback)");
    field("banks", p.banks, "banks", Range{1, 32},
          "banks of a core's register file, one write per cycle each; a load of several registers uses "
          "different banks",
          "gpgpu-sim gpgpusim.config (gpgpu_num_reg_banks / gpgpu_num_sched_per_core: 2 on TITAN V, 4 on "
          "RTX 2060)");
    field("sector", p.sector, "B", Range{16, 128, base::kPow2},
          "bytes of one answer to a missed load; each answer writes all registers of the load",
          "gpgpu-sim src/gpgpu-sim/gpu-cache.h (SECTOR_SIZE)");
    field("registers_per_answer", p.registers_per_answer, "registers", Range{1, 8},
          "registers written by an answer to a missed load; 4: loads of 4 bytes represent loads of 16 bytes",
          "UNCERTAIN; cutlass wmma_gemm loads 16 bytes per lane");
    field("hits", p.hits,
          "loads that hit in the level 1 data cache also use the port; off: they write registers at once",
          "gpgpu-sim src/gpgpu-sim/shader.cc (ldst_unit::L1_latency_queue_cycle)");
    field("banks_shared", p.banks_shared,
          "the two units of full+shared_only share the banks of a core; off: each unit writes to all of them",
          "UNCERTAIN: hardware shares them; a second unit of gpgpu-sim would not (opndcoll_rfu_t::step)");
    field(
        "shared_answers", p.shared_answers, "loads", Range{1, 64},
        "loads of shared memory that a unit has in flight or waiting for the port; further loads wait in "
        "front of the unit",
        "gpgpu-sim gpgpusim.config (gpgpu_smem_latency: pipeline stages, which fill while the port is busy)");
  }
};

}  // namespace spica::mio

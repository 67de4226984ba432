// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "models/base/params.h"
#include "models/protocol/payload/slice_map.h"

namespace spica::main_memory {

enum class Scheduling : std::uint8_t {
  kFcfs,    // strictly in order of arrival
  kFrFcfs,  // row hits first, otherwise in order of arrival
};
inline constexpr base::Choices kSchedulings{base::Choice<Scheduling>{"fcfs", Scheduling::kFcfs},
                                            base::Choice<Scheduling>{"fr_fcfs", Scheduling::kFrFcfs}};

/// The timing model of the memory.
enum class BackEndKind : std::uint8_t {
  kDram,     // DramBackEnd
  kFixed,    // FixedBackEnd
  kDramsys,  // make_dramsys_back_end()
};
inline constexpr base::Choices kBackEnds{base::Choice<BackEndKind>{"dram", BackEndKind::kDram},
                                         base::Choice<BackEndKind>{"fixed", BackEndKind::kFixed},
                                         base::Choice<BackEndKind>{"dramsys", BackEndKind::kDramsys}};

/// True if this build has the back end "dramsys".
bool has_dramsys();

/// One DRAM device type as timed by its memory controller, in DRAM clocks unless the unit says
/// otherwise. The defaults are DDR3_micron_64M_8B_x4_sg15, DDR3-1333 on a 64-bit bus (testchipip
/// dramsim2_ini); configs/blocks/ has others. Times between commands to different bank groups (tCCD_S, tRRD_S,
/// tWTR_S) are those of devices without groups: burst, rrd, wtr.
struct DramParams {
  std::uint64_t clock_ps = 1500;
  std::uint64_t banks = 8;
  std::uint64_t row_bytes = 16384;
  std::uint64_t access_bytes = 64;
  std::uint64_t burst = 4;
  std::uint64_t cl = 10;
  std::uint64_t cwl = 9;
  std::uint64_t rcd = 10;
  std::uint64_t rp = 10;
  std::uint64_t ras = 24;
  std::uint64_t rc = 34;
  std::uint64_t rrd = 4;
  std::uint64_t faw = 20;
  std::uint64_t wr = 10;
  std::uint64_t wtr = 5;
  std::uint64_t rtp = 5;
  std::uint64_t rfc = 107;
  std::uint64_t refresh_ns = 7800;
  std::uint64_t accesses_per_row = 4;
  Scheduling scheduling = Scheduling::kFrFcfs;
  std::uint64_t bank_bytes = 0;
  std::uint64_t bank_groups = 1;
  std::uint64_t ccd_l = 4;
  std::uint64_t rrd_l = 4;
  std::uint64_t wtr_l = 5;
  std::string energy;

  /// Peak rate of the data bus of one channel, in bytes per picosecond.
  double peak_bytes_per_ps() const {
    return static_cast<double>(access_bytes) / static_cast<double>(burst * clock_ps);
  }
  std::uint64_t consecutive_in_bank() const { return bank_bytes != 0 ? bank_bytes : access_bytes; }

  /// Parameters of the programming model (see describe.h).
  static constexpr std::string_view kProgrammingModel[] = {
      "clock_ps", "banks", "row_bytes", "access_bytes", "bank_bytes", "bank_groups", "energy"};
  /// Neither larger nor smaller values are better hardware (see describe.h).
  static constexpr std::string_view kPolicies[] = {"row_bytes",        "access_bytes", "refresh_ns",
                                                   "accesses_per_row", "bank_bytes",   "bank_groups"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    const Range clocks{1, 1000};
    field("clock_ps", p.clock_ps, "ps", Range{100, 10000}, "DRAM clock period (tCK)",
          "testchipip dramsim2_ini");
    field("banks", p.banks, "banks", Range{1, 64, base::kPow2}, "banks of a channel",
          "testchipip dramsim2_ini (8 banks, one rank)");
    field("row_bytes", p.row_bytes, "B", Range{512, 65536, base::kPow2}, "row size over the whole bus",
          "testchipip dramsim2_ini (2048 columns of 8 B)");
    field("access_bytes", p.access_bytes, "B", Range{16, 128, base::kPow2}, "data of one burst",
          "testchipip dramsim2_ini (BL 8 on 64 bit)");
    field("burst", p.burst, "clocks", clocks, "data bus time of one burst (BL / 2)",
          "testchipip dramsim2_ini");
    field("cl", p.cl, "clocks", clocks, "read command to data", "testchipip dramsim2_ini");
    field("cwl", p.cwl, "clocks", clocks, "write command to data", "UNCERTAIN: CL - 1");
    field("rcd", p.rcd, "clocks", clocks, "activate to read or write", "testchipip dramsim2_ini");
    field("rp", p.rp, "clocks", clocks, "precharge to activate", "testchipip dramsim2_ini");
    field("ras", p.ras, "clocks", clocks, "activate to precharge", "testchipip dramsim2_ini");
    field("rc", p.rc, "clocks", clocks, "activate to activate, same bank", "testchipip dramsim2_ini");
    field("rrd", p.rrd, "clocks", clocks, "activate to activate, different banks",
          "UNCERTAIN: 4, usual for the speed grade");
    field("faw", p.faw, "clocks", clocks, "window of at most four activates", "testchipip dramsim2_ini");
    field("wr", p.wr, "clocks", clocks, "end of write data to precharge",
          "UNCERTAIN: 10 (15 ns), usual for the speed grade");
    field("wtr", p.wtr, "clocks", clocks, "end of write data to read command",
          "UNCERTAIN: 5, usual for the speed grade");
    field("rtp", p.rtp, "clocks", clocks, "read command to precharge",
          "UNCERTAIN: 5, usual for the speed grade");
    field("rfc", p.rfc, "clocks", clocks, "duration of a refresh", "testchipip dramsim2_ini");
    field("refresh_ns", p.refresh_ns, "ns", Range{0, 1000000}, "refresh interval; 0 turns refresh off",
          "testchipip dramsim2_ini");
    field("accesses_per_row", p.accesses_per_row, "accesses", Range{1, 65535},
          "accesses to an open row after which it is closed", "testchipip dramsim2_ini");
    field("scheduling", p.scheduling, kSchedulings, "selection of the next queued access",
          "UNCERTAIN: the source goes round robin over the banks and takes open rows first");
    field("bank_bytes", p.bank_bytes, "B", Range{0, 4096},
          "consecutive bytes of a channel per bank, a power of two; 0: one burst");
    field("bank_groups", p.bank_groups, "groups", Range{1, 16, base::kPow2},
          "bank groups, with consecutive banks in different groups; 1: timings within a group do "
          "not apply");
    field("ccd_l", p.ccd_l, "clocks", clocks, "read or write command to the next, same bank group (tCCD_L)",
          "no groups in DDR3: tCCD");
    field("rrd_l", p.rrd_l, "clocks", clocks,
          "activate to activate, different banks of one bank group (tRRD_L)", "no groups in DDR3: tRRD");
    field("wtr_l", p.wtr_l, "clocks", clocks, "end of write data to read command, same bank group (tWTR_L)",
          "no groups in DDR3: tWTR");
    field("energy", p.energy,
          "energies of the device: a file, or a name in configs/power/dram/; empty: those of the "
          "energy table, which apply to any device");
  }
};

/// A memory with fixed latency and bandwidth (FixedBackEnd).
struct FixedParams {
  double latency_ns = 100;
  double gb_per_s = 20;
  std::uint64_t requests = 4096;
  bool per_channel = false;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("latency_ns", p.latency_ns, "ns", Range{0, 1e6},
          "uncontended latency of a request, rounded up to a cycle");
    field("gb_per_s", p.gb_per_s, "GB/s", Range{0.001, 100000},
          "bandwidth of the whole memory, reads and writes together; 1 GB is 10^9 bytes");
    field("requests", p.requests, "requests", Range{1, 32768},
          "outstanding requests; with per_channel, of each channel");
    field("per_channel", p.per_channel,
          "each of main_memory.channels has an equal part of gb_per_s; off: any request can use all of it");
  }
};

/// The DRAMSys of this build (dramsys_back_end.h).
struct DramsysParams {
  std::string config;
  std::uint64_t requests = 64;

  /// Parameters of the programming model (see describe.h).
  static constexpr std::string_view kProgrammingModel[] = {"config"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("config", p.config, "configuration file of DRAMSys (JSON), relative to the working directory");
    field("requests", p.requests, "requests", base::Range{1, 4096}, "outstanding requests");
  }
};

struct Params {
  bool external = false;
  std::uint64_t base = 0x80000000;
  std::uint64_t size = 0x80000000;
  std::uint64_t channels = 2;
  std::uint64_t interleave_bytes = 64;
  std::uint64_t transaction_queue = 32;
  std::uint64_t request_latency = 20;
  std::uint64_t response_latency = 20;
  std::uint64_t port_bytes_per_cycle = 32;
  BackEndKind back_end = BackEndKind::kDram;
  /// Set by the machine, not a key: the slices of the level 2 cache, each with a port; each channel serves the same
  /// number of neighbouring ones. nullptr: one port, and channels interleaved by interleave_bytes.
  std::shared_ptr<const protocol::SliceMap> slices;
  bool uses_channels() const { return is_fixed() ? fixed.per_channel : is_dram(); }
  /// True if the back end decides by itself where an address is.
  bool maps_addresses() const { return back_end == BackEndKind::kDramsys; }
  bool is_dram() const { return back_end == BackEndKind::kDram; }
  bool is_fixed() const { return back_end == BackEndKind::kFixed; }
  bool has_device_energies() const { return is_dram() && !external && !dram.energy.empty(); }
  DramParams dram;
  FixedParams fixed;
  DramsysParams dramsys;
  double clock_mhz = 0;

  /// Parameters of the programming model (see describe.h).
  static constexpr std::string_view kProgrammingModel[] = {"external", "base", "size", "channels",
                                                           "back_end"};

  /// Peak data rate of the memory per cycle of `cycle_ps`; 0 for DRAMSys, where it is unknown.
  double peak_bytes_per_cycle(double cycle_ps) const {
    if (back_end == BackEndKind::kDramsys) return 0;
    if (is_fixed()) return fixed.gb_per_s * 1e-3 * cycle_ps;
    return static_cast<double>(channels) *
           std::min(dram.peak_bytes_per_ps() * cycle_ps, static_cast<double>(port_bytes_per_cycle));
  }

  /// Neither larger nor smaller values are better hardware (see describe.h).
  static constexpr std::string_view kPolicies[] = {"size", "interleave_bytes"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    using base::Range;
    field("external", p.external,
          "the memory is outside the machine: the simulation that contains the machine binds one; "
          "only base and size apply");
    field("base", p.base, "address", Range{0, 4294963200.0}, "first address", "chipyard AbstractConfig");
    field("size", p.size, "B", Range{4096, 4294967296.0}, "capacity", "chipyard RadianceConfigs.scala");
    field("channels", p.channels, "channels", Range{1, 64}, "DRAM channels", "testchipip dramsim2_ini");
    field("interleave_bytes", p.interleave_bytes, "B", Range{64, 1048576, base::kPow2},
          "consecutive bytes per channel", "UNCERTAIN: one L2 line");
    field("transaction_queue", p.transaction_queue, "requests", Range{1, 256}, "queue of a channel",
          "testchipip dramsim2_ini");
    field("request_latency", p.request_latency, "cycles", Range{1, 63},
          "from acceptance of a request to the scheduler of the channel (bus conversion, "
          "controller)",
          "UNCERTAIN: a load-to-use in the middle of 80 to 120 (D20)");
    field("response_latency", p.response_latency, "cycles", Range{0, 1000},
          "from the end of the data burst to the response",
          "UNCERTAIN: a load-to-use in the middle of 80 to 120 (D20)");
    field("port_bytes_per_cycle", p.port_bytes_per_cycle, "B", Range{1, 128, base::kPow2},
          "width of the port of a channel", "UNCERTAIN: 8 to 32");
    field("back_end", p.back_end, kBackEnds,
          "timing model: dram: channels, queues and ports of this section with devices of `dram`; "
          "fixed: latency and bandwidth of `fixed`; dramsys: DRAMSys, `dramsys`");
    field.group("dram", p.dram, "device and its timing");
    field.group("fixed", p.fixed, "back end fixed");
    field.group("dramsys", p.dramsys, "back end dramsys");
    field("clock_mhz", p.clock_mhz, "MHz", Range{0, 10000},
          "clock of queues, ports and latencies of this section; 0: clock_mhz of the machine. "
          "Devices have their own clock");
  }

  template <class Report>
  static void check(const Params& p, Report&& contradiction) {
    if (p.base % 4096 != 0 || p.size % 4096 != 0)
      contradiction({"base", "size"}, "base and size must be multiples of 4096");
    if (p.dram.row_bytes < p.dram.access_bytes)
      contradiction({"dram.row_bytes", "dram.access_bytes"}, "a row must hold at least one access");
    if (p.interleave_bytes < p.dram.access_bytes)
      contradiction({"interleave_bytes", "dram.access_bytes"},
                    "interleave_bytes must not be smaller than one access");
    if (p.dram.rc < p.dram.ras + p.dram.rp)
      contradiction({"dram.rc", "dram.ras", "dram.rp"}, "rc must be at least ras + rp");
    const std::uint64_t in_bank = p.dram.consecutive_in_bank();
    if ((in_bank & (in_bank - 1)) != 0 || in_bank < p.dram.access_bytes || in_bank > p.dram.row_bytes)
      contradiction({"dram.bank_bytes"}, "0, or a power of two from access_bytes to row_bytes: " +
                                             std::to_string(p.dram.access_bytes) + " to " +
                                             std::to_string(p.dram.row_bytes) + " here");
    if (p.interleave_bytes < in_bank)
      contradiction({"interleave_bytes", "dram.bank_bytes"},
                    "interleave_bytes must not be smaller than bank_bytes");
    if (p.back_end == BackEndKind::kDramsys && !has_dramsys())
      contradiction(
          {"back_end"},
          "this program was built without DRAMSys (docs/howto/choose-a-memory.md); use dram or fixed");
    if (p.back_end == BackEndKind::kDramsys && p.dramsys.config.empty())
      contradiction({"back_end", "dramsys.config"},
                    "DRAMSys needs its configuration file: dramsys.config=FILE");
    if (p.dram.bank_groups > p.dram.banks)
      contradiction({"dram.bank_groups", "dram.banks"}, "each bank group has at least one bank");
  }
};

}  // namespace spica::main_memory

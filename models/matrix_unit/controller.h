// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "models/matrix_unit/command_front_end.h"
#include "models/matrix_unit/commands.h"
#include "models/matrix_unit/loop_unroller.h"
#include "models/matrix_unit/matrix_unit_stats.h"
#include "models/matrix_unit/reservation_station.h"
#include "models/matrix_unit/rocc_decoder.h"
#include "models/protocol/payload/payload_pool.h"
#include "models/protocol/ports/fault_if.h"
#include "models/protocol/ports/probe_if.h"

namespace spica::base {
class Checkpoint;
}

namespace spica::matrix_unit {

/// The commands of a matrix unit, from the registers that software writes to the resulting loads, stores, preloads and
/// computes. All rules for commands, reports and counters are here, for both modes; timing is up to the caller.
///
///   CSR 0xACC  write_word() ─┐
///   MMIO       serve() ──────┴─► expand() ─► take_front() ─┬─────────────────► unit commands
///                                                          └─ loops ─ unroll() ─► unit commands
///
/// In the cycle mode tick() does these for a cycle; the unit commands go to the reservation station.
///
/// Reports  invalid commands, which have no effect; what becomes of unit commands is in the WorkLog
/// Counts   commands and loops
class Controller {
 public:
  /// `probed`: its probe is notified.
  Controller(const MatrixUnitParams& params, MatrixUnitStats& stats, const protocol::Probed& probed)
      : params_(params),
        stats_(stats),
        probed_(probed),
        front_end_(params),
        decoder_(params, transfers_),
        slots_(params),
        unroller_(params, slots_, transfers_) {}
  void connect(protocol::FaultIf& fault) { fault_ = &fault; }

  // -- register accesses
  /// A word of CSR 0xACC, unit number cleared. False: it is lost or unknown, and reported.
  bool write_word(std::uint32_t word, const Origin& by, base::Cycle now);
  enum class Served : std::uint8_t { kYes, kLaunched, kHeld };
  /// An access to the register block. kLaunched: a command was accepted; kHeld: it cannot be accepted yet, and nothing
  /// has happened. `read(offset)` returns the busy or loops register, whose value depends on time.
  template <class Read>
  Served serve(protocol::Payload& payload, base::Cycle now, Read&& read);
  bool readable(std::uint32_t offset) const {
    return offset == MATRIX_UNIT_BUSY ||
           (offset == MATRIX_UNIT_LOOPS && params_.command_set == CommandSet::kHexadecile);
  }
  std::uint32_t running_loops() const { return front_end_.running_loops(); }

  // -- RoCC commands
  /// True if words wait for expansion or RoCC commands wait.
  bool waiting() const { return !front_end_.idle(); }
  /// One cycle of expansion; true if something moved.
  bool expand() { return front_end_.tick(); }
  bool has_front() const { return !front_end_.empty(); }
  /// True if the first command belongs to a loop, and does not become a unit command itself.
  bool front_is_of_a_loop() const { return LoopSlots::is_loop_command(front_end_.front().function); }
  /// False if it must wait: a loop command for a free slot, any other until the loops have issued everything.
  bool can_take_front() const {
    return front_is_of_a_loop() ? slots_.can_accept() : !slots_.any_configured();
  }
  /// Takes the first command. The result is valid until the next call.
  const RoccDecoder::Result& take_front(base::Cycle now);

  // -- loops
  bool loops_configured() const { return slots_.any_configured(); }
  struct Unrolled {
    bool command = false;  // there was a command
    bool loop_done = false;  // everything of the oldest loop is unrolled
    bool counted = false;  // ... and it counted as a running loop
  };
  /// The next command of the configured loops for which there is room.
  Unrolled unroll(base::Cycle now, const LoopUnroller::Room& room, UnitCommand& out);
  bool execute_waits_for_loads() const { return unroller_.execute_waits_for_loads(); }

  // -- a cycle
  struct Progress {
    bool unrolled = false;  // a command of a loop went to the station
    bool moved = false;  // a RoCC command was taken, or words were expanded
  };
  Progress tick(base::Cycle now, ReservationStation& station) {
    Progress progress;
    if (unroll_due_ || loop_start_ <= now) progress.unrolled = unroll(now, station);
    if (has_front()) progress.moved = decode(now, station);
    if (waiting() && expand()) progress.moved = true;
    return progress;
  }
  /// The next tick may find a command of a loop, whatever happens until then.
  bool unroll_due() const { return unroll_due_; }
  /// The cycle in which the next loop that waits starts; kNever: none does.
  base::Cycle loop_start() const { return loop_start_; }
  /// An entry of the station is free again.
  void room_made() { unroll_due_ = true; }

  void reset();
  /// Not saved: decoded_ and unrolled_, which are consumed in their cycle; unroll_due_ and loop_start_ by timing().
  template <class Archive>
  void serialize(Archive& archive) {
    archive(front_end_, transfers_, decoder_, slots_, unroller_, rs1_, rs2_, commands_);
  }
  /// What only the cycle mode has.
  void timing(base::Checkpoint& checkpoint);
  void dump(std::ostream& out) const { slots_.dump(out); }

 private:
  /// The issuer of the next command, with its number.
  Origin numbered(Origin by) const {
    by.command = commands_ + 1;
    return by;
  }
  bool write_register(std::uint32_t offset, std::uint32_t value, const Origin& by, base::Cycle now);
  void taken(const Origin& origin, std::uint32_t word, base::Cycle now);
  void wrong(const Origin& origin, const std::string& detail, base::Cycle now);
  bool unroll(base::Cycle now, ReservationStation& station);
  bool decode(base::Cycle now, ReservationStation& station);

  const MatrixUnitParams& params_;
  MatrixUnitStats& stats_;
  const protocol::Probed& probed_;
  protocol::FaultIf* fault_ = nullptr;
  CommandFrontEnd front_end_;
  TransferRegisters transfers_;
  RoccDecoder decoder_;
  LoopSlots slots_;
  LoopUnroller unroller_;
  std::uint64_t rs1_ = 0, rs2_ = 0;  // operands set by stores to the MMIO block
  std::uint32_t commands_ = 0;  // commands taken so far
  RoccDecoder::Result decoded_;
  UnitCommand unrolled_;  // output of unroll(), which writes all members
  bool unroll_due_ = false;  // unroll() may find something
  base::Cycle loop_start_ = base::kNever;
};

template <class Read>
Controller::Served Controller::serve(protocol::Payload& payload, base::Cycle now, Read&& read) {
  const auto offset = static_cast<std::uint32_t>(payload.get_address() % MATRIX_UNIT_BLOCK_BYTES);
  const bool launches = payload.is_write() && offset == MATRIX_UNIT_INSTRUCTION;
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
  std::uint32_t value = 0;
  if (payload.get_data_length() != 4 || offset % 4 != 0) {
    status = tlm::TLM_BURST_ERROR_RESPONSE;
  } else if (payload.is_read()) {
    if (readable(offset)) {
      value = read(offset);
      std::memcpy(payload.get_data_ptr(), &value, 4);
      ++stats_.mmio_reads;
    } else {
      status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
    }
  } else if (launches && !front_end_.can_launch()) {
    return Served::kHeld;
  } else {
    std::memcpy(&value, payload.get_data_ptr(), 4);
    if (!write_register(offset, value, protocol::info_of(payload).origin, now))
      status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
  payload.set_response_status(status);
  return launches && status == tlm::TLM_OK_RESPONSE ? Served::kLaunched : Served::kYes;
}

}  // namespace spica::matrix_unit

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "models/matrix_unit/command_front_end.h"
#include "models/matrix_unit/commands.h"
#include "models/matrix_unit/loop_unroller.h"
#include "models/matrix_unit/matrix_unit_stats.h"
#include "models/matrix_unit/rocc_decoder.h"
#include "models/protocol/fault_if.h"
#include "models/protocol/payload_pool.h"
#include "models/protocol/probe_if.h"

namespace spica::matrix_unit {

/// The commands of a matrix unit, from the register that software writes to the loads, stores, preloads and computes
/// that they become. Every rule of a command, a report or a count is here, for both modes; when things happen is up to
/// the caller.
///
///   CSR 0xACC  write_word() ─┐
///   MMIO       serve() ──────┴─► expand() ─► take_front() ─┬─────────────────► unit commands
///                                                          └─ loops ─ unroll() ─► unit commands
///
/// Reports  invalid commands, which have no effect, and moves that leave memory; to observers what begins and ends
/// Counts   commands, loops and the work they become
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

  // -- what software writes and reads
  /// A word of CSR 0xACC, unit number cleared. False: it is lost or unknown, and reported.
  bool write_word(std::uint32_t word, const Origin& by, base::Cycle now);
  enum class Served : std::uint8_t { kYes, kLaunched, kHeld };
  /// An access to the block of registers. kLaunched: a command came in; kHeld: it cannot yet, nothing happened.
  /// `read(offset)` gives what the busy and the loops register show, which is a matter of time.
  template <class Read>
  Served serve(protocol::Payload& payload, base::Cycle now, Read&& read);
  bool readable(std::uint32_t offset) const {
    return offset == MATRIX_UNIT_BUSY ||
           (offset == MATRIX_UNIT_LOOPS && params_.command_set == CommandSet::kHexadecile);
  }
  std::uint32_t running_loops() const { return front_end_.running_loops(); }

  // -- RoCC commands
  /// There are words to be expanded or RoCC commands that wait.
  bool waiting() const { return !front_end_.idle(); }
  /// One cycle of expansion; true when something moved.
  bool expand() { return front_end_.tick(); }
  bool has_front() const { return !front_end_.empty(); }
  /// The command in front belongs to a loop: it becomes nothing by itself.
  bool front_is_of_a_loop() const { return LoopSlots::is_loop_command(front_end_.front().function); }
  /// False while it has to wait: one of a loop until a slot is free, any other until the loops have issued everything.
  bool can_take_front() const {
    return front_is_of_a_loop() ? slots_.can_accept() : !slots_.any_configured();
  }
  /// Takes it; what it becomes, until the next call.
  const RoccDecoder::Result& take_front(base::Cycle now);

  // -- loops
  bool loops_configured() const { return slots_.any_configured(); }
  struct Unrolled {
    bool command = false;  // there was one
    bool loop_done = false;  // everything of the oldest loop is unrolled
    bool counted = false;  // ... and it counted as a running loop
  };
  /// The next command of the configured loops for which there is room.
  Unrolled unroll(base::Cycle now, const LoopUnroller::Room& room, UnitCommand& out);
  /// False: the next unroll() surely has no command, unless a loop is configured or starts.
  bool may_unroll(const LoopUnroller::Room& room) const { return unroller_.may_resume(room); }
  base::Cycle next_loop_start(base::Cycle now) const { return slots_.next_start(now); }
  bool execute_waits_for_loads() const { return unroller_.execute_waits_for_loads(); }

  // -- what becomes of unit commands
  /// `id` names the command until it ends.
  void begin(const UnitCommand& command, std::uint32_t id, base::Cycle now) {
    count(command);
    if (probed_.probe() != nullptr) notify_begin(command, id, now);
  }
  void end(std::uint32_t id, base::Cycle now) {
    if (probed_.probe() != nullptr) probed_.probe()->on_work_end(now, probed_.source(), id);
  }
  /// A load or store that left memory.
  void failed(const UnitCommand& command, base::Cycle now);

  void reset();
  /// Not saved: decoded_, which is used up in its cycle.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(front_end_, transfers_, decoder_, slots_, unroller_, rs1_, rs2_, commands_);
  }
  void dump(std::ostream& out) const { slots_.dump(out); }

 private:
  /// Who gave the next command, and its number.
  Origin numbered(Origin by) const {
    by.command = commands_ + 1;
    return by;
  }
  bool write_register(std::uint32_t offset, std::uint32_t value, const Origin& by, base::Cycle now);
  void taken(const Origin& origin, std::uint32_t word, base::Cycle now);
  void wrong(const Origin& origin, const std::string& detail, base::Cycle now);
  void notify_begin(const UnitCommand& command, std::uint32_t id, base::Cycle now);
  void count(const UnitCommand& command);

  const MatrixUnitParams& params_;
  MatrixUnitStats& stats_;
  const protocol::Probed& probed_;
  protocol::FaultIf* fault_ = nullptr;
  CommandFrontEnd front_end_;
  TransferRegisters transfers_;
  RoccDecoder decoder_;
  LoopSlots slots_;
  LoopUnroller unroller_;
  std::uint64_t rs1_ = 0, rs2_ = 0;  // operands that stores to the MMIO block have latched
  std::uint32_t commands_ = 0;  // taken so far
  RoccDecoder::Result decoded_;
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

inline void Controller::count(const UnitCommand& command) {
  switch (command.kind) {
    case UnitCommand::Kind::kLoad: ++stats_.loads; break;
    case UnitCommand::Kind::kStore: ++stats_.stores; break;
    case UnitCommand::Kind::kPreload: stats_.preloads += command.has_operand ? 1 : 0; break;
    case UnitCommand::Kind::kCompute:
      ++stats_.block_operations;
      if (params_.block_scales && command.first_of_k) break;  // scales are moved in
      stats_.macs += std::uint64_t{command.rows} * command.columns * params_.macs_per_cell * params_.dim;
      break;
  }
}

}  // namespace spica::matrix_unit

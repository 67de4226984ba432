// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/controller.h"

#include "models/base/checkpoint.h"
#include "models/matrix_unit/unit_faults.h"

namespace spica::matrix_unit {

bool Controller::write_word(std::uint32_t word, const Origin& by, base::Cycle now) {
  const Origin origin = numbered(by);
  switch (front_end_.command(word, origin)) {
    case CommandFrontEnd::Taken::kYes:
      ++stats_.cisc_commands;
      taken(origin, word, now);
      return true;
    case CommandFrontEnd::Taken::kLost:
      ++stats_.commands_lost;
      fault_->report(lost_in_expansion(params_, now, origin, word));
      return false;
    case CommandFrontEnd::Taken::kUnknown: break;
  }
  wrong(origin, unknown_word(word, params_), now);
  return false;
}

bool Controller::write_register(std::uint32_t offset, std::uint32_t value, const Origin& by,
                                base::Cycle now) {
  switch (offset) {
    case MATRIX_UNIT_RS1_LO: rs1_ = join(high(rs1_), value); return true;
    case MATRIX_UNIT_RS1_HI: rs1_ = join(value, low(rs1_)); return true;
    case MATRIX_UNIT_RS2_LO: rs2_ = join(high(rs2_), value); return true;
    case MATRIX_UNIT_RS2_HI: rs2_ = join(value, low(rs2_)); return true;
    case MATRIX_UNIT_INSTRUCTION: break;
    default: return false;
  }
  const unsigned function = value >> MATRIX_UNIT_FUNCTION_SHIFT & MATRIX_UNIT_FUNCTION_MASK;
  const Origin origin = numbered(by);
  ++stats_.mmio_commands;
  taken(origin, function, now);
  front_end_.launch({function, rs1_, rs2_, origin});
  return true;
}

void Controller::taken(const Origin& origin, std::uint32_t word, base::Cycle now) {
  ++commands_;
  if (probed_.probe() != nullptr) probed_.probe()->on_command(now, probed_.source(), origin, word);
}

void Controller::wrong(const Origin& origin, const std::string& detail, base::Cycle now) {
  ++stats_.bad_commands;
  fault_->report(bad_command(params_, now, origin, detail));
}

const RoccDecoder::Result& Controller::take_front(base::Cycle now) {
  const RoccCommand& command = front_end_.front();
  if (front_is_of_a_loop()) {
    decoded_.count = 0;
    decoded_.wrong = slots_.accept(command, now);
    if (!decoded_.wrong.empty()) front_end_.loop_completed();
  } else {
    decoded_ = decoder_.decode(command);
  }
  if (!decoded_.wrong.empty()) wrong(command.origin, decoded_.wrong, now);
  front_end_.pop();
  return decoded_;
}

Controller::Unrolled Controller::unroll(base::Cycle now, const LoopUnroller::Room& room, UnitCommand& out) {
  Unrolled result;
  unroller_.start_phases(now);
  result.command = unroller_.next(room, out);
  if (slots_.retire()) {
    ++stats_.loops;
    result.loop_done = true;
    result.counted = front_end_.running_loops() != 0;
    front_end_.loop_completed();
  }
  return result;
}

namespace {
LoopUnroller::Room room_of(const ReservationStation& station) {
  return {station.has_room(CommandClass::kLoad), station.has_room(CommandClass::kStore),
          station.has_room(CommandClass::kExecute)};
}
}  // namespace

/// True when a command went to the reservation station. Has to be called only when it may find one: when the last call
/// returned it, when there is new room or a new loop, and when a loop starts.
bool Controller::unroll(base::Cycle now, ReservationStation& station) {
  unroll_due_ = false;
  if (!loops_configured()) return false;
  const Unrolled found = unroll(now, room_of(station), unrolled_);
  if (found.command) station.allocate(unrolled_);
  unroll_due_ = found.loop_done || (found.command && unroller_.may_resume(room_of(station)));
  loop_start_ = slots_.next_start(now);
  return found.command;
}

bool Controller::decode(base::Cycle now, ReservationStation& station) {
  if (!can_take_front()) return false;
  const bool of_a_loop = front_is_of_a_loop();
  for (const CommandClass c : {CommandClass::kLoad, CommandClass::kStore, CommandClass::kExecute})
    if (!of_a_loop && !station.has_room(c, 2)) return false;
  const RoccDecoder::Result& decoded = take_front(now);
  for (unsigned i = 0; i < decoded.count; ++i) station.allocate(decoded.commands[i]);
  unroll_due_ |= of_a_loop;
  return true;
}

void Controller::timing(base::Checkpoint& checkpoint) { checkpoint(unroll_due_, loop_start_); }

void Controller::reset() {
  front_end_.reset();
  transfers_ = {};
  decoder_.reset();
  slots_.reset();
  unroller_.reset();
  rs1_ = rs2_ = 0;
  commands_ = 0;
  unroll_due_ = false;
  loop_start_ = base::kNever;
}

}  // namespace spica::matrix_unit

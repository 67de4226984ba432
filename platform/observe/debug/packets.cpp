// SPDX-License-Identifier: Apache-2.0
// What gdb asks of a stopped machine: registers, memory, threads, breakpoints, and to continue.
#include <fmt/format.h>

#include <algorithm>

#include "platform/machine/loader/stack_layout.h"
#include "platform/observe/debug/server.h"

namespace spica::debug {

namespace {

constexpr std::uint64_t kAddresses = std::uint64_t{1} << 32;

}  // namespace

Server::Wish Server::handle(std::string_view packet) {
  Cursor cursor(packet);
  if (cursor.take("D")) {
    connection_.send(kGood);
    return Wish::kDetach;
  }
  if (cursor.take("vKill")) {
    connection_.send(kGood);
    return Wish::kKill;
  }
  if (packet == "k") return Wish::kKill;
  if (packet == "bs") return Wish::kStepBack;
  if (packet == "bc") return Wish::kGoBack;
  const bool goes = packet.substr(0, 6) == "vCont;" ||
                    (!packet.empty() && std::string_view("csCS").find(packet[0]) != std::string_view::npos);
  if (goes) {
    if (parse_orders(packet)) return Wish::kGo;
    connection_.send(kError);
    return Wish::kNone;
  }
  connection_.send(answer(packet));
  if (packet == "QStartNoAckMode") connection_.stop_acknowledging();
  return Wish::kNone;
}

std::string Server::answer(std::string_view packet) {
  if (packet.empty()) return {};
  Cursor cursor(packet.substr(1));
  switch (packet[0]) {
    case '?':
      connection_.take_interrupt();  // the machine is stopped, as a client that connects expects
      return stop_reply();
    case 'g': return to_hex(target_.registers(current_).read_general());
    case 'G': {
      const auto bytes = from_hex(cursor.rest());
      if (!bytes || !target_.registers(current_).write_general(*bytes)) return kError;
      history_.begin();
      return kGood;
    }
    case 'p': return read_register(cursor);
    case 'P': return write_register(cursor);
    case 'm': return read_memory(cursor);
    case 'M': return write_memory(cursor, false);
    case 'X': return write_memory(cursor, true);
    case 'Z': return change_breakpoint(cursor, true);
    case 'z': return change_breakpoint(cursor, false);
    case 'H': return select_thread(cursor);
    case 'T': {
      std::int64_t thread = 0;
      return cursor.thread(thread) && warp_of(thread) ? kGood : kError;
    }
    case 'q':
    case 'Q':
    case 'v': return answer_query(packet);
    default: return {};  // not known here
  }
}

std::optional<unsigned> Server::warp_of(std::int64_t thread) {
  if (thread < 1 || thread > target_.warps()) return std::nullopt;
  const auto warp = static_cast<unsigned>(thread - 1);
  if (!target_.running(warp) && warp != current_) return std::nullopt;
  return warp;
}

std::string Server::select_thread(Cursor cursor) {
  const bool for_steps = cursor.take("c");
  std::int64_t thread = 0;
  if ((!for_steps && !cursor.take("g")) || !cursor.thread(thread)) return kError;
  if (thread <= 0) {
    if (for_steps) step_thread_ = ~0u;
    return kGood;
  }
  const auto warp = warp_of(thread);
  if (!warp) return kError;
  (for_steps ? step_thread_ : current_) = *warp;
  return kGood;
}

std::string Server::read_register(Cursor cursor) {
  std::uint64_t number = 0;
  if (!cursor.number(number) || number > 0xFFFF) return kError;
  const auto bytes = target_.registers(current_).read(static_cast<unsigned>(number));
  return bytes ? to_hex(*bytes) : kError;
}

std::string Server::write_register(Cursor cursor) {
  std::uint64_t number = 0;
  if (!cursor.number(number) || number > 0xFFFF || !cursor.take("=")) return kError;
  const auto bytes = from_hex(cursor.rest());
  if (!bytes || !target_.registers(current_).write(static_cast<unsigned>(number), *bytes)) return kError;
  history_.begin();
  return kGood;
}

std::string Server::read_memory(Cursor cursor) {
  std::uint64_t address = 0, bytes = 0;
  if (!cursor.number(address) || !cursor.take(",") || !cursor.number(bytes)) return kError;
  if (bytes == 0) return {};
  bytes = std::min<std::uint64_t>(bytes, kMaxPacket / 2);
  const std::string data = target_.read(address, bytes, current_);
  return data.empty() ? kError : to_hex(data);
}

std::string Server::write_memory(Cursor cursor, bool binary) {
  std::uint64_t address = 0, bytes = 0;
  if (!cursor.number(address) || !cursor.take(",") || !cursor.number(bytes) || !cursor.take(":"))
    return kError;
  const auto data = binary ? std::optional<std::string>(cursor.rest()) : from_hex(cursor.rest());
  if (!data || data->size() != bytes) return kError;
  if (!target_.write(address, *data, current_)) return kError;
  wrote_variable_ |= is_kept_variable(address);
  history_.begin();
  return kGood;
}

/// On a stack, in a program whose variables are there for a debugger (compiler/plugin/variables.h).
bool Server::is_kept_variable(std::uint64_t address) const {
  const loader::Program& program = sources_.program();
  if (program.find("spica_keeps_variables") == nullptr) return false;
  const auto stacks = loader::stack_layout(program);
  const auto& machine = control_.machine().params();
  const std::uint64_t harts =
      machine.clusters * machine.cluster.cores * machine.cluster.core.warps * machine.cluster.core.lanes;
  return stacks && address < stacks->top && address >= stacks->begin(harts - 1);
}

std::string Server::change_breakpoint(Cursor cursor, bool insert) {
  if (cursor.empty() || cursor.rest()[0] < '0' || cursor.rest()[0] > '4') return {};
  const char kind = cursor.rest()[0];
  cursor.take(cursor.rest().substr(0, 1));
  std::uint64_t address = 0, bytes = 0;
  if (!cursor.take(",") || !cursor.number(address) || !cursor.take(",") || !cursor.number(bytes))
    return kError;
  if (address >= kAddresses || bytes > kAddresses - address) return kError;
  if (insert && (kind < '2' ? !target_.executable(address)
                            : bytes == 0 || target_.has_group_words(address) ||
                                  target_.read(address, 1, current_).empty()))
    return kError;
  const auto at = static_cast<std::uint32_t>(address);
  if (kind < '2') {
    std::vector<std::string> conditions;
    if (insert && !parse_conditions(cursor, conditions)) return kError;
    if (insert) supervisor_.insert_breakpoint(kind, at, std::move(conditions));
    else supervisor_.remove_breakpoint(kind, at);
    return kGood;
  }
  const Watchpoints::Watch watch{kind, at, static_cast<std::uint32_t>(bytes)};
  if (insert) supervisor_.watchpoints().insert(watch);
  else supervisor_.watchpoints().remove(watch);
  return kGood;
}

/// ;Xlength,bytes...: agent expressions.
bool Server::parse_conditions(Cursor cursor, std::vector<std::string>& conditions) {
  while (!cursor.empty()) {
    cursor.take(";");
    std::uint64_t length = 0;
    if (!cursor.take("X") || !cursor.number(length) || !cursor.take(",") || length > kMaxPacket) return false;
    const std::string_view digits = cursor.rest().substr(0, 2 * length);
    const auto code = from_hex(digits);
    if (!code || code->size() != length || code->empty()) return false;
    conditions.push_back(*code);
    cursor.take(digits);
  }
  return true;
}

/// The old forms: c [address], s [address], C signal [;address], S signal [;address], for the thread of Hc.
bool Server::parse_orders(std::string_view packet) {
  Cursor cursor(packet);
  if (cursor.take("vCont;")) return parse_vcont(cursor);
  const char letter = packet[0];
  cursor.take(packet.substr(0, 1));
  std::uint64_t value = 0;
  if (letter == 'C' || letter == 'S') {
    if (!cursor.number(value)) return false;
    cursor.take(";");
  }
  const bool steps = letter == 's' || letter == 'S';
  const unsigned warp = step_thread_ != ~0u ? step_thread_ : current_;
  if (!cursor.empty()) {
    if (!cursor.number(value) || value >= kAddresses || value % 4 != 0) return false;
    if (!final_)
      control_.machine().set_pc(target_.core_of(warp), target_.warp_in_core(warp),
                                static_cast<std::uint32_t>(value));
    history_.begin();
  }
  const bool all = step_thread_ == ~0u;
  orders_.assign(target_.warps(), Order{all ? Order::Kind::kGo : Order::Kind::kHold});
  orders_[warp].kind = steps ? Order::Kind::kStep : Order::Kind::kGo;
  return true;
}

/// vCont;action[:thread];...: for each thread the first action that names it, or all; none: it is held.
bool Server::parse_vcont(Cursor cursor) {
  orders_.assign(target_.warps(), Order{Order::Kind::kHold});
  std::vector<bool> ordered(target_.warps(), false);
  bool some = false;
  while (!cursor.empty()) {
    Cursor part(cursor.until(';'));
    Order order;
    std::uint64_t signal = 0, begin = 0, end = 0;
    if (part.take("c")) {
      order.kind = Order::Kind::kGo;
    } else if (part.take("C")) {
      if (!part.number(signal)) return false;
    } else if (part.take("s")) {
      order.kind = Order::Kind::kStep;
    } else if (part.take("S")) {
      if (!part.number(signal)) return false;
      order.kind = Order::Kind::kStep;
    } else if (part.take("r")) {
      if (!part.number(begin) || !part.take(",") || !part.number(end) || end > kAddresses) return false;
      // An empty range is one instruction.
      order = {begin < end ? Order::Kind::kRange : Order::Kind::kStep, static_cast<std::uint32_t>(begin),
               static_cast<std::uint32_t>(end)};
    } else {
      return false;
    }
    std::int64_t thread = -1;
    if (part.take(":") && !part.thread(thread)) return false;
    if (!part.empty() || thread > target_.warps()) return false;
    if (thread == 0) thread = current_ + 1;
    for (unsigned warp = 0; warp < target_.warps(); ++warp) {
      if (ordered[warp] || (thread != -1 && thread != warp + 1)) continue;
      ordered[warp] = true;
      orders_[warp] = order;
    }
    some = true;
  }
  return some;
}

}  // namespace spica::debug

// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/session/host_interface.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>
#include <vector>

namespace spica::session {

namespace {

// Numbers of the system calls that standard programs make through tohost.
constexpr std::uint64_t kWrite = 64;
constexpr std::uint64_t kExit = 93;
constexpr std::int64_t kBadFile = -9;
constexpr std::int64_t kBadAddress = -14;
constexpr std::int64_t kNoSuchCall = -38;
constexpr std::uint64_t kMaxWrite = 1u << 20;

}  // namespace

HostInterface::HostInterface(HostAccess machine, const loader::Program& program, ConsoleCollector& console)
    : machine_(std::move(machine)), console_(console) {
  const loader::Symbol* tohost = program.find("tohost");
  if (tohost == nullptr || machine_.map.route(tohost->address) != protocol::Route::kGlobal) return;
  tohost_ = tohost->address;
  if (const loader::Symbol* fromhost = program.find("fromhost")) fromhost_ = fromhost->address;
  machine_.watch_stores(tohost_, tohost_ + 8,
                        [this](const protocol::Origin& origin, std::uint64_t address, unsigned bytes) {
                          on_store(origin, address, bytes);
                        });
}

std::uint64_t HostInterface::read_word(std::uint64_t address) {
  unsigned char bytes[8] = {};
  machine_.read(address, bytes, sizeof bytes);
  std::uint64_t value = 0;
  for (unsigned i = 8; i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

void HostInterface::write_word(std::uint64_t address, std::uint64_t value) {
  unsigned char bytes[8];
  for (unsigned i = 0; i < 8; ++i) bytes[i] = static_cast<unsigned char>(value >> 8 * i);
  machine_.write(address, bytes, sizeof bytes);
}

void HostInterface::on_store(const protocol::Origin& origin, std::uint64_t address, unsigned bytes) {
  const std::uint64_t value = read_word(tohost_);
  if (value == 0) return;
  origin_ = origin;
  const base::Cycle now = machine_.now();
  const bool complete = value >> 32 != 0 ? (value & 0xFFFF'FFFF) != 0 || address + bytes <= tohost_ + 4
                                         : address + bytes > tohost_ + 4;
  const base::Cycle due = complete ? now : now + kGrace;
  if (due >= due_) return;
  due_ = due;
  machine_.pause();
}

std::optional<HostInterface::End> HostInterface::serve(const Report& report) {
  due_ = base::kNever;
  const std::uint64_t value = read_word(tohost_);
  if (value == 0) return std::nullopt;
  const std::uint64_t device = value >> 56, command = value >> 48 & 0xFF;
  const std::uint64_t payload = value & 0xFFFF'FFFF'FFFF;
  if (device == 0 && command == 0 && (payload & 1) != 0) return End{payload >> 1, false};
  write_word(tohost_, 0);
  if (device == 0 && command == 0) return system_call(payload, report);
  if (device == 1 && command == 1) {
    const char character = static_cast<char>(payload);
    console_.put(origin_,
                 static_cast<unsigned>(__builtin_ffs(static_cast<int>(origin_.lanes | 1u << 31)) - 1),
                 &character, 1);
  } else if (device != 1 || command != 0) {  // a read would wait for a key press forever
    complain(report, protocol::Severity::kWarning, value,
             fmt::format("device {} command {}: only device 0 (system calls) and device 1 (console) exist",
                         device, command));
  }
  return std::nullopt;
}

std::optional<HostInterface::End> HostInterface::system_call(std::uint64_t block, const Report& report) {
  std::uint64_t words[4];
  unsigned char probe[64];
  if (!machine_.read(block, probe, sizeof probe)) {
    complain(report, protocol::Severity::kFault, block,
             fmt::format("{:#x} is even, so it should be the address of a system call's arguments, but "
                         "there is no memory at it",
                         block));
    return std::nullopt;
  }
  for (unsigned i = 0; i < 4; ++i) words[i] = read_word(block + 8 * i);
  // A 32-bit program leaves the high words as they were, or extends the sign.
  for (std::uint64_t& word : words) word &= 0xFFFF'FFFF;
  std::int64_t result = kNoSuchCall;
  if (words[0] == kExit) return End{words[1], true};
  if (words[0] == kWrite) {
    std::vector<unsigned char> text(std::min(words[3], kMaxWrite));
    if (words[1] != 1 && words[1] != 2) {
      result = kBadFile;
    } else if (!text.empty() && !machine_.read(words[2], text.data(), text.size())) {
      result = kBadAddress;
    } else {
      console_.put(origin_, 0, reinterpret_cast<const char*>(text.data()),
                   static_cast<unsigned>(text.size()));
      result = static_cast<std::int64_t>(text.size());
    }
  } else {
    complain(report, protocol::Severity::kWarning, words[0],
             fmt::format("system call {}: only write (64) and exit (93) exist; it returns {}", words[0],
                         kNoSuchCall));
  }
  write_word(block, static_cast<std::uint64_t>(result));
  if (fromhost_ != 0) write_word(fromhost_, 1);
  return std::nullopt;
}

void HostInterface::complain(const Report& report, protocol::Severity severity, std::uint64_t value,
                             std::string detail) {
  if (severity != protocol::Severity::kFault && !complained_.insert(value).second) return;
  protocol::GuestFault fault{};
  fault.kind = protocol::FaultKind::kHostCommand;
  fault.severity = severity;
  fault.cycle = machine_.now();
  fault.origin = origin_;
  fault.detail = std::move(detail);
  report(fault);
}

}  // namespace spica::session

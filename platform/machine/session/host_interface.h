// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>

#include "models/protocol/payload/address_map.h"
#include "models/protocol/payload/guest_fault.h"
#include "models/protocol/payload/reservations.h"
#include "platform/machine/loader/program.h"
#include "platform/machine/session/console_collector.h"

namespace spica::session {

/// The services that the host interface needs from a machine, in either mode.
struct HostAccess {
  std::function<bool(std::uint64_t address, unsigned char* to, std::uint64_t bytes)> read;
  std::function<bool(std::uint64_t address, const unsigned char* from, std::uint64_t bytes)> write;
  std::function<base::Cycle()> now;
  std::function<void()> pause;  // pauses the run, so that serve() can be called
  std::function<void(std::uint64_t begin, std::uint64_t end, protocol::Reservations::Watcher)> watch_stores;
  const protocol::AddressMap& map;
};

/// The host side of the `tohost`/`fromhost` convention of standard bare-metal programs.
///
/// A program that has the symbol `tohost` may store 64 bits there, as one or two words:
///   odd value                    ends the run; value >> 1 is the number of a test, 0 is success
///   device 1 (bits 63:56), command 1 (55:48)   prints the character in bits 7:0
///   device 0, command 0, address               system call: eight 64-bit words at the address hold number and
///                                arguments. Supported are write to files 1 and 2, and exit with the program's exit
///                                code. The result is stored in the first word, and fromhost becomes 1
/// The host answers by setting `tohost` to 0. A store is served in the cycle in which it takes effect; a low word that
/// is not followed by its high word within `kGrace` cycles counts alone. Other programs are not affected.
class HostInterface {
 public:
  static constexpr base::Cycle kGrace = 1000;

  HostInterface(HostAccess machine, const loader::Program& program, ConsoleCollector& console);

  /// The next cycle at which serve() should be called, kNever while nothing is pending.
  base::Cycle due() const { return due_; }
  /// The next cycle in which serve() should be called; kNever if nothing is pending.
  struct End {
    std::uint64_t code;
    bool exit_call;  // true: by the system call; false: by an odd value
  };
  /// Serves the program's requests. Returns a value when it has ended.
  using Report = std::function<void(const protocol::GuestFault&)>;
  std::optional<End> serve(const Report& report);
  template <class Archive>
  void serialize(Archive& archive) {
    archive(due_, origin_, complained_);
  }

 private:
  void on_store(const protocol::Origin& origin, std::uint64_t address, unsigned bytes);
  std::optional<End> system_call(std::uint64_t block, const Report& report);
  void complain(const Report& report, protocol::Severity severity, std::uint64_t value, std::string detail);
  std::uint64_t read_word(std::uint64_t address);
  void write_word(std::uint64_t address, std::uint64_t value);

  HostAccess machine_;
  ConsoleCollector& console_;
  std::uint64_t tohost_ = 0;
  std::uint64_t fromhost_ = 0;  // address; 0: the program has none
  base::Cycle due_ = base::kNever;
  protocol::Origin origin_;  // origin of the last store
  std::set<std::uint64_t> complained_;
};

}  // namespace spica::session

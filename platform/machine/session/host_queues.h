// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/base/types.h"
#include "models/protocol/host_queues/packets.h"
#include "platform/machine/session/object_table.h"
#include "platform/machine/session/session.h"
#include "platform/machine/session/signal_pool.h"

namespace spica::session {

/// The number of a packet with a signal, from 1 in the order of submission.
using Ticket = std::uint64_t;

/// The host side of a machine's command processor: rings of packets, signals and kernel objects in memory, on
/// a session that may have become idle and gets more work.
///
/// Time     advances in run_until(), run_idle() and run_for() only. A submission takes none: packets are in
/// memory and the
///          doorbell rings in the current cycle
/// Packets  each has a signal of its own, which is 1 until the command processor has completed it
class HostQueues {
 public:
  /// The times of a packet in cycles; kNever: not yet.
  struct Times {
    base::Cycle submitted = base::kNever, launched = base::kNever, begun = base::kNever, ended = base::kNever,
                completed = base::kNever;
  };

  /// Bytes of memory for the queues of a machine, with rings of `packets` packets.
  static std::uint64_t bytes(const soc::SocParams& params, std::uint32_t packets);
  /// `base`: address of that memory, a multiple of 64; `packets`: a power of two. The session must not have
  /// started.
  HostQueues(Session& session, std::uint64_t base, std::uint32_t packets);

  ObjectTable& objects() { return objects_; }

  /// Writes a packet to a queue; its signal is set here. It starts after `after` have completed. Runs the
  /// machine while the queue is full. Throws UserError: an unknown queue or ticket, the run has ended.
  Ticket submit(unsigned queue, protocol::Packet packet, const std::vector<Ticket>& after);

  /// Runs until a packet has completed; until nothing is left to do; for at most `cycles` of that. False: the
  /// run has ended before by a fault, a hang or a limit.
  bool run_until(Ticket ticket);
  bool run_idle();
  bool run_for(base::Cycle cycles);
  /// Something else that can carry on the run, for example a debugger.
  struct Driver {
    std::function<bool()> is_due;  // asked whenever the run has stopped
    std::function<soc::RunControl::RunState()> run;  // until nothing is left to do, or the run has ended
  };
  void use(Driver driver) { driver_ = std::move(driver); }
  /// Nothing can be submitted any more.
  void close() { ended_ = true; }
  /// Throws UserError if that ticket does not exist.
  bool is_complete(Ticket ticket) const { return entry(ticket).completed != base::kNever; }
  Times times(Ticket ticket);
  /// The ticket of a kernel; 0: not submitted here.
  Ticket ticket_of(const protocol::KernelRun& run) const;
  /// Cycles so far: at least all times of packets.
  base::Cycle now() const { return std::max(machine_.now(), reached_); }

 private:
  struct Ring {
    std::uint32_t base = 0, written = 0, read = 0;  // read: as last seen
  };
  struct Entry {
    base::Cycle submitted = 0, completed = base::kNever;
    std::uint32_t signal = 0;  // address, while it has not completed
    std::uint32_t run = kNoRun;  // number among the machine's kernel runs
    std::vector<std::uint32_t> waits;  // signals that its queue waits for before it
  };
  static constexpr std::uint32_t kNoRun = ~std::uint32_t{0};

  const Entry& entry(Ticket ticket) const;
  std::vector<protocol::Packet> waits_before(const std::vector<Ticket>& after, Entry& entry) const;
  void make_room(unsigned queue, std::size_t packets);
  bool has_room(unsigned queue, std::size_t packets);
  void put(Ring& ring, const protocol::Packet& packet);
  bool run(const std::function<bool()>& done, base::Cycle end = base::kNever);
  void on_signal(std::uint64_t address);
  void match_runs();

  Session& session_;
  soc::Machine& machine_;
  const std::uint32_t packets_;  // of a ring
  std::vector<Ring> rings_;
  SignalPool signals_;
  ObjectTable objects_;
  std::vector<Entry> entries_;  // by ticket - 1
  std::uint64_t completed_ = 0;  // entries that have completed
  base::Cycle reached_ = 0;  // the latest completion
  std::unordered_map<std::uint32_t, Ticket> of_signal_;  // of entries that have not completed; never iterated
  std::unordered_map<std::uint64_t, Ticket>
      of_packet_;  // kernels not yet launched, by queue and packet; never iterated
  std::unordered_map<std::uint64_t, Ticket> kernels_;  // all kernels, by queue and packet; never iterated
  std::size_t matched_ = 0;  // kernel runs that have their entry
  const std::function<bool()>* done_ = nullptr;  // what the current run waits for
  bool ended_ = false;
  Driver driver_;  // empty: none
};

}  // namespace spica::session

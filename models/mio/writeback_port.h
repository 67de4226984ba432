// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "models/base/round_robin.h"
#include "models/base/types.h"
#include "models/mio/writeback_params.h"
#include "models/protocol/payload/payload_pool.h"

namespace spica::mio {

/// The banks of the cores' register files, each with one write per cycle.
class RegisterBanks {
 public:
  RegisterBanks(unsigned cores, unsigned banks) : banks_(banks), used_(cores) {}

  /// Writes up to `wanted` registers of `core` in cycle `now`; returns how many found an idle bank.
  unsigned write(unsigned core, unsigned wanted, base::Cycle now) {
    Used& used = used_[core];
    if (used.cycle != now) used = {now, 0};
    const unsigned written = std::min(wanted, banks_ - used.banks);
    used.banks += written;
    return written;
  }

 private:
  struct Used {
    base::Cycle cycle = base::kNever;
    unsigned banks = 0;
  };
  unsigned banks_;  // of a core
  std::vector<Used> used_;  // by core; nothing of it outlives its cycle
};

/// The write-back port of one load/store unit.
///
/// Accepts  answers of shared memory, one register each, and missed loads of the level 1 data cache, which come as
///          `pieces` answers of registers_per_answer registers each
/// Timing   an answer that finds the port idle is written from this cycle on. An answer of R registers takes
///          ceil(R / banks) cycles. Answers of shared memory to one instruction that wait together are one answer
/// Order    the two clients in turn; answers of a client in order. An answer that has begun keeps the port
/// Source   gpgpu-sim src/gpgpu-sim/shader.cc (ldst_unit::writeback, opndcoll_rfu_t::writeback)
class WritebackPort {
 public:
  enum Client : std::uint8_t { kShared, kGlobal };
  /// What the port does in a cycle; kBanks: another unit writes all banks.
  enum Work : std::uint8_t { kIdle, kWritesShared, kWritesGlobal, kBanks };

  explicit WritebackPort(const WritebackParams& params)
      : banks_(static_cast<unsigned>(params.banks)),
        registers_(static_cast<unsigned>(params.registers_per_answer)) {}

  void add(Client client, protocol::WarpPayload& payload, unsigned core, unsigned pieces = 1) {
    waiting_[client].push_back(
        {&payload, static_cast<std::uint16_t>(core), static_cast<std::uint16_t>(pieces)});
  }
  bool empty() const { return waiting_[kShared].empty() && waiting_[kGlobal].empty(); }
  /// Answers of a client that are not written whole.
  std::size_t waiting(Client client) const { return waiting_[client].size(); }

  /// One cycle; call pass(payload) for each load that has all its registers.
  template <class Pass>
  Work step(base::Cycle now, RegisterBanks& banks, Pass&& pass) {
    if (empty()) return kIdle;
    if (!open_) {
      client_ = static_cast<Client>(turn_.pick((waiting_[kShared].empty() ? 0u : 1u << kShared) |
                                               (waiting_[kGlobal].empty() ? 0u : 1u << kGlobal)));
      left_ = client_ == kShared ? of_one_instruction() : registers_;
      open_ = true;
    }
    const unsigned written = banks.write(waiting_[client_].front().core, std::min(left_, banks_), now);
    left_ -= written;
    open_ = left_ != 0;
    if (written == 0) return kBanks;
    if (client_ == kShared) {
      for (unsigned i = 0; i < written; ++i) pass(take(kShared));
    } else if (!open_ && --waiting_[kGlobal].front().pieces == 0) {
      pass(take(kGlobal));
    }
    return client_ == kShared ? kWritesShared : kWritesGlobal;
  }

  void reset() {
    for (std::deque<Answer>& answers : waiting_) answers.clear();
    open_ = false;
    left_ = 0;
    turn_.reset();
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(waiting_[kShared], waiting_[kGlobal], turn_, client_, open_, left_);
  }

 private:
  struct Answer {
    protocol::WarpPayload* payload = nullptr;
    std::uint16_t core = 0;
    std::uint16_t pieces = 0;  // not written yet
  };
  /// Answers of shared memory at the head that belong to one instruction.
  unsigned of_one_instruction() const {
    const std::deque<Answer>& answers = waiting_[kShared];
    const Answer& first = answers.front();
    unsigned count = 1;
    while (count < answers.size() && same_instruction(answers[count], first)) ++count;
    return count;
  }
  /// A warp has no two loads into one register under way, so equal places are one instruction.
  static bool same_instruction(const Answer& a, const Answer& b) {
    const protocol::Origin &x = a.payload->info.origin, &y = b.payload->info.origin;
    return a.core == b.core && x.warp == y.warp && x.pc == y.pc;
  }
  protocol::WarpPayload& take(Client client) {
    protocol::WarpPayload& payload = *waiting_[client].front().payload;
    waiting_[client].pop_front();
    return payload;
  }

  unsigned banks_, registers_;  // parameters. Not saved: banks_, registers_
  std::deque<Answer> waiting_[2];  // by Client
  base::RoundRobin turn_{2};
  Client client_ = kShared;  // whose answer has the port
  bool open_ = false;  // it is not written whole
  unsigned left_ = 0;  // its registers
};

}  // namespace spica::mio

// SPDX-License-Identifier: Apache-2.0
#include "models/mio/writeback.h"

#include "models/base/checkpoint.h"
#include "models/mio/passes.h"

namespace spica::mio {

using protocol::WarpPayload;

Writeback::Writeback(const MioParams& params, Stats& stats)
    : params_(params.writeback), cores_(static_cast<unsigned>(params.cores)), stats_(stats) {
  if (!params_.present) return;
  ports_.assign(params.count(), WritebackPort(params_));
  in_flight_.assign(params.count(), 0);
  banks_.assign(params_.banks_shared ? 1 : params.count(),
                RegisterBanks(cores_, static_cast<unsigned>(params_.banks)));
}

std::size_t Writeback::waiting(WritebackPort::Client client) const {
  std::size_t count = 0;
  for (const WritebackPort& port : ports_) count += port.waiting(client);
  return count;
}

/// Answers of the level 1 data cache that the load is made of; 0: it hit.
unsigned Writeback::pieces_of(const WarpPayload& payload) const {
  const bool atomic = payload.info.atomic != protocol::Atomic::kNone;
  const unsigned bytes =
      params_.hits || atomic ? sectors_of(payload.access) * kSectorBytes : payload.access.fetched;
  return bytes == 0 ? 0 : cycles_for(bytes, static_cast<unsigned>(params_.sector));
}

bool Writeback::take(unsigned unit, WritebackPort::Client client, WarpPayload& payload) {
  if (!writes_registers(payload)) return false;
  const unsigned pieces = client == WritebackPort::kShared ? 1 : pieces_of(payload);
  if (pieces == 0) return false;
  ports_[unit].add(client, payload, payload.access.port % cores_, pieces);
  ++open_;
  return true;
}

void Writeback::charge(unsigned unit, WritebackPort::Work work, base::Cycle now) {
  stats_.writeback->ports[unit]->charge_cycle(work, WritebackPort::kIdle, now);
  if (work != WritebackPort::kBanks) ++stats_.writeback->cycles;
}

void Writeback::count_waits(std::size_t shared, std::size_t global) {
  if (shared != 0) ++*stats_.writeback->waits[WritebackPort::kShared];
  if (global != 0) ++*stats_.writeback->waits[WritebackPort::kGlobal];
}

void Writeback::reset(base::Cycle now) {
  for (unsigned unit = 0; unit < ports_.size(); ++unit) {
    ports_[unit].reset();
    in_flight_[unit] = 0;
    stats_.writeback->ports[unit]->charge(WritebackPort::kIdle, now);
  }
  open_ = 0;
}

void Writeback::timing(base::Checkpoint& checkpoint) {
  if (!present()) return;
  checkpoint.each(ports_);
  checkpoint(in_flight_, open_);
}

}  // namespace spica::mio

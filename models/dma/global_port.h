// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>

#include "models/base/bounded_queue.h"
#include "models/dma/dma_stats.h"
#include "models/dma/requests.h"
#include "models/protocol/transport/sockets.h"

namespace spica::dma {

/// The DMA's port to global memory: one request per cycle, reads and writes in turn. Reads are translated first, one
/// per cycle; a write of several beats occupies the writer for as many cycles.
class GlobalPort {
 public:
  GlobalPort(const DmaParams& params, DmaStats& stats, Engines& engines, Requests& requests,
             protocol::InitiatorSocket& socket)
      : params_(params),
        stats_(stats),
        loads_(engines.loads),
        stores_(engines.global_store),
        requests_(requests),
        socket_(socket),
        translating_(params.translate_latency) {}

  /// Sends a request if possible; true if it did.
  bool send(base::Cycle now) {
    if (!socket_.ready()) return false;
    const bool read = !translating_.empty() && translating_.front().due <= now;
    const bool write = stores_.has_row() && stores_.has_id() && writer_free_ <= now;
    if (!read && !write) return false;
    if (write && (!read || write_turn_)) send_write(now);
    else send_read();
    return true;
  }
  /// The next read enters the translation; false: there is none.
  bool translate(base::Cycle now) {
    if (!loads_.has_read() || !loads_.has_id() || translating_.full()) return false;
    translating_.push({loads_.next_read(), now + params_.translate_latency});
    return true;
  }

  std::size_t translating() const { return translating_.size(); }
  /// The next cycle after `now` in which something can be sent without new events from outside; kNever: none.
  base::Cycle next(base::Cycle now) const;
  void reset() {
    translating_.clear();
    writer_free_ = 0;
    write_turn_ = false;
    socket_.reset();
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(translating_, writer_free_, write_turn_);
  }

 private:
  void send_read();
  void send_write(base::Cycle now);
  base::Cycle beats(std::uint32_t bytes) const { return (bytes + params_.bus_bytes - 1) / params_.bus_bytes; }

  struct Translating {
    LoadEngine::Read read;
    base::Cycle due;
  };
  const DmaParams& params_;
  DmaStats& stats_;
  LoadEngine& loads_;
  StoreEngine& stores_;
  Requests& requests_;
  protocol::InitiatorSocket& socket_;
  base::BoundedQueue<Translating> translating_;
  base::Cycle writer_free_ = 0;
  bool write_turn_ = false;
};

inline void GlobalPort::send_read() {
  const LoadEngine::Read r = translating_.pop().read;
  protocol::LinePayload& out = requests_.line(tlm::TLM_READ_COMMAND, r.request.address, r.request.bytes,
                                              loads_.origin(r.command), {Engine::kLoad, r.id});
  ++stats_.read_requests;
  stats_.read_bytes += r.request.bytes;
  stats_.read_beats += beats(r.request.bytes);
  using protocol::Move;
  const Move::Stream stream = loads_.move(r.command).stream;
  (stream == Move::Stream::kA   ? stats_.bytes_a
   : stream == Move::Stream::kB ? stats_.bytes_b
                                : stats_.bytes_d) += r.request.covered;
  write_turn_ = true;
  socket_.send(out);
}

inline void GlobalPort::send_write(base::Cycle now) {
  const StoreEngine::Write w = stores_.next_write();
  protocol::LinePayload& out = requests_.line(tlm::TLM_WRITE_COMMAND, w.request.address, w.request.bytes,
                                              stores_.origin(w.command), {Engine::kGlobalStore, w.command});
  if (w.request.covered != w.request.bytes) {
    out.use_byte_enables();
    std::memset(out.enables.data() + w.request.offset, 0xFF, w.request.covered);
  }
  copy_bytes(out.data.data() + w.request.offset, w.data, w.request.covered);
  ++stats_.write_requests;
  stats_.write_beats += beats(w.request.bytes);
  stats_.bytes_stored_global += w.request.covered;
  writer_free_ = now + beats(w.request.bytes);
  write_turn_ = false;
  stores_.write_sent();
  socket_.send(out);
}

inline base::Cycle GlobalPort::next(base::Cycle now) const {
  base::Cycle next = base::kNever;
  if (!translating_.empty() && translating_.front().due > now) next = translating_.front().due;
  if (writer_free_ > now && stores_.has_row()) next = std::min(next, writer_free_);
  return next;
}

}  // namespace spica::dma

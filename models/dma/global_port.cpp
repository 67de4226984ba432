// SPDX-License-Identifier: Apache-2.0
#include "models/dma/global_port.h"

#include <algorithm>
#include <cstring>

namespace spica::dma {

using protocol::LinePayload;
using protocol::Move;

void GlobalPort::send_read() {
  const LoadEngine::Read r = translating_.pop().read;
  LinePayload& out = requests_.line(tlm::TLM_READ_COMMAND, r.request.address, r.request.bytes,
                                    loads_.origin(r.command), {Engine::kLoad, r.id});
  ++stats_.read_requests;
  stats_.read_bytes += r.request.bytes;
  stats_.read_beats += beats(r.request.bytes);
  const Move::Stream stream = loads_.move(r.command).stream;
  (stream == Move::Stream::kA   ? stats_.bytes_a
   : stream == Move::Stream::kB ? stats_.bytes_b
                                : stats_.bytes_d) += r.request.covered;
  write_turn_ = true;
  socket_.send(out);
}

void GlobalPort::send_write(base::Cycle now) {
  const StoreEngine::Write w = stores_.next_write();
  LinePayload& out = requests_.line(tlm::TLM_WRITE_COMMAND, w.request.address, w.request.bytes,
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

base::Cycle GlobalPort::next(base::Cycle now) const {
  base::Cycle next = base::kNever;
  if (!translating_.empty() && translating_.front().due > now) next = translating_.front().due;
  if (writer_free_ > now && stores_.has_row()) next = std::min(next, writer_free_);
  return next;
}

}  // namespace spica::dma

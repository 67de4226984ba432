// SPDX-License-Identifier: Apache-2.0
#include "models/dma/dma.h"

#include <algorithm>
#include <ostream>

namespace spica::dma {

using protocol::LinePayload;
using protocol::Move;
using protocol::Payload;

Dma::Dma(const sc_core::sc_module_name& name, const DmaParams& params, const base::ClockDomain& clock)
    : Component(name, clock),
      params_(params),
      engines_(params),
      loads_(engines_.loads),
      global_store_(engines_.global_store),
      shared_store_(engines_.shared_store),
      global_(params_, stats_, engines_, requests_, gmem),
      shaper_(params_, stats_, loads_) {
  in.attach(*this, kIn);
  gmem.attach(*this, kGlobal);
  smem.attach(*this, kShared);
  accumulator.attach(*this, kAccumulator);
}

bool Dma::on_request(unsigned, Payload& payload) { return push(payload); }

/// Puts a command into the queue of its engine; false when that is full.
bool Dma::push(Payload& payload) {
  const protocol::DmaCommand* move = payload.get_extension<protocol::DmaCommand>();
  SPICA_INVARIANT(move != nullptr);
  if (!engines_.push(*move, &payload, protocol::info_of(payload).origin)) return false;
  ++stats_.commands;
  wake_next();
  return true;
}

void Dma::complete(void* handle, bool failed) {
  Payload& payload = *static_cast<Payload*>(handle);
  payload.set_response_status(failed ? tlm::TLM_ADDRESS_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
  in.respond(payload);
}

RowPayload& Dma::row(tlm::tlm_command command, std::uint32_t row, unsigned bytes,
                     const protocol::Origin& origin, const Move& move, const Requests::Name& name) {
  ++stats_.accumulator_accesses;
  return requests_.row(command, std::uint64_t{row} * params_.accumulator_row_bytes, bytes, origin, move,
                       name);
}

void Dma::tick() {
  const auto stores_issued = [this] {
    return stats_.write_requests.value() + stats_.bytes_stored_shared.value();
  };
  const auto reads = stats_.read_requests.value(), stores = stores_issued();
  const bool storing = !engines_.stores_idle();
  bool progress = params_.reshapes() && shaper_.tick(now());
  if (smem.ready() && (loads_.has_write(false) || storing)) progress |= tick_shared();
  if (loads_.has_write(true) || storing) progress |= tick_accumulator();
  progress |= global_.send(now());
  progress |= global_.translate(now());
  progress |= loads_.start();
  if (Payload* held = in.held(); held != nullptr && push(*held)) {
    in.take_held();
    progress = true;
  }
  const bool read_issued = stats_.read_requests.value() != reads;
  stats_.reader.charge(static_cast<unsigned>(reader_activity(read_issued)), now());
  stats_.writer.charge(static_cast<unsigned>(writer_activity(stores_issued() != stores)), now());
  if (progress) {
    wake_next();
    return;
  }
  // Nothing moves until a translation is complete, the writer is free, or a neighbour calls.
  const base::Cycle next = std::min(global_.next(now()), shaper_.next(now()));
  if (next != base::kNever) wake_at(next);
}

/// Rows of loads and of stores take turns at the port of shared memory.
bool Dma::tick_shared() {
  const bool load = loads_.has_write(false) && shared_loads_ < params_.shared_write_ids;
  const bool store = shared_store_.has_row() && shared_store_.has_id();
  if (!load && !store) return false;
  ++stats_.shared_writes;
  if (store && (!load || store_turn_)) send_shared_store();
  else send_shared_load();
  return true;
}

void Dma::send_shared_store() {
  const StoreEngine::Write w = shared_store_.next_write();
  LinePayload& out = requests_.line(tlm::TLM_WRITE_COMMAND, w.request.address, w.request.bytes,
                                    shared_store_.origin(w.command), {Engine::kSharedStore, w.command});
  copy_bytes(out.data.data(), w.data, w.request.bytes);
  stats_.bytes_stored_shared += w.request.bytes;
  shared_store_.write_sent();
  store_turn_ = false;
  smem.send(out);
}

void Dma::send_shared_load() {
  const LoadEngine::Write w = loads_.write(false);
  LinePayload& out = requests_.line(tlm::TLM_WRITE_COMMAND, w.address, w.bytes, loads_.origin(w.command),
                                    {Engine::kLoad, w.command});
  copy_bytes(out.data.data(), w.data, w.bytes);
  loads_.pop_write(false);
  ++shared_loads_;
  store_turn_ = true;
  smem.send(out);
}

/// Bias rows of loads and the two stores take turns at the accumulator.
bool Dma::tick_accumulator() {
  if (!accumulator.ready()) return false;
  for (unsigned i = 0; i < 3; ++i) {
    const unsigned turn = (accumulator_turn_ + i) % 3;
    const bool sent =
        turn == 0 ? send_bias() : fetch(turn == 1 ? Engine::kGlobalStore : Engine::kSharedStore);
    if (!sent) continue;
    accumulator_turn_ = (turn + 1) % 3;
    return true;
  }
  return false;
}

bool Dma::send_bias() {
  if (!loads_.has_write(true)) return false;
  const LoadEngine::Write w = loads_.write(true);
  RowPayload& out = row(tlm::TLM_WRITE_COMMAND, w.address, w.bytes, loads_.origin(w.command),
                        loads_.move(w.command), {Engine::kLoad, w.command});
  copy_bytes(out.data.data(), w.data, w.bytes);
  loads_.pop_write(true);
  accumulator.send(out);
  return true;
}

bool Dma::fetch(Engine which) {
  StoreEngine& engine = engines_.store(which);
  StoreEngine::Fetch f;
  if (!engine.next_fetch(f)) return false;
  RowPayload& out = row(tlm::TLM_READ_COMMAND, f.row, f.bytes, engine.origin(f.command),
                        engine.move(f.command), {which, f.buffer, f.offset});
  engine.fetch_sent();
  accumulator.send(out);
  return true;
}

void Dma::on_response(unsigned port, Payload& payload) {
  if (port == kAccumulator) on_row(static_cast<RowPayload&>(payload));
  else on_line(port, static_cast<LinePayload&>(payload));
}

void Dma::on_line(unsigned port, LinePayload& done) {
  if (requests_.is_ours(done)) {
    const auto [engine, number, offset] = Requests::name_of(done);
    const bool failed = done.is_response_error();
    if (engine != Engine::kLoad) {
      store_written(engines_.store(engine), number, failed);
    } else if (port == kGlobal) {
      loads_.arrived(number, failed ? nullptr : done.data.data());
    } else {
      --shared_loads_;
      load_written(number, failed);
    }
    wake_now();
  }
  requests_.drop(done);
}

void Dma::on_row(RowPayload& done) {
  if (requests_.is_ours(done)) {
    const auto [engine, number, offset] = Requests::name_of(done);
    if (engine == Engine::kLoad) load_written(number, done.is_response_error());
    else engines_.store(engine).fetched(number, offset, done.data.data(), done.get_data_length());
    wake_now();
  }
  requests_.drop(done);
}

void Dma::load_written(unsigned number, bool failed) {
  if (!loads_.written(number, failed)) return;
  void* const handle = loads_.handle(number);
  const bool bad = loads_.failed(number);
  loads_.release(number);
  complete(handle, bad);
}

void Dma::store_written(StoreEngine& engine, unsigned number, bool failed) {
  if (!engine.written(number, failed)) return;
  void* const handle = engine.handle(number);
  const bool bad = engine.failed(number);
  engine.release(number);
  complete(handle, bad);
}

ReaderActivity Dma::reader_activity(bool issued) const {
  if (issued) return ReaderActivity::kIssuing;
  if (global_.translating() != 0)
    return gmem.ready() ? ReaderActivity::kTranslating : ReaderActivity::kBusHeld;
  if (loads_.has_read() && !loads_.has_id()) return ReaderActivity::kIds;
  if (loads_.reads_under_way() != 0) return ReaderActivity::kData;
  return loads_.idle() ? ReaderActivity::kIdle : ReaderActivity::kRows;
}

WriterActivity Dma::writer_activity(bool issued) const {
  if (engines_.stores_idle()) return WriterActivity::kIdle;
  if (issued) return WriterActivity::kIssuing;
  const bool global_row = global_store_.has_row(), shared_row = shared_store_.has_row();
  if ((global_row && !gmem.ready()) || (shared_row && !smem.ready())) return WriterActivity::kBusHeld;
  if ((global_row && !global_store_.has_id()) || (shared_row && !shared_store_.has_id()))
    return WriterActivity::kIds;
  if (global_row || shared_row || global_store_.writes_under_way() + shared_store_.writes_under_way() == 0)
    return WriterActivity::kRows;
  return WriterActivity::kAcks;
}

bool Dma::idle() const { return engines_.idle(); }

void Dma::reset() {
  requests_.forget_all();
  engines_.reset();
  global_.reset();
  shaper_.reset();
  store_turn_ = false;
  accumulator_turn_ = 0;
  shared_loads_ = 0;
  in.reset();
  smem.reset();
  accumulator.reset();
  stats_.reader.charge(static_cast<unsigned>(ReaderActivity::kIdle), now());
  stats_.writer.charge(static_cast<unsigned>(WriterActivity::kIdle), now());
}

void Dma::dump_state(std::ostream& out) const {
  out << name() << ": " << (idle() ? "idle" : "busy") << '\n';
  engines_.dump(out);
  out << "  reads in translation: " << global_.translating() << (gmem.ready() ? "" : ", held by the bus")
      << (smem.ready() ? "" : ", held by shared memory") << '\n';
}

std::uint64_t Dma::work_done() const {
  std::uint64_t work = 0;
  for (const auto& entry : stats_.counters()) work += entry.counter.value();
  return work;
}

}  // namespace spica::dma

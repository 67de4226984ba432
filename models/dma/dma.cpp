// SPDX-License-Identifier: Apache-2.0
#include "models/dma/dma.h"

#include <algorithm>
#include <cstring>
#include <ostream>

#include "models/base/invariant.h"

namespace spica::dma {

using protocol::DmaCommand;
using protocol::LinePayload;
using protocol::Payload;

Dma::Dma(const sc_core::sc_module_name& name, const DmaParams& params, const base::ClockDomain& clock)
    : Component(name, clock),
      params_(params),
      loads_(params),
      global_store_(params, true),
      shared_store_(params, false),
      translating_(params.translate_latency) {
  in.attach(*this, kIn);
  gmem.attach(*this, kGlobal);
  smem.attach(*this, kShared);
  accumulator.attach(*this, kAccumulator);
}

bool Dma::on_request(unsigned, Payload& payload) { return push(payload); }

/// Puts a command into the queue of its engine; false when that is full.
bool Dma::push(Payload& payload) {
  const DmaCommand* move = payload.get_extension<DmaCommand>();
  SPICA_INVARIANT(move != nullptr && move->rows != 0 && move->blocks != 0 && move->block_bytes != 0);
  switch (move->kind) {
    case DmaCommand::Kind::kGlobalToShared:
    case DmaCommand::Kind::kGlobalToAccumulator:
      if (!loads_.can_push()) return false;
      loads_.push(*move, &payload);
      break;
    case DmaCommand::Kind::kAccumulatorToGlobal:
      if (!global_store_.can_push()) return false;
      global_store_.push(*move, &payload);
      break;
    case DmaCommand::Kind::kAccumulatorToShared:
      if (!shared_store_.can_push()) return false;
      shared_store_.push(*move, &payload);
      break;
  }
  ++stats_.commands;
  wake_next();
  return true;
}

void Dma::complete(Payload& payload, bool failed) {
  payload.set_response_status(failed ? tlm::TLM_ADDRESS_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
  in.respond(payload);
}

namespace {

protocol::Origin dma_origin(const void* handle) {
  protocol::Origin origin = protocol::info_of(*static_cast<const Payload*>(handle)).origin;
  origin.unit = protocol::Origin::Unit::kDma;
  return origin;
}

}  // namespace

LinePayload& Dma::line(tlm::tlm_command command, std::uint64_t address, unsigned bytes, void* handle,
                       Engine engine, unsigned number) {
  LinePayload& out = lines_.take();
  out.setup(command, address, bytes, dma_origin(handle));
  out.info.tag = tag(engine, number);
  return out;
}

RowPayload& Dma::row(tlm::tlm_command command, std::uint32_t row, unsigned bytes, void* handle,
                     const DmaCommand& move, std::uint64_t tag) {
  RowPayload& out = rows_.take();
  out.set_command(command);
  out.set_address(std::uint64_t{row} * params_.accumulator_row_bytes);
  out.set_data_length(bytes);
  out.set_streaming_width(bytes);
  out.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  out.info.origin = dma_origin(handle);
  out.info.tag = tag;
  out.move = move;
  ++stats_.accumulator_accesses;
  return out;
}

void Dma::tick() {
  const auto stores_issued = [this] {
    return stats_.write_requests.value() + stats_.bytes_stored_shared.value();
  };
  const auto reads = stats_.read_requests.value(), stores = stores_issued();
  bool progress = tick_shared();
  if (loads_.has_write(true) || !stores_idle()) progress |= tick_accumulator();
  progress |= tick_global();
  progress |= tick_reader();
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
  // Nothing moves until a translation is done, the writer is free, or a neighbour calls.
  if (!translating_.empty() && translating_.front().due > now()) wake_at(translating_.front().due);
  if (writer_free_ > now() && global_store_.has_row()) wake_at(writer_free_);
}

/// Rows of loads and of stores take turns at the port of shared memory.
bool Dma::tick_shared() {
  if (!smem.ready()) return false;
  const bool load = loads_.has_write(false) && shared_loads_ < params_.shared_write_ids;
  const bool store = shared_store_.has_row() && shared_store_.has_id();
  if (!load && !store) return false;
  ++stats_.shared_writes;
  if (store && (!load || store_turn_)) {
    const StoreEngine::Write w = shared_store_.next_write();
    LinePayload& out = line(tlm::TLM_WRITE_COMMAND, w.request.address, w.request.bytes,
                            shared_store_.handle(w.command), Engine::kSharedStore, w.command);
    std::memcpy(out.data.data(), w.data, w.request.bytes);
    stats_.bytes_stored_shared += w.request.bytes;
    shared_store_.write_sent();
    store_turn_ = false;
    smem.send(out);
    return true;
  }
  const LoadEngine::Write w = loads_.write(false);
  LinePayload& out =
      line(tlm::TLM_WRITE_COMMAND, w.address, w.bytes, loads_.handle(w.command), Engine::kLoad, w.command);
  std::memcpy(out.data.data(), w.data, w.bytes);
  loads_.pop_write(false);
  ++shared_loads_;
  store_turn_ = true;
  smem.send(out);
  return true;
}

bool Dma::fetch(StoreEngine& engine, Engine which) {
  StoreEngine::Fetch f;
  if (!engine.next_fetch(f)) return false;
  RowPayload& out = row(tlm::TLM_READ_COMMAND, f.row, f.bytes, engine.handle(f.command),
                        engine.move(f.command), tag(which, f.buffer, f.offset));
  engine.fetch_sent();
  accumulator.send(out);
  return true;
}

/// Bias rows of loads and the two stores take turns at the accumulator.
bool Dma::tick_accumulator() {
  if (!accumulator.ready()) return false;
  for (unsigned i = 0; i < 3; ++i) {
    const unsigned turn = (accumulator_turn_ + i) % 3;
    bool sent = false;
    if (turn == 0 && loads_.has_write(true)) {
      const LoadEngine::Write w = loads_.write(true);
      RowPayload& out = row(tlm::TLM_WRITE_COMMAND, w.address, w.bytes, loads_.handle(w.command),
                            loads_.move(w.command), tag(Engine::kLoad, w.command));
      std::memcpy(out.data.data(), w.data, w.bytes);
      loads_.pop_write(true);
      accumulator.send(out);
      sent = true;
    } else if (turn != 0) {
      const Engine which = turn == 1 ? Engine::kGlobalStore : Engine::kSharedStore;
      sent = fetch(store(which), which);
    }
    if (!sent) continue;
    accumulator_turn_ = (turn + 1) % 3;
    return true;
  }
  return false;
}

/// Translated reads and writes take turns at the bus.
bool Dma::tick_global() {
  if (!gmem.ready()) return false;
  const bool read = !translating_.empty() && translating_.front().due <= now();
  const bool write = global_store_.has_row() && global_store_.has_id() && writer_free_ <= now();
  if (!read && !write) return false;
  if (write && (!read || write_turn_)) return send_write();
  return send_read();
}

bool Dma::send_read() {
  const LoadEngine::Read r = translating_.pop().read;
  LinePayload& out = line(tlm::TLM_READ_COMMAND, r.request.address, r.request.bytes, loads_.handle(r.command),
                          Engine::kLoad, r.id);
  ++stats_.read_requests;
  stats_.read_bytes += r.request.bytes;
  stats_.read_beats += (r.request.bytes + params_.bus_bytes - 1) / params_.bus_bytes;
  const DmaCommand::Stream stream = loads_.move(r.command).stream;
  (stream == DmaCommand::Stream::kA   ? stats_.bytes_a
   : stream == DmaCommand::Stream::kB ? stats_.bytes_b
                                      : stats_.bytes_d) += r.request.covered;
  write_turn_ = true;
  gmem.send(out);
  return true;
}

bool Dma::send_write() {
  const StoreEngine::Write w = global_store_.next_write();
  LinePayload& out = line(tlm::TLM_WRITE_COMMAND, w.request.address, w.request.bytes,
                          global_store_.handle(w.command), Engine::kGlobalStore, w.command);
  if (w.request.covered != w.request.bytes) {
    out.use_byte_enables();
    std::memset(out.enables.data() + w.request.offset, 0xFF, w.request.covered);
  }
  std::memcpy(out.data.data() + w.request.offset, w.data, w.request.covered);
  const base::Cycle beats = (w.request.bytes + params_.bus_bytes - 1) / params_.bus_bytes;
  ++stats_.write_requests;
  stats_.write_beats += beats;
  stats_.bytes_stored_global += w.request.covered;
  writer_free_ = now() + beats;
  write_turn_ = false;
  global_store_.write_sent();
  gmem.send(out);
  return true;
}

/// One read per cycle enters the translation pipeline.
bool Dma::tick_reader() {
  if (!loads_.has_read() || !loads_.has_id() || translating_.full()) return false;
  translating_.push({loads_.next_read(), now() + params_.translate_latency});
  return true;
}

void Dma::on_response(unsigned port, Payload& payload) {
  if (port == kAccumulator) return on_row(static_cast<RowPayload&>(payload));
  auto& done = static_cast<LinePayload&>(payload);
  if (done.info.tag >> 48 == epoch_) {  // not from before a reset
    const auto engine = static_cast<Engine>(done.info.tag >> 16 & 0xFF);
    const auto number = static_cast<unsigned>(done.info.tag & 0xFFFF);
    const bool failed = payload.is_response_error();
    if (engine != Engine::kLoad) {
      StoreEngine& writer = store(engine);
      if (writer.written(number, failed)) {
        Payload& command = *static_cast<Payload*>(writer.handle(number));
        const bool bad = writer.failed(number);
        writer.release(number);
        complete(command, bad);
      }
    } else if (port == kGlobal) {
      loads_.arrived(number, failed ? nullptr : done.data.data());
    } else {
      --shared_loads_;
      load_written(number, failed);
    }
    wake_now();
  }
  lines_.drop(done);
}

void Dma::on_row(RowPayload& done) {
  if (done.info.tag >> 48 == epoch_) {
    const auto engine = static_cast<Engine>(done.info.tag >> 16 & 0xFF);
    const auto number = static_cast<unsigned>(done.info.tag & 0xFFFF);
    if (engine == Engine::kLoad) {
      load_written(number, done.is_response_error());
    } else {
      store(engine).fetched(number, static_cast<std::uint32_t>(done.info.tag >> 32 & 0xFFFF),
                            done.data.data(), done.get_data_length());
    }
    wake_now();
  }
  rows_.drop(done);
}

void Dma::load_written(unsigned number, bool failed) {
  if (!loads_.written(number, failed)) return;
  Payload& command = *static_cast<Payload*>(loads_.handle(number));
  const bool bad = loads_.failed(number);
  loads_.release(number);
  complete(command, bad);
}

ReaderActivity Dma::reader_activity(bool issued) const {
  if (issued) return ReaderActivity::kIssuing;
  if (!translating_.empty()) return gmem.ready() ? ReaderActivity::kTranslating : ReaderActivity::kBusHeld;
  if (loads_.has_read() && !loads_.has_id()) return ReaderActivity::kIds;
  if (loads_.reads_under_way() != 0) return ReaderActivity::kData;
  return loads_.idle() ? ReaderActivity::kIdle : ReaderActivity::kRows;
}

WriterActivity Dma::writer_activity(bool issued) const {
  if (stores_idle()) return WriterActivity::kIdle;
  if (issued) return WriterActivity::kIssuing;
  const bool global_row = global_store_.has_row(), shared_row = shared_store_.has_row();
  if ((global_row && !gmem.ready()) || (shared_row && !smem.ready())) return WriterActivity::kBusHeld;
  if ((global_row && !global_store_.has_id()) || (shared_row && !shared_store_.has_id()))
    return WriterActivity::kIds;
  if (global_row || shared_row || global_store_.writes_under_way() + shared_store_.writes_under_way() == 0)
    return WriterActivity::kRows;
  return WriterActivity::kAcks;
}

bool Dma::idle() const { return loads_.idle() && stores_idle(); }

void Dma::reset() {
  ++epoch_;
  loads_.reset();
  global_store_.reset();
  shared_store_.reset();
  translating_.clear();
  writer_free_ = 0;
  write_turn_ = store_turn_ = false;
  accumulator_turn_ = 0;
  shared_loads_ = 0;
  in.reset();
  gmem.reset();
  smem.reset();
  accumulator.reset();
  stats_.reader.charge(static_cast<unsigned>(ReaderActivity::kIdle), now());
  stats_.writer.charge(static_cast<unsigned>(WriterActivity::kIdle), now());
}

void Dma::dump_state(std::ostream& out) const {
  out << name() << ": " << (idle() ? "idle" : "busy") << '\n';
  loads_.dump(out);
  global_store_.dump(out);
  shared_store_.dump(out);
  out << "  reads in translation: " << translating_.size() << (gmem.ready() ? "" : ", held by the bus")
      << (smem.ready() ? "" : ", held by shared memory") << '\n';
}

}  // namespace spica::dma

// SPDX-License-Identifier: Apache-2.0
#include "models/shared_memory/request_reader.h"

#include "testbenches/support/catch.h"

using namespace spica;
using namespace spica::shared_memory;

namespace {

struct ReaderBench {
  /// Of a wide port: `bytes` bytes at `offset`, in beats of `beat` bytes.
  Request wide(std::uint64_t offset, unsigned bytes, unsigned beat = 0) {
    payload.setup(tlm::TLM_WRITE_COMMAND, offset, bytes, {});
    payload.info.beat_bytes = static_cast<decltype(payload.info.beat_bytes)>(beat);
    Request request{};
    reader.read(false, payload, request);
    return request;
  }
  Request core(std::uint32_t address, protocol::Atomic atomic = protocol::Atomic::kNone) {
    warp.set_command(tlm::TLM_WRITE_COMMAND);
    warp.access.mask = 1;
    warp.access.bytes = 4;
    warp.access.address[0] = address;
    warp.info.atomic = atomic;
    Request request{};
    reader.read(true, warp, request);
    return request;
  }

  const SharedMemoryParams params;
  SharedMemoryStats stats{params};
  const BankMap map{params};
  const BasicRequestReader<WordBanks> reader{params, map, stats};
  protocol::WarpPool warps;
  protocol::LinePool lines;
  protocol::WarpPayload& warp = warps.take();
  protocol::LinePayload& payload = lines.take();
};

}  // namespace

TEST_CASE("a line is one beat, a burst as many as it says, and each is counted") {
  ReaderBench b;
  Request request = b.wide(64, 32);
  CHECK(request.beats == 1);
  CHECK(request.words == 8);
  CHECK(request.direction == kWrite);
  request = b.wide(64, 128, 32);
  CHECK(request.beats == 4);
  CHECK(request.followers == 3);
  CHECK(request.offset == 64);
  CHECK(b.stats.wide_requests.value() == 5);
}

TEST_CASE("what is empty, crosses a line or is outside of the memory is refused, and needs no bank") {
  ReaderBench b;
  const auto [offset, bytes, status] = GENERATE(table<std::uint64_t, unsigned, tlm::tlm_response_status>(
      {{64, 0, tlm::TLM_BURST_ERROR_RESPONSE},
       {80, 32, tlm::TLM_BURST_ERROR_RESPONSE},
       {64 * 1024, 32, tlm::TLM_ADDRESS_ERROR_RESPONSE},
       {64 * 1024 - 16, 32, tlm::TLM_ADDRESS_ERROR_RESPONSE}}));
  const Request request = b.wide(offset, bytes);
  CHECK(b.payload.get_response_status() == status);
  CHECK(request.done());
  CHECK(b.stats.refused_requests.value() == 1);
  CHECK(b.stats.wide_requests.value() == 0);
}

TEST_CASE("an atomic takes the read network, and lanes outside are refused") {
  ReaderBench b;
  const auto base = static_cast<std::uint32_t>(b.params.base);
  CHECK(b.core(base).direction == kWrite);
  CHECK(b.core(base, protocol::Atomic::kAdd).direction == kRead);
  CHECK(b.stats.core_accesses.value() == 2);
  b.core(base + 64 * 1024);
  CHECK(b.warp.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(b.stats.core_accesses.value() == 2);
}

TEST_CASE("a command that is neither read nor write is refused") {
  ReaderBench b;
  b.warp.set_command(tlm::TLM_IGNORE_COMMAND);
  Request request{};
  b.reader.read(true, b.warp, request);
  CHECK(b.warp.get_response_status() == tlm::TLM_COMMAND_ERROR_RESPONSE);
}

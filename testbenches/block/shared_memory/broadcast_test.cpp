// SPDX-License-Identifier: Apache-2.0

#include "testbenches/block/shared_memory/cluster.h"

#include "testbenches/support/catch.h"

using namespace spica::testbench;
using spica::protocol::Atomic;

namespace {

SharedMemoryParams params_of(bool broadcast) {
  SharedMemoryParams params;
  params.lanes = 32;
  params.cores = 2;
  params.banks = 1;
  params.words = 32;
  params.unaligned = Unaligned::kCrossbar;
  params.broadcast = broadcast;
  return params;
}

WarpPayload& send(Cluster& c, tlm::tlm_command command, Cycle t, const std::vector<std::uint32_t>& offsets,
                  unsigned core = 0) {
  std::vector<std::uint32_t> addresses;
  for (const std::uint32_t offset : offsets)
    addresses.push_back(static_cast<std::uint32_t>(c.params.base) + offset);
  WarpPayload& payload = c.core[core]->warp(command, ~0u >> (32 - offsets.size()), addresses);
  for (unsigned lane = 0; lane < offsets.size(); ++lane) payload.access.data[lane] = 0x500 + lane;
  c.core[core]->at(t, payload);
  return payload;
}

}  // namespace

TEST_CASE("all lanes on one word are served in one cycle with broadcast, one by one without") {
  Bench bench;
  Cluster with(bench, params_of(true)), without(bench, params_of(false));
  const std::vector<std::uint32_t> offsets(32, 0x40);
  with.set_word(0x40, 7);
  without.set_word(0x40, 7);
  WarpPayload& quick = send(with, tlm::TLM_READ_COMMAND, 10, offsets);
  WarpPayload& slow = send(without, tlm::TLM_READ_COMMAND, 10, offsets);
  bench.run();
  CHECK(with.core[0]->done(quick) == with.core_read(10));
  CHECK(without.core[0]->done(slow) == without.core_read(10, 31));
  for (unsigned lane = 0; lane < 32; ++lane) CHECK(quick.access.data[lane] == 7);
  CHECK(with.stat("core_words_read") == 1);
  CHECK(without.stat("core_words_read") == 32);
  CHECK(quick.access.passes == 1);
  CHECK(slow.access.passes == 32);
}

TEST_CASE("with broadcast an access takes a cycle for each different word of its most wanted bank") {
  Bench bench;
  Cluster c(bench, params_of(true));
  for (std::uint32_t word = 0; word < 256; ++word) c.set_word(4 * word, word);
  // Three words of bank 1, two of bank 2, one of bank 0; in an order in which equal words are apart.
  std::vector<std::uint32_t> offsets;
  for (unsigned lane = 0; lane < 32; ++lane) {
    static constexpr std::uint32_t kWords[] = {1, 33, 65, 2, 34, 0, 1, 65};
    offsets.push_back(4 * kWords[lane % 8]);
  }
  WarpPayload& load = send(c, tlm::TLM_READ_COMMAND, 10, offsets);
  bench.run();
  CHECK(c.core[0]->done(load) == c.core_read(10, 2));
  CHECK(load.access.passes == 3);
  CHECK(c.stat("core_words_read") == 6);
  CHECK(c.stat("bank_conflict_cycles") == 2);
  CHECK(c.stat("conflict_degree_3") == 1);
  for (unsigned lane = 0; lane < 32; ++lane) CHECK(load.access.data[lane] == offsets[lane] / 4);
}

TEST_CASE("of lanes that store to one word the highest wins, in one cycle") {
  Bench bench;
  Cluster c(bench, params_of(true));
  std::vector<std::uint32_t> offsets(32, 0x80);
  offsets[31] = 0x84;
  WarpPayload& store = send(c, tlm::TLM_WRITE_COMMAND, 10, offsets);
  bench.run();
  CHECK(c.core[0]->done(store) == c.core_write(10));
  CHECK(c.word(0x80) == 0x51E);
  CHECK(c.word(0x84) == 0x51F);
  CHECK(c.stat("core_words_written") == 2);
}

TEST_CASE("lanes of an atomic are served one by one with broadcast, too") {
  Bench bench;
  Cluster c(bench, params_of(true));
  WarpPayload& add = send(c, tlm::TLM_READ_COMMAND, 10, std::vector<std::uint32_t>(4, 0x40));
  add.info.atomic = Atomic::kAdd;
  bench.run();
  CHECK(c.core[0]->done(add) == c.core_read(10, 3));
  CHECK(c.word(0x40) == 0x500 + 0x501 + 0x502 + 0x503);
  CHECK(add.access.data[3] == 0x500 + 0x501 + 0x502);
}

TEST_CASE("two cores that read the same word share no access") {
  Bench bench;
  Cluster c(bench, params_of(true));
  WarpPayload& first = send(c, tlm::TLM_READ_COMMAND, 10, std::vector<std::uint32_t>(32, 0x40), 0);
  WarpPayload& second = send(c, tlm::TLM_READ_COMMAND, 10, std::vector<std::uint32_t>(32, 0x40), 1);
  bench.run();
  CHECK(c.core[0]->done(first) == c.core_read(10));
  CHECK(c.core[1]->done(second) == c.core_read(10, 1));
  CHECK(c.stat("core_words_read") == 2);
}

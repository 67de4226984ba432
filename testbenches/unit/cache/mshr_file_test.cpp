// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <vector>

#include "models/cache/mshr_file.h"

using namespace spica::cache;

namespace {
Request to_line(std::uint64_t line, std::uint16_t port) {
  Request request;
  request.line = line;
  request.port = port;
  return request;
}
}  // namespace

TEST_CASE("merged requests come back in order of arrival and free their places") {
  MshrFile mshrs(2, 4);
  for (int round = 0; round < 5; ++round) {
    const unsigned first = mshrs.allocate(to_line(7, 0));
    const unsigned second = mshrs.allocate(to_line(9, 1));
    CHECK(mshrs.full());
    CHECK(mshrs.find(7) == first);
    CHECK(mshrs.find(8) == MshrFile::kNone);
    mshrs.merge(first, to_line(7, 2));
    mshrs.merge(first, to_line(7, 3));
    CHECK(mshrs.waiting() == 4);
    std::vector<unsigned> ports;
    mshrs.release(first, [&](const Request& request) { ports.push_back(request.port); });
    CHECK(ports == std::vector<unsigned>{0, 2, 3});
    CHECK(mshrs.waiting() == 1);
    CHECK(mshrs.find(7) == MshrFile::kNone);
    mshrs.release(second, [](const Request&) {});
    CHECK(mshrs.lines() == 0);
  }
}

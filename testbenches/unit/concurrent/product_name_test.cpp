// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/concurrent/product_name.h"

#include <vector>

#include "platform/base/input/user_error.h"
#include "platform/workloads/concurrent/schedule.h"
#include "testbenches/support/catch.h"

using namespace spica::concurrent;

TEST_CASE("products have names with sizes and transposes", "[concurrent]") {
  const ProductName name = ProductName::parse("64_128_4k_01");
  CHECK(name.size.m == 64);
  CHECK(name.size.n == 128);
  CHECK(name.size.k == 4096);
  CHECK(!name.transposed_a);
  CHECK(name.transposed_b);
  CHECK(name.text() == "64_128_4096_01");
  CHECK(ProductName::parse("64_64_64").text() == "64_64_64_00");
  CHECK(parse_products("64_64_64,32_32_32_10").size() == 2);
  for (const char* wrong : {"", "64", "64_64", "64_0_64", "64_64_64_2", "64_64_64_0", "64_64_64_02", "a_b_c",
                            "64_64_64_00_1", "99999999k_1_1"})
    CHECK_THROWS_AS(ProductName::parse(wrong), spica::input::UserError);
}

TEST_CASE("a kernel says its tile, which divides the product", "[concurrent]") {
  CHECK(tile_of("gemm_64x32x16_p").text() == "64x32x16");
  CHECK_THROWS_AS(tile_of("gemm"), spica::input::UserError);
  CHECK(request_of({128, 64, 32}, "gemm_64x32x16").grid == "2x2");
  CHECK_THROWS_AS(request_of({96, 64, 32}, "gemm_64x32x16"), spica::input::UserError);
}

TEST_CASE("partitions share all clusters out", "[concurrent]") {
  for (const std::uint64_t clusters : {8u, 80u})
    for (const std::uint64_t streams : {1u, 2u, 3u, 4u, 8u}) {
      std::vector<unsigned> owners(clusters, 0);
      for (std::uint64_t i = 0; i < streams; ++i) {
        const auto mine = clusters_of(Schedule::kCuPartition, i, streams, clusters);
        CHECK_FALSE(mine.all());
        for (unsigned cluster = 0; cluster < clusters; ++cluster) owners[cluster] += mine.contains(cluster);
      }
      CHECK(owners == std::vector<unsigned>(clusters, 1));
    }
  CHECK(clusters_of(Schedule::kCuPartition, 9, 16, 8) == spica::protocol::ClusterSet{1});
  CHECK(clusters_of(Schedule::kDefault, 0, 2, 8).all());
}

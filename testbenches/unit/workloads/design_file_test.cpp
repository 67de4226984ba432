// SPDX-License-Identifier: Apache-2.0
// Design files: what they mean, and the exact sentence for each mistake.
#include "platform/workloads/design_file.h"

#include <fstream>

#include "platform/base/input/user_error.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/temporary_folder.h"

using namespace spica;
using Catch::Contains;
using workloads::GemmDesign;

namespace {

const std::filesystem::path kShipped = std::filesystem::path(SPICA_SOURCE_DIR) / "configs";

/// A folder of a user, with an ELF file (of no bytes: designs are not run here).
class Desk {
 public:
  Desk() { write("k.elf", ""); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path(name)) << text;
    return folder_.path(name);
  }
  GemmDesign read(const std::string& text) const {
    return workloads::read_gemm_design(write("mine.yaml", text), kShipped);
  }
  /// All problems of a design that is good but for `text`, with the file called mine.yaml.
  std::string problems(const std::string& text) const { return all_problems(good + text); }
  std::string all_problems(const std::string& text) const {
    try {
      read(text);
    } catch (const config::ConfigError& error) {
      return folder_.without_folder(error.what());
    }
    return {};
  }
  std::string path(const std::string& name) const { return folder_.path(name); }

  const std::string good = "kernel: k.elf\nconfig: virgo\nunit: lanes\n";

 private:
  testbench::TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("a design file of three keys is enough, and its kernel stands beside it") {
  Desk desk;
  const GemmDesign design = desk.read(desk.good);
  CHECK(design.name == "mine");
  CHECK(design.given == desk.path("mine.yaml"));
  CHECK(design.kernel_file == desk.path("k.elf"));
  CHECK(design.config == "virgo");
  CHECK(design.unit == workloads::ComputeUnit::kLanes);
  CHECK(design.element() == workloads::Element::kFp32);
  CHECK(workloads::parse_sizes(design, "")[0].text() == "256x256x256");
  CHECK(workloads::is_checked_bitwise(design));
  CHECK(workloads::unfit(design, soc::SocParams{}).empty());
}

TEST_CASE("kernel and configuration are looked for where they are named, also in a file that is extended") {
  Desk desk;
  desk.write("machine.yaml", "extends: virgo\n");
  desk.write("base.yaml", "kernel: k.elf\nconfig: machine.yaml\nunit: lanes\n");
  const GemmDesign design = desk.read("extends: base.yaml\ntile: {m: 4, n: 4}\n");
  CHECK(design.kernel_file == desk.path("k.elf"));
  CHECK(design.config == desk.path("machine.yaml"));
  const GemmDesign shipped = desk.read("extends: designs/tc\nsize: 64x64x64\n");
  CHECK(shipped.kernel_file.empty());
  CHECK(shipped.kernel == "gemm_tc");
}

TEST_CASE("a file that changes what an extended kernel was compiled from has the source compiled") {
  Desk desk;
  for (const char* change : {"compiler: gcc\n", "defines: [X]\n", "source: gemm_simt\n"}) {
    const GemmDesign design = desk.read(std::string("extends: designs/tc\n") + change);
    CHECK(design.kernel.empty());
    CHECK_FALSE(design.source_file.empty());
  }
  desk.write("base.yaml", "compiler: gcc\nsource: gemm_simt\nkernel: k.elf\nconfig: virgo\nunit: lanes\n");
  CHECK(desk.read("extends: base.yaml\nfollows: [L=cluster.core.lanes]\n").kernel_file == desk.path("k.elf"));
  CHECK(desk.read("extends: base.yaml\ncompiler: clang\nkernel: k.elf\n").kernel_file == desk.path("k.elf"));
  desk.write("base.yaml", desk.good);
  CHECK_THAT(desk.all_problems("extends: base.yaml\ncompiler: gcc\n"),
             Contains("mine.yaml:2: compiler: has no effect on k.elf, which is compiled already"));
}

TEST_CASE("a compiler for a kernel that comes with Spica is an error") {
  Desk desk;
  const std::string copied = "kernel: gemm_tc\nsource: gemm_tc\nconfig: virgo\nunit: lanes\n";
  CHECK(desk.all_problems(copied).empty());
  CHECK(desk.all_problems(copied + "compiler: published\n").empty());  // as the design that it comes with
  CHECK_THAT(desk.all_problems(copied + "compiler: gcc\n"),
             Contains("mine.yaml:5: compiler: has no effect on gemm_tc, a compiled kernel"));
  CHECK(desk.all_problems(
                "kernel: gemm_cutlass_k\nsource: gemm_cutlass\nconfig: virgo\nunit: lanes\ncompiler: clang\n")
            .find("compiler") == std::string::npos);
  CHECK(desk.problems("source: gemm_simt\ncompiler: gcc\n").empty());  // of a user's own kernel
}

TEST_CASE("all designs that come with the platform are good and lie in an order") {
  const auto entries = config::entries(kShipped, workloads::kGemmDesigns);
  CHECK(entries.size() == 49);
  CHECK(entries.front().name == "tc");
  CHECK(entries.back().name == "mlds-256x128x32-b");
  unsigned last = 0;
  for (const config::Entry& entry : entries) {
    const GemmDesign design = workloads::read_gemm_design(entry.name, kShipped);
    CHECK(design.order > last);
    CHECK_FALSE(design.title.empty());
    last = design.order;
    soc::SocParams params;
    config::apply(config::load(design.config, {}, kShipped), params);
    CHECK(workloads::unfit(design, params).empty());
  }
  for (const config::Entry& entry : config::entries(kShipped, workloads::kAttentionDesigns)) {
    const workloads::AttentionDesign design = workloads::read_attention_design(entry.name, kShipped);
    soc::SocParams params;
    config::apply(config::load(design.config, {}, kShipped), params);
    CHECK_NOTHROW(workloads::check_attention_machine(design, params));
    const bool fp16 = design.element == workloads::Element::kFp16;
    CHECK((fp16 == (design.config != "attention") && fp16 == (design.roundings.half_probability != 0)));
    if (!design.fp16.empty())
      CHECK(workloads::read_attention_design(design.fp16, kShipped).element == workloads::Element::kFp16);
  }
}

TEST_CASE("an attention design that names another for FP16 has to name one") {
  const Desk desk;
  const auto read = [&](const std::string& fp16) {
    desk.write("mine.yaml", "kernel: attention_tc\nconfig: attention\nunit: tensor_core\nfp16: " + fp16 +
                                "\nroundings: {product: 1, carried: 1}\n");
    return workloads::read_attention_design(desk.path("mine.yaml"), kShipped);
  };
  CHECK_THROWS_WITH(
      read("fp16-tc-overlap"),
      Contains("mine.yaml:4: fp16: no such attention design, did you mean \"fp16-tc-overlapped\"?"));
  CHECK(read("fp16-tc-overlapped").fp16 == "fp16-tc-overlapped");
  CHECK(read("mine.yaml").fp16 == desk.path("mine.yaml"));
}

TEST_CASE("what a design must say and what it names are missed by name") {
  Desk desk;
  CHECK_THAT(desk.all_problems("title: x\n"),
             Contains("mine.yaml:1: config: is missing; allowed: any text") &&
                 Contains("mine.yaml:1: unit: is missing"));
  CHECK_THAT(desk.all_problems("config: virgo\nunit: lanes\n"),
             Contains("kernel, source: a design needs a kernel, a source that is compiled, or both"));
  CHECK_THAT(desk.all_problems("source: n.cpp\nconfig: virgo\nunit: lanes\n"),
             Contains("mine.yaml:1: source: there is no file ") &&
                 Contains("n.cpp; allowed: a folder of sw/kernels"));
  CHECK(
      desk.all_problems("kernel: ./n.elf\nconfig: virgo\nunit: lanes\ndefines: [A, B=2]\n") ==
      "mine.yaml:1: kernel: there is no file ./n.elf; it is compiled with -DA -DB=2; allowed: the path of an ELF "
      "file relative to this file, or the name of a kernel that comes with Spica");
  CHECK_THAT(
      desk.all_problems("kernel: k.elf\nconfig: virga\nunit: lanes\n"),
      Contains("mine.yaml:2: config: no such configuration, did you mean \"virgo\"?; allowed: a100, ") &&
          Contains("virgo-dual, volta-sm, or a path relative to this file"));
  CHECK_THROWS_WITH(
      workloads::read_gemm_design("virgo-dmb", kShipped),
      Contains("virgo-dmb: no such design, did you mean \"virgo-dma\"?; allowed: ampere-fp16, "));
  CHECK_THROWS_WITH(
      workloads::read_attention_design("hopper", kShipped),
      "hopper: no such attention design; allowed: fp16-hopper, fp16-tc, fp16-tc-overlapped, fp16-virgo-overlapped, tc, tc-overlapped, virgo, virgo-overlapped, or the path of a YAML file");
}

TEST_CASE("misspelled keys, wrong values and values out of range are told as in configurations") {
  Desk desk;
  CHECK_THAT(
      desk.problems("publishd: []\n"),
      Contains("mine.yaml:4: publishd: unknown key, did you mean \"published\"?; allowed: title, order, "));
  CHECK(desk.problems("operands: {a: {layout: row}}\n") ==
        "mine.yaml:4: operands.a.layout: \"row\" is not one of the choices; "
        "allowed: row_major, column_major, pairs_of_k, swizzled, rows_of_k, decoupled");
  CHECK(desk.problems("tile: {m: 0}\n") == "mine.yaml:4: tile.m: 0 is out of range; allowed: 1..9999999");
  CHECK(desk.problems("operands: {c: {address: 0x80000000}}\n") ==
        "mine.yaml:4: operands.c.address: 0x80000000 is out of range; allowed: 0xa0000000..0xfdffffff");
  CHECK(desk.problems("published: [{size: 256, cycles: 1}]\n") ==
        "mine.yaml:4: published[0].source: is missing; allowed: any text");
}

TEST_CASE("sizes must fit products") {
  Desk desk;
  CHECK(
      desk.problems("size: 64x\n") ==
      "mine.yaml:4: size: size '64x' is not MxNxK, for example 256x256x256, or one number for a cube; size = 64x "
      "(mine.yaml:4)");
  CHECK(
      desk.problems("size: 64+64\n") ==
      "mine.yaml:4: size, matrix_units: a design needs a size and a matrix unit for each of its products; size = "
      "64+64 (mine.yaml:4), matrix_units (default)");
  CHECK_THAT(desk.problems("published: [{size: '', cycles: 1, source: me}]\n"),
             Contains("mine.yaml:4: published[0].size: size '' is not MxNxK"));
}

TEST_CASE("operands must lie and be laid out so that there can be such") {
  Desk desk;
  CHECK_THAT(desk.problems("operands: {a: {element: fp16}}\n"),
             Contains("operands.a.element, operands.b.element: A and B must have the same elements"));
  CHECK_THAT(desk.problems("operands: {a: {address: 0xB0000000}}\n"),
             Contains("operands.a.address, operands.b.address: A must lie below B"));
  CHECK_THAT(desk.problems("operands: {c: {address: 0xA0800000}}\n"),
             Contains("operands.b.address, operands.c.address: B must lie below C"));
  CHECK_THAT(desk.problems("operands: {b: {address: 0xA1000002}}\n"),
             Contains("operands.b.address: an operand must begin at a multiple of 4"));
  CHECK_THAT(desk.problems("operands: {a: {layout: pairs_of_k}}\ntile: {m: 2, k: 1}\n"),
             Contains("operands.a.layout, tile.k: operands in pairs along k need an even tile.k"));
  CHECK_THAT(
      desk.problems("operands: {b: {layout: decoupled}}\ntile: {n: 16, k: 32}\n"),
      Contains("operands.b.layout, tile.n: blocks of a decoupled tensor core must be 32 elements wide"));
}

TEST_CASE("arguments, check and needs that cannot be meant are refused") {
  Desk desk;
  CHECK(
      desk.problems("arguments: [u32:m, 'u32:x', v:1]\n") ==
      "mine.yaml:4: arguments[1]: arguments item 'u32:x': 'x' is neither a number nor one of m, n, k, unit, a, b, "
      "c, batch, stride_a, stride_b, stride_c, lda, ldb, ldc, run, runs, scale_a, scale_b, scales_a, scales_b, bias, scale, per_step; arguments[1] = u32:x (mine.yaml:4)\n"
      "mine.yaml:4: arguments[2]: arguments item 'v:1': the types are u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 pad "
      "align gemm flash; arguments[2] = v:1 (mine.yaml:4)");
  CHECK_THAT(desk.problems("check: {tolerance: 0.5}\n"),
             Contains("check.tolerance, check.order: a tolerance has no effect if bits are compared"));
  CHECK_THAT(
      desk.problems("needs: [cluster.core=4, cluster.cores=many, cluster.cores, cluster.cores>=1|2]\n"),
      Contains("needs[0]: no machine has the key cluster.core;") &&
          Contains("needs[1]: cluster.cores: 'many' is ") && Contains("allowed: 1..31 cores") &&
          Contains("needs[2]: 'cluster.cores' is not a condition; one is KEY=VALUE") &&
          Contains("needs[3]: condition \"cluster.cores>=1|2\": \"|\" is not expected (character 17)"));
  CHECK_THAT(desk.problems("needs: [cluster.tensor_core.style>=volta, cluster.cores>=2*cluster.cors]\n"),
             Contains("needs[0]: cluster.tensor_core.style is not a number;") &&
                 Contains("needs[1]: cluster.cores: no machine has the key cluster.cors"));
  CHECK_THAT(desk.problems("follows: [LANES=cluster.core.lanes]\n"),
             Contains("follows, source: only a source that is compiled can adapt to the machine"));
  CHECK_THAT(desk.problems("source: gemm_simt\nfollows: [LANES, LANES=cluster.lanes]\n"),
             Contains("follows[0]: expected NAME=KEY") &&
                 Contains("follows[1]: no machine has the key cluster.lanes"));
}

TEST_CASE("a machine that a design does not fit is refused with each reason and a value that works") {
  Desk desk;
  soc::SocParams params;
  using Reasons = std::vector<std::string>;
  CHECK(workloads::unfit(desk.read(desk.good + "needs: [cluster.cores=1|2|8|16, cluster.core.warps>=16]\n"),
                         params) ==
        Reasons{"needs cluster.cores = 1, 2, 8 or 16; this machine has 4: --set cluster.cores=2",
                "needs cluster.core.warps of at least 16; this machine has 8: --set cluster.core.warps=16"});
  CHECK(workloads::unfit(desk.read(desk.good + "needs: [cluster.shared_memory.size<=32 KiB]\n"), params) ==
        Reasons{"needs cluster.shared_memory.size of at most 32 KiB; this machine has 65536: --set "
                "cluster.shared_memory.size=32KiB"});
  CHECK(workloads::unfit(
            desk.read(desk.good +
                      "needs: ['cluster.shared_memory.size>=32*cluster.matrix_units.0.tile_m*64']\n"),
            params) ==
        Reasons{"needs cluster.shared_memory.size of at least 131072; this machine has 65536: --set "
                "cluster.shared_memory.size=131072"});
  CHECK(workloads::unfit(desk.read(desk.good + "needs: [cluster.matrix_units.1.dim=4]\n"), params) ==
        Reasons{"needs cluster.matrix_units.1.dim = 4; this machine has no such entry"});
  const std::string unit = "kernel: k.elf\nconfig: virgo\nunit: matrix_unit\n";
  CHECK(workloads::unfit(desk.read(unit + "matrix_units: [1]\ntile: {k: 8}\n"), params) ==
        Reasons{"computes on matrix unit 1; this machine has 1"});
  params.cluster.tensor_core.present = false;
  CHECK(
      workloads::unfit(desk.read("kernel: k.elf\nconfig: virgo\nunit: tensor_core\n"), params) ==
      Reasons{
          "needs cluster.tensor_core.present = true; this machine has false: --set cluster.tensor_core.present=true"});
  // A bound may be another key, and count with another condition only.
  const GemmDesign tiles = desk.read(
      desk.good +
      "needs: [cluster.cores<=cluster.core.lanes if cluster.core.warps=8, cluster.cores>=9 if cluster.core.warps=4]\n");
  params.cluster.core.lanes = 2;
  CHECK(workloads::unfit(tiles, params) ==
        Reasons{"needs cluster.cores of at most 2 when cluster.core.warps = 8; this machine has 4: --set "
                "cluster.cores=2"});
  params.cluster.core.warps = 16;
  CHECK(workloads::unfit(tiles, params).empty());
  CHECK_THAT(desk.problems("needs: [cluster.cores=4 if cluster.cors=4, cluster.cores=4 if]\n"),
             Contains("needs[0]: no machine has the key cluster.cors") && Contains("needs[1]: "));
  // All of the language of sweeps.
  CHECK(
      workloads::unfit(
          desk.read(
              desk.good +
              "needs: ['cluster.cores * cluster.core.warps = 32|96 or not cluster.core.async_copy = false']\n"),
          params) ==
      Reasons{
          "needs cluster.cores * cluster.core.warps = 32|96 or not cluster.core.async_copy = false; this machine "
          "has cluster.cores = 4, cluster.core.warps = 16, cluster.core.async_copy = false"});
  CHECK_THAT(
      desk.problems(
          "needs: [cluster.cores + 1, cluster.cores * two > 4, 'cluster.cores and cluster.core.async_copy']\n"),
      Contains("needs[0]: 'cluster.cores + 1' is not a condition") &&
          Contains("needs[1]: no machine has the key two") &&
          Contains("needs[2]: 'cluster.cores' is not a condition"));
  // A calculated bound below all values there are is met.
  CHECK(workloads::unfit(desk.read(desk.good + "needs: [cluster.shared_memory.size>=2*cluster.cores]\n"),
                         params)
            .empty());
  CHECK_THAT(workloads::unfit(desk.read(desk.good + "needs: [cluster.shared_memory.size<=2*cluster.cores]\n"),
                              params)
                 .at(0),
             Contains("cluster.shared_memory.size"));
}

TEST_CASE(
    "matrices become multiples of the tile, which must fit what the check and the layouts put together") {
  Desk desk;
  const soc::SocParams params;
  const auto padded = [&](const std::string& text) {
    return workloads::padded(desk.read("kernel: k.elf\nconfig: virgo\nunit: matrix_unit\n" + text),
                             {70, 64, 1}, params)
        .text();
  };
  CHECK(padded("tile: {m: 64, n: 32, k: 8}\n") == "128x64x8");
  CHECK(padded("check: {order: any}\n") == "70x64x1");
  CHECK_THROWS_WITH(padded("tile: {k: 4}\n"),
                    Contains("has a tile of 4 along k, but this machine rounds after 8"));
  CHECK(padded("tile: {k: 4}\ncheck: {order: any}\n") == "70x64x4");
  CHECK_THROWS_WITH(
      padded("operands: {a: {layout: pairs_of_k}}\ncheck: {order: any}\n"),
      Contains("design mine, tile 1x1x1: operands.a.layout: operands in pairs along k need an even tile.k"));
}

TEST_CASE("what a source follows are values of the machine, in place of defines of the same name") {
  Desk desk;
  desk.write("s.cpp", "");
  const GemmDesign design = desk.read(
      "source: s.cpp\nconfig: virgo\nunit: lanes\ndefines: [A, LANES=3, B=2]\n"
      "follows: [LANES=cluster.core.lanes, STYLE=cluster.tensor_core.style, SIZE=cluster.shared_memory.size, "
      "HAS=cluster.tensor_core.present, D=cluster.matrix_units.0.dim]\n");
  CHECK(design.source_file == desk.path("s.cpp"));
  soc::SocParams params;
  CHECK(workloads::defines_for(design, params) ==
        std::vector<std::string>{"A", "B=2", "LANES=8", "STYLE=SYNCHRONOUS", "SIZE=65536", "HAS=1", "D=8"});
  params.cluster.matrix_units.clear();
  CHECK_THROWS_WITH(workloads::defines_for(design, params),
                    "design mine adapts to cluster.matrix_units.0.dim, which this machine does not have");
}

TEST_CASE("arguments and addresses are those of the design") {
  Desk desk;
  const GemmDesign design =
      desk.read(desk.good +
                "operands: {a: {address: 0xA2000000}, b: {address: 0xA3000000}, c: {address: 0xA4000000}}\n"
                "arguments: [u32:c, u16:k, align:4, f32:1, u32:7]\n");
  const auto sizes = workloads::parse_gemm_sizes("32x64x16");
  const auto layouts = workloads::layouts_of(design, sizes);
  CHECK(layouts[0].b == 0xA300'0000);
  CHECK(workloads::argument_block(design, sizes, layouts) ==
        std::vector<unsigned char>{0, 0, 0, 0xA4, 16, 0, 0, 0, 0, 0, 0x80, 0x3F, 7, 0, 0, 0});
  CHECK(workloads::argument_block(desk.read(desk.good + "arguments: []\n"), sizes, layouts).empty());
}

TEST_CASE("with any order a result is checked by its tolerance, with the unit's bit by bit") {
  Desk desk;
  const workloads::GemmSize size{4, 4, 8};
  const std::vector<float> a(32, 1.0f), b(32, 1.0f);
  std::vector<float> c(16, 8.0f);
  c[3] = 8.0000010f;  // next to 8
  const soc::SocParams params;
  const auto check = [&](const std::string& text) {
    return workloads::check_design(desk.read(desk.good + text), params, 0, size, a, b, c);
  };
  CHECK(check("").different_bits == 1);
  CHECK_FALSE(check("").correct);
  CHECK(check("check: {order: any}\n").correct);
  c[3] = 8.1f;
  CHECK_FALSE(check("check: {order: any}\n").correct);
  CHECK(check("check: {order: any, tolerance: 0.02}\n").correct);
}

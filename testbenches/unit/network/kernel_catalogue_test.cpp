// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/network_run/kernel_catalogue.h"

#include <fstream>

#include "models/matrix_unit/matrix_unit_params.h"
#include "platform/workloads/network_run/kernel_launch.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/temporary_folder.h"

using namespace spica;
using network::KernelCatalogue;
using network::KernelWish;
using testbench::TemporaryFolder;

namespace {

/// Products on the lanes, and on a matrix unit of the format of the operands.
class Catalogue {
 public:
  Catalogue() {
    const auto at = folder_.root() / "configs" / "network-kernels";
    std::filesystem::create_directories(at);
    std::ofstream(at / "lanes.yaml")
        << "title: t\norder: 2\nkernel: network\nsource: network\n"
           "formats: [fp32, fp16, bf16]\nkernels:\n"
           "  - {operators: [Product], names: [product_lanes], operands: [a, b]}\n";
    std::ofstream(at / "unit.yaml")
        << "title: t\norder: 1\nkernel: network_unit\nsource: network\nformats: [fp32, fp16]\n"
           "needs: [\"cluster.matrix_units.{UNIT}.operand={FORMAT}\"]\nkernels:\n"
           "  - {operators: [Product], names: [product_unit], operands: [a, b], needs: [rows>2]}\n";
  }
  KernelCatalogue read() const { return KernelCatalogue(folder_.root() / "configs"); }

 private:
  TemporaryFolder folder_;
};

/// A unit of FP32, and one of FP16.
soc::SocParams two_units() {
  soc::SocParams machine;
  machine.cluster.matrix_units.assign(2, matrix_unit::MatrixUnitParams());
  machine.cluster.matrix_units[1].operand = matrix_unit::OperandFormat::kFp16;
  return machine;
}

KernelWish product(const char* format, double rows = 64) {
  KernelWish wish;
  wish.op = "Product";
  wish.format = format;
  wish.operands = {"a", "b"};
  wish.facts = {{"rows", rows}};
  return wish;
}

}  // namespace

TEST_CASE("a product runs on the matrix unit that has its format, wherever it is") {
  const Catalogue files;
  const KernelCatalogue kernels = files.read();
  const soc::SocParams machine = two_units();
  const auto fp32 = kernels.find(product("fp32"), machine), fp16 = kernels.find(product("fp16"), machine);
  CHECK(fp32.kernel == "product_unit_fp32");
  CHECK(fp16.kernel == "product_unit_fp16");
  CHECK(KernelCatalogue::unit_for(*fp32.file, {"fp32"}, machine) == 0);
  CHECK(KernelCatalogue::unit_for(*fp16.file, {"bf16", "fp16"}, machine) == 1);
  CHECK(kernels.find(product("bf16"), machine).kernel == "product_lanes_bf16");
}

TEST_CASE("without a unit of its format, or with too few rows, a product runs on the lanes") {
  const Catalogue files;
  const KernelCatalogue kernels = files.read();
  soc::SocParams machine = two_units();
  CHECK(kernels.find(product("fp32", 2), machine).kernel == "product_lanes_fp32");
  machine.cluster.matrix_units.pop_back();
  CHECK(kernels.find(product("fp16"), machine).kernel == "product_lanes_fp16");
  machine.cluster.matrix_units.clear();
  CHECK(kernels.find(product("fp32"), machine).kernel == "product_lanes_fp32");
}

TEST_CASE("a choice that no kernel meets is refused with the condition, for the first unit") {
  const Catalogue files;
  const KernelCatalogue kernels = files.read();
  KernelWish wish = product("fp16");
  wish.choice.design = "unit";
  soc::SocParams machine = two_units();
  machine.cluster.matrix_units.pop_back();
  try {
    kernels.find(wish, machine);
    FAIL("found");
  } catch (const network::NoKernel& problem) {
    CHECK(std::string(problem.what()) == "a kernel needs cluster.matrix_units.0.operand=fp16");
  }
}

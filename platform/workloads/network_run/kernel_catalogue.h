// SPDX-License-Identifier: Apache-2.0
// The kernels of operators, as configs/network-kernels describes them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "models/base/params.h"
#include "platform/base/config/source.h"
#include "platform/machine/soc/soc_params.h"
#include "platform/workloads/network_run/kernel_choice.h"

namespace spica::network {

/// Kernels with the same operands: one for each operator.
struct KernelEntry {
  std::vector<std::string> operators, names, operands, integers, scalars, needs, truths, optional;
  std::string result;
  std::uint64_t rows = 0, piece = 1, side_by_side = 8, tile = 1;

  static constexpr std::string_view kRequired[] = {"operators", "names", "operands"};
  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field.list("operators", p.operators, "operators that they compute");
    field.list("names", p.names, "kernels for them, in the same order; a format is added, as in add_fp32");
    field.list("operands", p.operands, "operands 1 and following of the argument block; 0 is the result");
    field.list("optional", p.optional, "operands that may be missing: their address is 0");
    field.list("integers", p.integers, "integers of the argument block");
    field.list("scalars", p.scalars, "scalars of the argument block");
    field.list("needs", p.needs,
               "conditions, of keys of the machine and of extents: columns<=8*cluster.core.lanes");
    field.list("bool", p.truths, "operands of truth values, a byte each");
    field("result", p.result, "element type of the result; empty: that of the operands");
    field("rows", p.rows, "axes", base::Range{0, 2},
          "last axes that a warp takes as one row; 0: single elements");
    field("piece", p.piece, "elements or rows", base::Range{1, 1e6}, "of the result in one piece of work");
    field("tile", p.tile, "rows and columns", base::Range{1, 1024},
          "matrices a and b are read up to a multiple of it; the memory behind them belongs to them");
    field("side_by_side", p.side_by_side, "pieces", base::Range{1, 1024},
          "that a work group computes at once");
  }
};

/// A file of configs/network-kernels.
struct KernelFile {
  std::string name;  // "products"; not in the file
  std::string title, kernel, source;
  std::uint64_t order = 0;
  std::vector<std::string> contains, defines, follows, formats, needs;
  bool rounds_sums = false;
  std::vector<KernelEntry> kernels;

  static constexpr std::string_view kRequired[] = {"title", "kernel", "source", "formats", "kernels"};
  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("title", p.title, "one line");
    field("order", p.order, "place", base::Range{0, 1000},
          "in which kernels are tried, the smallest first; none: last");
    field("kernel", p.kernel, "program with the kernels that comes with Spica");
    field.list("contains", p.contains, "programs whose kernels it also has");
    field("source", p.source, "folder of sw/kernels with its source, compiled for other machines");
    field.list(
        "defines", p.defines,
        "NAME or NAME=VALUE each, when the source is compiled; {FORMAT} is FP32, FP16 or BF16, {UNIT} the number of the "
        "matrix unit");
    field.list("follows", p.follows, "NAME=KEY each: defines with values of the machine");
    field.list("formats", p.formats, "formats of the operands");
    field.list(
        "needs", p.needs,
        "conditions for all kernels of the file; {FORMAT}: format of the operands, {UNIT}: number of a matrix "
        "unit, the first one of the machine that meets them");
    field("rounds_sums", p.rounds_sums,
          "sums of products are rounded to the format of the operands before bias, residual and function");
    field.list("kernels", p.kernels, "kernels; the first one whose operands and conditions fit is used");
  }
};

extern const config::FileKind kKernelFiles;

/// What an operator asks of a kernel.
struct KernelWish {
  std::string op, format;  // "LayerNorm", "fp32"
  std::vector<std::string> operands;
  std::map<std::string, double> facts;  // names in conditions
  KernelChoice choice;  // restricts the kernels, if it has one for `op` in any format
};

class KernelCatalogue {
 public:
  /// Reads all files. Throws ConfigError.
  explicit KernelCatalogue(const std::filesystem::path& configs);

  struct Found {
    std::string kernel;
    const KernelFile* file = nullptr;
    const KernelEntry* entry = nullptr;
  };
  /// Throws NoKernel with the reason: no kernel for the operator, this format or these operands, or the condition that none
  /// meets.
  Found find(const KernelWish& wish, const soc::SocParams& machine) const;
  /// Whether there are kernels for the operator in this format, among those of the choice.
  bool has(const KernelWish& wish) const;
  /// Whether a choice has a kernel for the operator, in any format.
  bool offers(const KernelChoice& choice, const std::string& op) const;
  /// All kernels, without formats.
  std::vector<std::string> kernel_names() const;
  /// The number that replaces {UNIT} of a file for operands of these formats: 0 where no unit meets its conditions.
  static unsigned unit_for(const KernelFile& file, const std::vector<std::string>& formats,
                           const soc::SocParams& machine);
  /// The file whose program has the kernels of all of these. Throws NoKernel: there is none.
  static const KernelFile& program_of(const std::vector<const KernelFile*>& files);

 private:
  std::vector<KernelFile> files_;
};

}  // namespace spica::network

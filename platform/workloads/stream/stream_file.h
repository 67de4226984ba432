// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/params.h"
#include "platform/base/config/source.h"

namespace spica::stream {

/// A kernel with what its launches have in common.
struct KernelEntry {
  std::string name, kernel, grid, block, args;

  static constexpr std::string_view kRequired[] = {"name"};
  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("name", p.name, "what launches call it");
    field("kernel", p.kernel, "kernel of the program (SPICA_KERNEL); empty: it has that name");
    field("grid", p.grid, "X, XxY or XxYxZ: work groups of a launch that does not say its own");
    field("block", p.block, "X, XxY or XxYxZ: threads of a work group; empty: as the kernel says");
    field("args", p.args, "argument block as of spica run --args of a launch that does not say its own");
  }
};

/// What a stream does next: one of launch, record and wait.
struct StepEntry {
  std::string launch, grid, block, args, record, wait;
  std::uint64_t repeat = 1;

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("launch", p.launch, "a kernel, by its name in `kernels` or in the program");
    field("grid", p.grid, "X, XxY or XxYxZ: its work groups");
    field("block", p.block, "X, XxY or XxYxZ: threads of a work group");
    field(
        "args", p.args,
        "its argument block, by the names of members, n=1024,factor=2.5, or by types, as of spica run --args");
    field("record", p.record, "an event that happens when all before it in the stream has ended");
    field("wait", p.wait, "an event: what follows in the stream begins after it");
    field("repeat", p.repeat, "times", base::Range{1, 1e6}, "the step is done so often");
  }
};

struct StreamEntry {
  std::string name;
  std::uint64_t clusters = 0;
  std::uint64_t repeat = 1;
  std::vector<StepEntry> steps;

  static constexpr std::string_view kRequired[] = {"name"};
  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("name", p.name, "what it is called");
    field("clusters", p.clusters, "a bit each", base::Range{0, 4294967295.0},
          "clusters that its kernels may run on, like 0x0f; 0: all");
    field("repeat", p.repeat, "times", base::Range{1, 1e6}, "all of its steps are done so often");
    field.list("steps", p.steps, "launch, record and wait in their order");
  }
};

struct CheckEntry {
  std::string at, file;
  double tolerance = 0;

  static constexpr std::string_view kRequired[] = {"at", "file"};
  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("at", p.at, "symbol of the program, or address, of what is compared after the run");
    field("file", p.file, "what it is to be: raw bytes, relative to this file");
    field(
        "tolerance", p.tolerance, "", base::Range{0, 1e30},
        "0: each byte is to be equal; otherwise numbers of 32 bits may differ by so much, or by so much of their size");
  }
};

/// Streams of kernels, a file for `spica stream`.
struct StreamFile {
  std::string config, program;
  std::vector<std::string> set, load, save;
  std::vector<KernelEntry> kernels;
  std::vector<StreamEntry> streams;
  std::vector<CheckEntry> check;

  static constexpr std::string_view kRequired[] = {"program"};
  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("config", p.config,
          "machine: a configuration's name, or a path relative to this file; empty: mgpu-8");
    field("program", p.program,
          "ELF file with the kernels, relative to this file, or the name of one that comes with Spica");
    field.list("set", p.set, "KEY=VALUE of the machine, as of spica run --set");
    field.list("load", p.load, "FILE@SYMBOL as of spica run --load, the file relative to this one");
    field.list("save", p.save, "FILE@SYMBOL as of spica run --save, the file relative to this one");
    field.list("kernels", p.kernels, "kernels with what their launches have in common");
    field.list("streams", p.streams, "kernels in an order; streams run beside each other");
    field.list("check", p.check, "what memory is to be after the run");
  }
};

extern const config::FileKind kStreamFiles;

/// What is in it, files as they are found from the working folder. Throws ConfigError with all that is wrong: unknown keys, a
/// step that is nothing or two things, an event that nothing records or two streams do, two streams of one name.
StreamFile stream_file_of(const config::Source& source);

}  // namespace spica::stream

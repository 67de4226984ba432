// SPDX-License-Identifier: Apache-2.0
// Keys of points: equal where the runs are the same, else different.
#include "platform/studies/sweep/run_fingerprints.h"
#include <fmt/format.h>

#include "platform/base/config/value_text.h"
#include "platform/base/digest/digest.h"
#include "platform/machine/soc/soc_config.h"
#include "platform/studies/sweep/machine_files.h"
#include "platform/studies/sweep/settings.h"
#include "platform/workloads/concurrent/kernel_library.h"
#include "platform/workloads/concurrent/model_file.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <string>

#include "testbenches/support/catch.h"
#include "testbenches/support/samples.h"
#include "testbenches/support/temporary_folder.h"

using namespace spica;
using Catch::Contains;

namespace fs = std::filesystem;

namespace {

const std::filesystem::path kConfigs = std::filesystem::path(SPICA_SOURCE_DIR) / "configs";

/// A folder of the user's, and one of Spica whose kernels, shipped library and compiler it may change.
class Desk {
 public:
  Desk() {
    write("kernel", "an ELF file");
    write("shipped-library", "kernels");
    write("shipped-weights", "a model");
    fs::create_directories(places_.kernels);
    for (const fs::directory_entry& design : fs::recursive_directory_iterator(kConfigs / "designs")) {
      std::ifstream in(design.path());
      for (std::string line; std::getline(in, line);)
        if (const std::size_t at = line.find("kernel: "); at != std::string::npos)
          ship(places_.kernels / (line.substr(at + 8) + ".elf"), "kernel");
    }
    fs::create_directories(places_.configs / "concurrent");
    for (const fs::directory_entry& entry : fs::directory_iterator(kConfigs))
      if (entry.path().filename() != "concurrent")
        fs::create_symlink(entry.path(), places_.configs / entry.path().filename());
    fs::create_symlink(fs::path(SPICA_SOURCE_DIR) / "sw", path("sw"));
    const auto library = [this](const char* name) {
      return places_.configs / "concurrent" / (std::string(name) + ".json");
    };
    ship(library(concurrent::KernelLibrary::kShipped), "shipped-library");
    ship(library(concurrent::kShippedModel), "shipped-weights");
    set_compiler("19.1.7");
    setenv("SPICA_CLANG", path("clang").c_str(), 1);
    setenv("SPICA_LLD", path("clang").c_str(), 1);
  }
  ~Desk() {
    unsetenv("SPICA_CLANG");
    unsetenv("SPICA_LLD");
  }
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
  std::string path(const std::string& name) const { return folder_.path(name); }
  void set_compiler(const std::string& version) const {
    write("clang", "#!/bin/sh\necho clang " + version + "\n");
    fs::permissions(path("clang"), fs::perms::owner_all);
  }

  /// The keys of all points.
  std::vector<std::string> keys(const std::string& text, unsigned repeat = 0) const {
    write("s.yaml", text);
    const sweep::Sweep sweep = sweep::read_sweep(path("s.yaml"), places_.configs);
    const sweep::Plan plan(sweep);
    sweep::RunFingerprints keys(sweep, places_);
    std::vector<std::string> result;
    for (std::uint64_t i = 0; i < plan.count(); ++i) result.push_back(keys.key(plan.point(i), repeat));
    return result;
  }
  std::string key(const std::string& text) const { return keys(text).front(); }

 private:
  /// Of Spica's files, `name` of the folder.
  void ship(const fs::path& file, const std::string& name) const {
    if (!fs::exists(file)) fs::create_symlink(path(name), file);
  }

  testbench::TemporaryFolder folder_;
  const workloads::Places places_{
      folder_.path("configs"), folder_.path("kernels"), {SPICA_SOURCE_DIR, folder_.path("runtime")}};
};

const std::string kBase = "fixed: {design: virgo-dma, size: 64x64x64}\n";

}  // namespace

TEST_CASE("facts sum up to the same in any order, and one taken away leaves the others") {
  sweep::Fingerprint one, other;
  for (const char* fact : {"a=1", "b=2", "c=3", "b=2"}) one.add(fact);
  for (const char* fact : {"x=9", "c=3", "b=2", "b=2", "a=1"}) other.add(fact);
  CHECK(one.text() != other.text());
  other.remove("x=9");
  CHECK(one.text() == other.text());
}

TEST_CASE("SHA-1 and SHA-256 are those of FIPS 180-4") {
  CHECK(digest::sha256_text("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(digest::sha1_text("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  CHECK(digest::sha1_text("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d");
  CHECK(digest::sha1_text(std::string(1'000'000, 'a')) == "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

TEST_CASE("products at once depend on what is in the shipped library and model, named or not") {
  const Desk desk;
  const std::string base = "job: concurrent\nfixed: {gemm: 64_64_64_00, schedule: goldyloc";
  const std::string key = desk.key(base + "}\n");
  CHECK(desk.key(base + ", library: " + desk.path("shipped-library") + "}\n") == key);
  for (const char* file : {"shipped-library", "shipped-weights"}) {
    desk.write(file, "another one");
    CHECK(desk.key(base + "}\n") != key);
    desk.write(file, file == std::string("shipped-library") ? "kernels" : "a model");
    CHECK(desk.key(base + "}\n") == key);
  }
}

TEST_CASE("runs with a firmware depend on what is in it") {
  const Desk desk;
  desk.write("mine", "a firmware");
  const std::string base = "job: concurrent\nfixed: {gemm: 64_64_64_00, kernel: gemm";
  const std::string with = base + ", command_processor.firmware: " + desk.path("mine") + "}\n";
  const std::string key = desk.key(with);
  CHECK(desk.key(base + "}\n") != key);
  desk.write("mine", "another one");
  CHECK(desk.key(with) != key);
}

TEST_CASE("a value that is the default makes no other run, wherever it is written") {
  const Desk desk;
  const std::string key = desk.key(kBase);
  CHECK(desk.key(kBase + "config: virgo\n") == key);
  CHECK(desk.key("fixed: {design: virgo-dma, size: 64, seed: 1, cluster.core.alu_latency: 2}\n") == key);
  CHECK(desk.key(kBase + "axes: {l2.size_bytes: [512 KiB]}\n") == key);
  CHECK(desk.key(kBase + "axes: {cluster.core.alu_latency: [2]}\n") == key);
  std::filesystem::copy_file(kConfigs / "virgo.yaml", desk.path("moved.yaml"));
  CHECK(desk.key(kBase + "config: " + desk.path("moved.yaml") + "\n") == key);
}

TEST_CASE("whatever a run depends on changes its key") {
  const Desk desk;
  std::set<std::string> keys{desk.key(kBase)};
  const std::vector<std::string> others{"fixed: {design: virgo-dma, size: 64x64x128}\n",
                                        "fixed: {design: tc-dma, size: 64x64x64}\n",
                                        kBase + "axes: {seed: [2]}\n",
                                        kBase + "axes: {cluster.core.alu_latency: [3]}\n",
                                        kBase + "axes: {mode: [fast]}\n",
                                        kBase + "axes: {check: [hazards]}\n",
                                        kBase + "axes: {energy: [true]}\n",
                                        kBase + "limits: {cycles: 1000}\n",
                                        "job: attention\n"};
  for (const std::string& other : others) CHECK(keys.insert(desk.key(other)).second);
  CHECK(desk.keys(kBase, 1).front() == desk.key(kBase + "axes: {seed: [2]}\n"));  // another run of the point
  desk.write("kernel", "another ELF file");
  CHECK(keys.insert(desk.key(kBase)).second);
}

namespace {

/// A text that the option can have, another one than its default; empty: nothing but a file.
std::string other_value(const config::Field& option) {
  using Kind = config::Field::Kind;
  const std::string usual = config::value_text(option, option.get());
  switch (option.kind) {
    case Kind::kBool: return "true";
    case Kind::kInteger: return usual == "1" ? "2" : "1";
    case Kind::kReal: return "0.5";
    case Kind::kChoice:
      return option.choices.back() == usual ? option.choices.front() : option.choices.back();
    default: return option.name == "size" ? "128x64x64" : "x";
  }
}

}  // namespace

TEST_CASE("every option changes the key, and that which is written down as its default does not") {
  const Desk desk;
  desk.write("elf", "a program");
  for (const auto& [job, base] : {std::pair<std::string, std::string>{"gemm", "size: 64x64x64"},
                                  {"attention", "design: virgo"},
                                  {"run", "config: virgo, elf: " + desk.path("elf")},
                                  {"concurrent", "gemm: 64_64_64_00"}}) {
    std::set<std::string> keys{desk.key("job: " + job + "\nfixed: {" + base + "}\n")};
    for (const config::Field& option : sweep::options_of(workloads::kind(job))) {
      if (option.is_file || base.find(option.name + ": ") != std::string::npos) continue;
      INFO(job << ": " << option.name);
      std::string needed = base;
      for (const std::vector<std::string>& one_of : option.needs)
        needed += fmt::format(", {}: {}", one_of.front(),
                              other_value(*sweep::find_option(workloads::kind(job), one_of.front())));
      keys.insert(desk.key(fmt::format("job: {}\nfixed: {{{}}}\n", job, needed)));
      const auto with = [&, &kind = job](const std::string& value) {
        return desk.key(
            fmt::format("job: {}\nfixed: {{{}, {}: \"{}\"}}\n", kind, needed, option.name, value));
      };
      CHECK(keys.insert(with(other_value(option))).second);
      const std::string usual = config::value_text(option, option.get());
      if (!usual.empty()) CHECK(keys.count(with(usual)) == 1);
    }
  }
}

TEST_CASE("an option has one key, whether its name or an earlier one is given") {
  const Desk desk;
  for (const auto& [job, base] : {std::pair<std::string, std::string>{"gemm", "size: 64x64x64"},
                                  {"attention", "design: fp16-tc"},
                                  {"run", "config: virgo, elf: " + desk.path("kernel")},
                                  {"concurrent", "gemm: 64_64_64_00"}})
    for (const config::Field& option : sweep::options_of(workloads::kind(job)))
      for (const std::string& earlier : option.earlier) {
        const auto fixed = [&, &kind = job, &rest = base](const std::string& name) {
          return desk.key("job: " + kind + "\nfixed: {" + rest + ", " + name + ": " + other_value(option) +
                          "}\n");
        };
        const auto axis = [&, &kind = job, &rest = base](const std::string& name) {
          return desk.key("job: " + kind + "\nfixed: {" + rest + "}\naxes: {of_it: {key: " + name +
                          ", values: [" + other_value(option) + "]}}\nonly: " + name + " == \"" +
                          other_value(option) + "\"\n");
        };
        INFO(job << ": " << earlier);
        CHECK(fixed(earlier) == fixed(option.name));
        CHECK(axis(earlier) == fixed(option.name));
        CHECK(fixed(earlier) != desk.key("job: " + job + "\nfixed: {" + base + "}\n"));
      }
  CHECK_THROWS_WITH(desk.key("job: attention\nfixed: {format: fp16, element: fp16}\n"),
                    Contains("set twice"));
  CHECK(sweep::find_option(workloads::kind("attention"), "element")->name == "format");
}

TEST_CASE("every file that an option names changes the key by what is in it") {
  const Desk desk;
  desk.write("one", "1");
  const std::string path = desk.path("one");
  for (const std::string& text :
       {"fixed: {design: virgo-dma, a: " + path + ", b: " + desk.path("kernel") + "}\n",
        "fixed: {design: virgo-dma, b: " + path + ", a: " + desk.path("kernel") + "}\n",
        "job: run\nfixed: {config: virgo, elf: " + path + "}\n",
        "job: concurrent\nfixed: {gemm: 64_64_64_00, library: " + path + "}\n",
        "job: concurrent\nfixed: {gemm: 64_64_64_00, schedule: goldyloc, weights: " + path + "}\n"}) {
    INFO(text);
    const std::string key = desk.key(text);
    desk.write("one", "2");
    CHECK(desk.key(text) != key);
    desk.write("one", "1");
    CHECK(desk.key(text) == key);
  }
}

namespace {

/// Every single parameter below a field, with its key; lists as they are.
void visit_parameters(const config::Field& field, const std::string& key,
                      const std::function<void(const std::string& key, const config::Field&)>& visit) {
  if (field.is_value()) return visit(key, field);
  for (const config::Field& child : field.children)
    visit_parameters(child, key.empty() ? child.name : key + '.' + child.name, visit);
}

/// Texts that the parameter may have, others than its own.
std::vector<std::string> other_values(const config::Field& field) {
  using Kind = config::Field::Kind;
  const std::string usual = config::value_text(field, field.get());
  std::vector<std::string> texts;
  if (field.kind == Kind::kBool) texts = {"true", "false"};
  if (field.kind == Kind::kChoice) texts = field.choices;
  if (field.kind == Kind::kString) texts = {"other"};
  if (field.kind == Kind::kInteger || field.kind == Kind::kReal) {
    const config::Value value_now = field.get();
    const auto* whole = std::get_if<std::uint64_t>(&value_now);
    const double now = whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value_now);
    for (const double value : {2 * now, now / 2, now + 1, now - 1, field.range.min, field.range.max})
      if (const double one = std::clamp(value, field.range.min, field.range.max); one != now)
        texts.push_back(fmt::format("{:.0f}", one));
  }
  texts.erase(std::remove(texts.begin(), texts.end(), usual), texts.end());
  return texts;
}

}  // namespace

TEST_CASE("every parameter of the machine changes the key, those that name a file by what is in it") {
  const Desk desk;
  soc::SocParams params = config::read<soc::SocParams>(config::load("virgo", {}, kConfigs));
  const std::string base = "fixed: {design: virgo-dma, size: 64x64x64, energy: true";
  const std::string key = desk.key(base + "}\n");
  std::size_t changed = 0, looked_at = 0;
  visit_parameters(config::describe(params), "", [&](const std::string& name, const config::Field& field) {
    INFO(name);
    if (testbench::kSanitized && ++looked_at % 10 != 0) return;
    if (sweep::machine_file(name) < sweep::machine_files().size()) return;
    for (const char* words :
         {"a file", "ELF file", "configuration file"})  // what names one is one of machine_files()
      CHECK(field.doc.find(words) == std::string::npos);
    std::string other;
    for (const char* form :
         {"{0}, {1}: \"{2}\"}}\n", "{0}}}\naxes: {{{1}: [\"{2}\"]}}\n"})  // alone, else with a refusal
      for (const std::string& value : other_values(field)) try {
          if (other.empty()) other = desk.key(fmt::format(fmt::runtime(form), base, name, value));
        } catch (const config::ConfigError&) {  // not on this machine, unless others change, too
        }
    CHECK(!other.empty());
    CHECK(other != key);
    changed += other.empty() ? 0 : 1;
  });
  CHECK(changed > testbench::samples(200));
}

TEST_CASE("files that the machine names change the key by what is in them, however it names them") {
  const Desk desk;
  for (const auto& [name, table] : {std::pair<std::string, std::string>{"power.table", "power/virgo-16nm"},
                                    {"power.area_table", "area/first-order-16nm"},
                                    {"main_memory.dram.energy", "power/dram/hbm2"},
                                    {"command_processor.firmware", ""},
                                    {"main_memory.dramsys.config", ""}}) {
    INFO(name);
    const std::filesystem::path given = kConfigs / (table + ".yaml");
    std::string text = "{}";
    if (!table.empty()) {
      std::ifstream in(given);
      text.assign(std::istreambuf_iterator<char>(in), {});
    }
    desk.write("mine.yaml", text);
    const std::size_t dot = name.rfind('.');
    const std::string leaf = name.substr(dot + 1), group = name.substr(0, dot), path = desk.path("mine.yaml");
    desk.write("group.yaml", fmt::format("{}: {}\n", leaf, path));
    desk.write("memory.yaml", fmt::format("extends: blocks/hbm2\n{}: {{{}: {}}}\n",
                                          group.substr(group.rfind('.') + 1), leaf, path));
    const bool in_memory = group.rfind("main_memory.", 0) == 0;
    const std::string block = in_memory ? "main_memory: [memory.yaml]" : group + ": [group.yaml]";
    const std::string start = "fixed: {design: virgo-dma, size: 64x64x64, energy: true";
    for (const std::string& sweep :
         {fmt::format("{}, {}: {}}}\n", start, name, path),
          fmt::format("{}}}\naxes: {{{}: [{}]}}\n", start, name, path),
          fmt::format("{}}}\naxes: {{{}}}\n", start, block),
          fmt::format("{}}}\naxes: {{{}, cluster.cores: [2], l2.line_bytes: [64]}}\n", start, block)}) {
      if (group == "power" && sweep.find("group.yaml") != std::string::npos)
        continue;  // `power` is power.table
      INFO(sweep);
      const std::string key = desk.key(sweep);
      desk.write("mine.yaml", text + "\n# another one\n");
      CHECK(desk.key(sweep) != key);
      desk.write("mine.yaml", text);
      CHECK(desk.key(sweep) == key);
    }
  }
}

TEST_CASE("files that a configuration of DRAMSys includes are part of the key") {
  const Desk desk;
  desk.write("dramsys.json", "{\"simulation\": {\"memspec\": \"spec.json\"}}");
  desk.write("spec.json", "{\"clkMhz\": 1600}");
  const std::string sweep =
      kBase + "axes: {main_memory.dramsys.config: [" + desk.path("dramsys.json") + "]}\n";
  const std::string key = desk.key(sweep);
  CHECK(key != desk.key(kBase));
  desk.write("spec.json", "{\"clkMhz\": 800}");
  CHECK(desk.key(sweep) != key);
}

TEST_CASE("a kernel that is compiled on demand depends on its compiler") {
  const Desk desk;
  const std::string sweep = "fixed: {design: virgo-dma, size: 64x64x64}\n";
  const std::string key = desk.key(sweep);
  desk.set_compiler("19.1.8");
  CHECK(desk.key(sweep) != key);
}

TEST_CASE(
    "all parameters are axes, also those of the machine as a whole, and groups by the names of block files") {
  const Desk desk;
  const std::set<std::string> clocks{desk.key(kBase), desk.key(kBase + "axes: {clock_mhz: [200]}\n"),
                                     desk.key(kBase + "axes: {clusters: [2]}\n")};
  CHECK(clocks.size() == 3);
  const auto memories = desk.keys(kBase + "axes: {main_memory: [hbm2, ddr4_3200]}\n");
  CHECK(memories.front() != memories.back());
  std::filesystem::copy_file(kConfigs / "blocks/hbm2.yaml", desk.path("mine.yaml"));
  CHECK(desk.key(kBase + "axes: {main_memory: [mine.yaml]}\n") == memories.front());
}

TEST_CASE("the order of axes does not matter") {
  const Desk desk;
  const auto one = desk.keys(kBase + "axes: {cluster.cores: [2, 4], l2.ways: [4, 8]}\n");
  const auto other = desk.keys(kBase + "axes: {l2.ways: [4, 8], cluster.cores: [2, 4]}\n");
  CHECK(std::set(one.begin(), one.end()) == std::set(other.begin(), other.end()));
  CHECK(std::set(one.begin(), one.end()).size() == 4);
}

TEST_CASE("keys put together from single axes are those of the whole machine") {
  const Desk desk;
  // The same machines with all values in one axis, which is loaded as a whole.
  const auto separate = desk.keys(
      kBase +
      "axes:\n  cluster.core.fma_latency: [4, 5]\n  cluster.cores: [1, 2]\n  l2.size_bytes: [65536, 131072]\n");
  const auto whole = desk.keys(kBase + R"(axes:
  all:
    zip:
      cluster.core.fma_latency: [4, 4, 4, 4, 5, 5, 5, 5]
      cluster.cores: [1, 1, 2, 2, 1, 1, 2, 2]
      l2.size_bytes: [65536, 131072, 65536, 131072, 65536, 131072, 65536, 131072]
)");
  CHECK(separate == whole);
}

TEST_CASE("values that contradict each other alone are no mistake of the file, one out of its range is") {
  const Desk desk;
  CHECK(
      desk.keys(kBase +
                "axes: {cluster.shared_memory.banks: [4, 8], cluster.shared_memory.size: [64 KiB, 96 KiB]}\n")
          .size() == 4);
  CHECK_THROWS_WITH(
      desk.keys(kBase + "axes:\n  fma: {key: cluster.core.fma_latency, values: [4, 99]}\n"),
      Contains("s.yaml:3: cluster.core.fma_latency: 99 is out of range; allowed: 1..63 cycles"));
  CHECK_THROWS_WITH(desk.keys(kBase + "axes: {cluster.core.fma_latenzy: [4]}\n"),
                    Contains("did you mean \"fma_latency\"?"));
}

TEST_CASE("files that a program is given are part of its key by what is in them") {
  const Desk desk;
  desk.write("data", "1");
  const std::string text = "job: run\nconfig: virgo\nelf: " + desk.path("kernel") + "\nload: [\"" +
                           desk.path("data") + "@0x1000\"]\n";
  const std::string key = desk.key(text);
  CHECK(desk.key(text) == key);
  desk.write("data", "2");
  CHECK(desk.key(text) != key);
}

// SPDX-License-Identifier: Apache-2.0
// Sweep files: what they mean, and the sentence for each mistake.
#include "platform/studies/sweep/sweep_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "platform/base/input/user_error.h"
#include "platform/studies/sweep/plan.h"
#include "platform/studies/sweep/slurm.h"
#include "platform/studies/sweep/sweep_keys.h"
#include "testbenches/support/catch.h"
#include "testbenches/support/temporary_folder.h"

using namespace spica;
using Catch::Contains;

namespace {

std::filesystem::path configs() { return std::filesystem::path(SPICA_SOURCE_DIR) / "configs"; }

class SweepFiles {
 public:
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path(name)) << text;
  }
  sweep::Sweep read(const std::string& text) const {
    write("s.yaml", text);
    return sweep::read_sweep(folder_.path("s.yaml"), configs());
  }
  std::string problems(const std::string& text) const {
    try {
      read(text);
    } catch (const config::ConfigError& error) {
      return folder_.without_folder(error.what());
    }
    return "no problem";
  }

 private:
  testbench::TemporaryFolder folder_;
};

std::vector<std::string> labels(const sweep::Axis& axis) {
  std::vector<std::string> result;
  for (const sweep::AxisValue& value : axis.values) result.push_back(value.label);
  return result;
}

}  // namespace

TEST_CASE("axes are lists, ranges, powers of two, and values that move together") {
  const SweepFiles desk;
  const sweep::Sweep sweep = desk.read(R"(
axes:
  design: [tc, virgo]
  cluster.cores: [1, 2]
  fma: {key: cluster.core.fma_latency, range: 2..8, step: 3}
  share: {key: main_memory.fixed.gb_per_s, range: 0.5..1.5, step: 0.5}
  l2: {key: l2.size_bytes, log2: 65536..262144}
  unit:
    zip: {cluster.dcache.ways: [4, 8], l2.ways: [2, 4]}
    labels: [small, large]
  both: {zip: {cluster.icache.ways: [1, 2], mode: [cycle, fast]}}
)");
  using List = std::vector<std::string>;
  CHECK(sweep.name == "s");
  CHECK(labels(sweep.axes[1]) == List{"1", "2"});
  CHECK(labels(sweep.axes[2]) == List{"2", "5", "8"});
  CHECK(labels(sweep.axes[3]) == List{"0.5", "1", "1.5"});
  CHECK(labels(sweep.axes[4]) == List{"65536", "131072", "262144"});
  CHECK(labels(sweep.axes[5]) == List{"small", "large"});
  CHECK(labels(sweep.axes[6]) == List{"1/cycle", "2/fast"});
  CHECK(sweep.axes[6].keys == List{"cluster.icache.ways", "run.mode"});
  const sweep::Plan plan(sweep);
  CHECK(plan.count() == 2 * 2 * 3 * 3 * 3 * 2 * 2);
  std::string command;
  for (const std::string& word : sweep::command_of(sweep, plan.point(plan.count() - 1), 0))
    command += word + " ";
  CHECK(
      command ==
      "gemm --design virgo --set cluster.cores=2 --set cluster.core.fma_latency=8 --set main_memory.fixed.gb_per_s=1.5 "
      "--set l2.size_bytes=262144 --set cluster.dcache.ways=8 --set l2.ways=4 --set cluster.icache.ways=2 --set run.mode=fast ");
}

TEST_CASE("all that is wrong with a file is said at once, each with its line") {
  const SweepFiles desk;
  const std::string said = desk.problems(R"(job: gem
axis: {}
axes:
  sizes: [64x64x64]
  design: []
  seed: [1, 1]
  state: {key: cluster.cores, values: [1]}
  fma: {key: cluster.core.fma_latency, range: 8..2}
  big: {key: cluster.cores, range: 0..1000000000000000000}
  z: {zip: {cluster.dcache.ways: [1, 2], l2.ways: [1]}}
only: ["cores => 3", "kores == 3"]
repeats: {seeds: 0}
objectives: {cycles: least}
baseline: {design: tc}
limits: {second: 3}
)");
  for (
      const char* sentence :
      {"s.yaml:1: job: \"gem\" is not a job; allowed: gemm, attention, run",
       "s.yaml:2: axis: unknown key, did you mean \"axes\"?",
       "s.yaml:4: axes.sizes: \"sizes\" is neither an option of spica gemm nor a parameter, did you mean \"size\"?",
       "s.yaml:5: axes.design: it has no value", "s.yaml:6: axes.seed: \"1\" is given twice",
       "s.yaml:7: axes.state: the results have a column of this name",
       "s.yaml:8: axes.fma: \"8..2\" is not a range",
       "s.yaml:9: axes.big: it has 1000000000000000000 values; allowed: at most 1000000",
       "s.yaml:10: axes.z: the lists of a zip must have the same length",
       "\">\" is not expected (character 8)", "only: \"kores\" is not an axis",
       "repeats.seeds: \"0\" is not a whole number in the allowed range; allowed: 1..1000",
       "objectives.cycles: \"least\" is not a direction; allowed: min, max", "baseline.design: no such axis",
       "limits.second: unknown key, did you mean \"seconds\"?"}) {
    INFO(said);
    CHECK_THAT(said, Contains(sentence));
  }
}

TEST_CASE("designs and sizes that are not, or do not go together, are said at their line") {
  const SweepFiles desk;
  const std::string said = desk.problems("axes:\n  design: [tc, tv]\n  size: [64, 50x, '']\n");
  CHECK_THAT(
      said,
      Contains("s.yaml:2: axes.design: tv: no such design, did you mean \"tc\"?; allowed: ampere-fp16, "));
  CHECK_THAT(said, Contains("s.yaml:3: axes.size: size '50x' is not MxNxK"));
  CHECK_THAT(said, Contains("s.yaml:3: axes.size: a size is MxNxK"));
  CHECK_THAT(desk.problems("fixed:\n  design: dual-serial\n  size: 64x64x64\n"),
             Contains("s.yaml:3: fixed.size: "));
  CHECK_THAT(desk.problems("job: attention\naxes: {design: [simt]}\n"),
             Contains("axes.design: simt: no such attention design"));
}

TEST_CASE("parameters that are not, or out of their range, are said with all else that is wrong") {
  const SweepFiles desk;
  const std::string said = desk.problems(
      "axes:\n  design: [tc]\n  ways: {key: cluster.dcache.ways, values: [4, 999]}\n"
      "  sizes: {key: cluster.dcache.sizebytes, values: [1]}\nfixed: {size: 64, cluster.coress: 2}\nkeeep: [cycles]\n");
  for (const char* sentence :
       {"s.yaml:3: cluster.dcache.ways: 999 is out of range; allowed: 1..512",
        "s.yaml:4: cluster.dcache.sizebytes: unknown key, did you mean \"size_bytes\"?",
        "s.yaml:5: cluster.coress: unknown key, did you mean \"cores\"?", "s.yaml:6: keeep: unknown key"})
    CHECK_THAT(said, Contains(sentence));
}

TEST_CASE("results that are to become small or large must be kept, and measured") {
  const SweepFiles desk;
  const std::string axes = "axes: {design: [tc]}\n";
  CHECK_THAT(desk.problems(axes + "keep: [cycles]\nobjectives: {cycls: min}\n"),
             Contains("s.yaml:3: objectives.cycls: \"cycls\" is not kept, did you mean \"cycles\"?"));
  CHECK_THAT(desk.problems(axes + "keep: [cycles]\nconstraints: utilisation > 0.5\n"),
             Contains("s.yaml:3: constraints: \"utilisation\" is not kept"));
  CHECK_THAT(desk.problems(axes + "objectives: {active_energy_uj: min}\n"),
             Contains("active_energy_uj needs energies, which are not measured; add fixed: {energy: true}"));
  CHECK(desk.problems(axes + "fixed: {energy: true}\nobjectives: {active_energy_uj: min}\n") == "no problem");
  CHECK_THAT(desk.problems(axes + "keep: [area_mm2]\n"),
             Contains("s.yaml:2: keep: area_mm2 is not measured; add fixed: {area: true}"));
  CHECK(desk.problems(axes + "fixed: {area: true}\nkeep: [area_mm2]\n") == "no problem");
  CHECK(desk.problems(axes + "fixed: {energy: true}\nkeep: [area_mm2]\n") == "no problem");
}

TEST_CASE("what a comparison of results needs is kept with them") {
  const SweepFiles desk;
  const auto kept = [&](const std::string& text) { return desk.read(text).keep; };
  using Names = std::vector<std::string>;
  CHECK(kept("axes: {design: [tc]}\n").empty());  // all
  CHECK(kept("axes: {design: [tc]}\nkeep: [cycles]\n") ==
        Names{"cycles", "window", "lead_cycles", "multiply_adds"});
  CHECK(kept("axes: {design: [tc]}\nfixed: {energy: true}\nkeep: [total_energy_uj, area_mm2]\n") ==
        Names{"total_energy_uj", "area_mm2", "total_energy_uj_low", "total_energy_uj_high", "window",
              "lead_cycles", "multiply_adds", "energy_table", "energy_notes"});
  CHECK(kept("job: run\nconfig: virgo\nelf: hello\nkeep: [cycles]\n") == Names{"cycles"});
}

TEST_CASE("axes that change the work may be named") {
  const SweepFiles desk;
  const std::string axes = "axes: {design: [tc], size: [64x64x64]}\n";
  CHECK(!desk.read(axes).work);
  CHECK(desk.read(axes + "work: []\n").work->empty());
  CHECK(desk.read(axes + "work: design\n").work == std::vector<std::string>{"design"});
  CHECK_THAT(desk.problems(axes + "work: [sise]\n"),
             Contains("s.yaml:2: work: \"sise\" is not an axis, did you mean \"size\"?"));
}

TEST_CASE("problems of a design stand at their place in the design's file") {
  const SweepFiles desk;
  desk.write("mine.yaml", "extends: designs/tc\ntile: {m: 0}\n");
  CHECK(desk.problems("axes: {design: [mine.yaml]}\n") ==
        "mine.yaml:2: tile.m: 0 is out of range; allowed: 1..9999999");
}

TEST_CASE("files that a sweep names stand beside it") {
  const SweepFiles desk;
  desk.write("mine.yaml", "extends: designs/tc\n");
  const sweep::Sweep sweep = desk.read("axes: {design: [mine.yaml, tc]}\n");
  CHECK(labels(sweep.axes[0]) == std::vector<std::string>{"mine.yaml", "tc"});
  CHECK_THAT(sweep.axes[0].values[0].settings[0].value, Catch::EndsWith("/mine.yaml"));
  CHECK(sweep.axes[0].values[1].settings[0].value == "tc");
  desk.write("hello.elf", "");
  desk.write("datcluster.dcache.waysin", "");
  const sweep::Sweep run =
      desk.read("job: run\nconfig: virgo\nelf: hello.elf\nload: datcluster.dcache.waysin@0x100\n");
  CHECK_THAT(run.fixed_value("elf"), Catch::EndsWith("/hello.elf"));
  CHECK_THAT(run.loads.at(0), Catch::EndsWith("/datcluster.dcache.waysin@0x100"));
}

TEST_CASE("arguments of an own program come from args, then from axes, in their order") {
  const SweepFiles desk;
  const sweep::Sweep sweep = desk.read(
      "job: run\nconfig: virgo\nelf: hello\nargs: u64:7\n"
      "axes:\n  sums: {argument: [0, 1], labels: [fp32, fp16]}\n  scale: {argument: ['f32:0.5', 0x10]}\n");
  const sweep::Plan plan(sweep);
  CHECK(sweep::command_of(sweep, plan.point(3), 0) ==
        std::vector<std::string>{"run", "virgo", "hello", "--args", "u64:7,u32:1,u32:0x10"});
  CHECK(sweep::command_of(sweep, plan.point(0), 0).back() == "u64:7,u32:0,f32:0.5");
  CHECK_THAT(desk.problems("axes: {n: {argument: [1]}}\n"),
             Contains("only programs of your own (job: run, opencl) have arguments"));
  CHECK_THAT(desk.problems("job: run\naxes: {n: {argument: [x, 4294967296]}}\n"),
             Contains("\"x\" is not an argument") && Contains("\"4294967296\" is not an argument"));
}

TEST_CASE("values of axes replace their names in the arguments of a host program, or follow") {
  const SweepFiles desk;
  desk.write("data.bin", "");
  const sweep::Sweep sweep = desk.read(
      "job: opencl\nprogram: host\nargs: --size {n} 'a {n}' data.bin {}\n"
      "axes:\n  n: {key: args.n, log2: 4..8}\n  kind: {argument: [x, \"'y z'\"]}\n  l2: {key: l2.ways, values: [4]}\n");
  const std::vector<std::string> words = sweep::command_of(sweep, sweep::Plan(sweep).point(3), 0);
  REQUIRE(words.size() == 10);
  CHECK(words[0] == "opencl");
  CHECK(std::vector<std::string>(words.begin() + 1, words.begin() + 7) ==
        std::vector<std::string>{"--set", "l2.ways=4", "host", "--size", "8", "a 8"});
  CHECK_THAT(words[7], Catch::EndsWith("/data.bin"));
  CHECK(words[8] == "{}");
  CHECK(words[9] == "y z");
  CHECK_THAT(desk.problems("job: opencl\nargs: '{n} {m}'\naxes: {n: {argument: [1]}}\n"),
             Contains("the host program is missing") && Contains("no axis sets {m}") && !Contains("{n}"));
}

TEST_CASE("comparisons name two designs of a sweep with energy") {
  const SweepFiles desk;
  const std::string table = "axes: {design: [tc, simt]}\n";
  const std::string energy = table + "fixed: {energy: true}\n";
  CHECK(desk.read(energy + "comparisons: [{design: tc, base: simt}]\n").comparisons.size() == 1);
  CHECK(desk.problems(energy + "comparisons: [{design: tc}, {design: virgo, base: simt}]\n") ==
        "s.yaml:3: comparisons[0].base: is missing\n"
        "s.yaml:3: comparisons[1].design: \"virgo\" is not a design of this sweep; allowed: tc, simt");
  CHECK_THAT(desk.problems(table + "comparisons: [{design: tc, base: simt}]\n"),
             Contains("s.yaml:2: comparisons: energy was not measured"));
  CHECK_THAT(desk.problems(energy + "sensitivity: true\n"),
             Contains("s.yaml:3: sensitivity: it is that of comparisons, and there are none"));
}

TEST_CASE("the keys that are explained are those that are read") {
  const SweepFiles desk;
  std::string said = desk.problems("nothing: 1\n");
  said = said.substr(said.find("allowed: ") + 9);
  std::string explained;
  for (const std::string& key : sweep::keys_of("")) explained += (explained.empty() ? "" : ", ") + key;
  CHECK(said == explained);
  CHECK(sweep::keys_of("slurm") == std::vector<std::string>{"partition", "time", "cpus", "options"});
  std::ostringstream schema;
  sweep::write_sweep_schema(schema);
  for (const config::ParameterInfo& key : sweep::sweep_keys()) {
    const std::string last = key.key.substr(key.key.rfind('.') + 1);
    CHECK_THAT(schema.str(), Contains(fmt::format("\"{}\": {{", last)) && Contains(key.doc));
  }
}

TEST_CASE("two axes on one key are an error, and an axis on what is fixed") {
  const SweepFiles desk;
  CHECK_THAT(desk.problems("axes:\n  a: {key: l2.ways, values: [1, 2]}\n  b: {key: l2.ways, values: [4]}\n"),
             Contains("s.yaml:3: axes.b: l2.ways is also set elsewhere"));
  CHECK_THAT(desk.problems("fixed: {mode: fast}\naxes: {run.mode: [cycle]}\n"),
             Contains("run.mode is also set elsewhere"));
  CHECK_THAT(desk.problems("limits: {cycles: 5}\nfixed: {run.max_cycles: 3}\n"),
             Contains("run.max_cycles: it is set twice"));
}

TEST_CASE("points outside of the grid may have values of their own, and follow it") {
  const SweepFiles desk;
  const sweep::Sweep sweep = desk.read(R"(
axes: {design: [tc, virgo], cluster.cores: [1, 2]}
also:
  - {name: paper, design: virgo-dma, cluster.cores: 8}
)");
  const sweep::Plan plan(sweep);
  REQUIRE(plan.count() == 5);
  CHECK(plan.point(4).name == "paper");
  CHECK(sweep::command_of(sweep, plan.point(4), 0) ==
        std::vector<std::string>{"gemm", "--design", "virgo-dma", "--set", "cluster.cores=8"});
}

TEST_CASE("a grid that cannot be gone through is refused with its size, a sample of it is not") {
  const SweepFiles desk;
  std::string text = "axes:\n";
  for (const char* name : {"a", "b", "c"})
    text += fmt::format("  {}: {{key: x.{}, range: 1..1000}}\n", name, name);
  const sweep::Sweep all = desk.read(text);
  CHECK_THROWS_WITH(sweep::Plan(all), Contains("1000000000 combinations"));
  const sweep::Sweep some = desk.read(text + "sample: {random: 100, seed: 3}\n");
  CHECK(sweep::Plan(some).count() == 100);
}

TEST_CASE("runs of a point have seeds of their own") {
  const SweepFiles desk;
  const sweep::Sweep sweep = desk.read("axes: {design: [tc]}\nrepeats: {seeds: 3}\n");
  const sweep::Plan plan(sweep);
  CHECK(sweep::command_of(sweep, plan.point(0), 2) ==
        std::vector<std::string>{"gemm", "--design", "tc", "--seed", "3"});
  CHECK_THAT(desk.problems("job: run\nconfig: virgo\nelf: a.elf\nrepeats: {seeds: 2}\n"),
             Contains("no operands that a seed could change"));
}

TEST_CASE("the layers of a network are an axis of sizes with names") {
  SweepFiles desk;
  const sweep::Sweep sweep = desk.read("name: s\naxes:\n  layer: {layers: bert-large, most_rows: 100}\n");
  const sweep::Axis* axis = sweep.axis("layer");
  REQUIRE(axis != nullptr);
  REQUIRE(axis->values.size() == 6);
  CHECK(axis->values[0].label == "query_key_value");
  CHECK(axis->values[0].settings[0].key == "size");
  CHECK(axis->values[0].settings[0].value == "100x1024x1024");
  CHECK(axis->values[2].settings[0].value == "100x64x512");
  CHECK(axis->values[1].count == 49152);
  CHECK(axis->layers == std::vector<std::string>{"bert-large"});
  CHECK(axis->cut);
  CHECK(!desk.read("name: s\naxes:\n  layer: {layers: bert-large}\n").axis("layer")->cut);
  // Elements limit the rows: the fewer columns, the more rows, as long as the layer has them.
  const sweep::Sweep elements = desk.read(
      "name: s\naxes:\n  layer: {layers: [bert-large, resnet-152], most_columns: 256, most_elements: 131072}\n");
  const auto size_of = [&](const char* layer) {
    for (const sweep::AxisValue& value : elements.axis("layer")->values)
      if (value.label == layer) return value.settings[0].value;
    return std::string();
  };
  CHECK(size_of("query_key_value") == "512x256x1024");
  CHECK(size_of("conv3_b") == "1024x128x1152");
  CHECK(size_of("conv2_b") == "2048x64x576");
  CHECK(size_of("context") == "512x64x512");
  CHECK(size_of("classes") == "256x256x2048");
  CHECK(desk.read("name: s\naxes:\n  layer: {layers: bert-large, most_elements: 5}\n")
            .axis("layer")
            ->values[0]
            .settings[0]
            .value == "1x1024x1024");
  CHECK_THAT(desk.problems("name: s\naxes:\n  layer: {layers: bert-large, most_elements: 0}\n"),
             Contains("most_elements"));
  CHECK_THAT(desk.problems("name: s\naxes:\n  layer: {layers: bert-larg}\n"),
             Contains("did you mean \"bert-large\"?"));
  CHECK_THAT(desk.problems("name: s\naxes:\n  layer: {layers: gpt-2, rows: 3}\n"),
             Contains("rows: unknown key"));
}

TEST_CASE("times of Slurm are minutes, at least one, or what Slurm itself knows") {
  const std::pair<const char*, const char*> table[] = {
      {"30m", "30"},  {"2h", "120"}, {"90s", "2"}, {"1s", "1"},
      {"1d", "1440"}, {"45", "45"},  {"", ""},     {"1-12:00:00", "1-12:00:00"},
      {"xm", "xm"}};
  for (const auto& [text, expected] : table) CHECK(sweep::slurm_time(text) == expected);
}

TEST_CASE("usual values, calculated columns and a summary are read, and their mistakes named") {
  SweepFiles desk;
  const sweep::Sweep sweep = desk.read(
      "name: s\naxes:\n  design: [tc, virgo]\n  layer: {layers: [bert-large, resnet-152], most_rows: 100, most_columns: 50, "
      "usual: [query_key_value]}\n"
      "columns: {share: \"mean(stats.*.core_*.stores) / cycles\"}\nsummary: design\n");
  CHECK(sweep.axis("layer")->usual == std::vector<std::string>{"query_key_value"});
  CHECK(sweep.axis("layer")->values.front().settings.front().value == "100x50x1024");
  REQUIRE(sweep.columns.size() == 1);
  CHECK(sweep.columns.front().name == "share");
  CHECK(sweep.summary == std::vector<std::string>{"design"});
  const std::string problems = desk.problems(
      "name: s\naxes:\n  l: {key: design, values: [tc], usual: [x]}\ncolumns: {a: \"1 +\"}\nsummary: size\n");
  CHECK_THAT(problems, Contains("usual: \"x\" is not a value of this axis"));
  CHECK_THAT(problems, Contains("it ends too early"));
  CHECK_THAT(problems, Contains("\"size\" is not an axis"));
}

TEST_CASE("a flag is true or false, wherever it is set") {
  const SweepFiles desk;
  const std::string end = "fixed: {design: virgo-dma, size: 64x64x64, format: fp8_e4m3}\n";
  CHECK(labels(desk.read("axes: {b_transposed: [true, false]}\n" + end).axes.at(0)) ==
        std::vector<std::string>{"true", "false"});
  for (const std::string word : {"True", "TRUE", "yes", "on", "1", "ture", "False", "no", "off", "0", "''"}) {
    INFO(word);
    const std::string said =
        fmt::format("\"{}\" is not a boolean; allowed: true, false", word == "''" ? "" : word);
    CHECK_THAT(desk.problems("axes: {b_transposed: [" + word + "]}\n" + end),
               Contains("axes.b_transposed: " + said));
    CHECK_THAT(desk.problems("axes: {t: {key: b_transposed, values: [true, " + word + "]}}\n" + end),
               Contains(said));
    CHECK_THAT(
        desk.problems("axes: {t: {zip: {seed: [1], a_transposed: [" + word + "]}, labels: [x]}}\n" + end),
        Contains(said));
    CHECK_THAT(desk.problems("axes: {b_transposed: [true]}\nalso: [{b_transposed: " + word + "}]\n" + end),
               Contains("also[0].b_transposed: " + said));
    CHECK_THAT(desk.problems("fixed: {design: virgo-dma, energy: " + word + "}\n"),
               Contains("fixed.energy: " + said));
    CHECK_THAT(desk.problems("fixed: {design: virgo-dma}\nsensitivity: " + word + "\n"), Contains(said));
  }
  CHECK_THAT(
      desk.problems("axes: {seed: [1]}\nkeep: [active_energy_uj]\nfixed: {design: tc, energy: false}\n"),
      Contains("which are not measured"));
}

TEST_CASE(
    "an option that needs another one is refused where no point has that, and left out where one has not") {
  const SweepFiles desk;
  CHECK_THAT(desk.problems("fixed: {design: tc}\naxes:\n  output_scale: [1, 2]\n"),
             Contains("s.yaml:3: axes.output_scale: without effect: no point has output_format"));
  CHECK_THAT(desk.problems(
                 "job: concurrent\nfixed: {gemm: 32_32_32, weights: x}\naxes:\n  schedule: [default, go]\n"),
             Contains("fixed.weights: without effect: no point has schedule=goldyloc"));
  const sweep::Sweep sweep = desk.read(
      "job: concurrent\nfixed: {gemm: 32_32_32, weights: x}\naxes:\n  schedule: [default, goldyloc]\n");
  const sweep::Plan plan(sweep);
  const auto has_weights = [&](std::uint64_t point) {
    const std::vector<std::string> words = sweep::command_of(sweep, plan.point(point), 0);
    return std::count(words.begin(), words.end(), "--weights") != 0;
  };
  CHECK_FALSE(has_weights(0));
  CHECK(has_weights(1));
}

TEST_CASE(
    "options of a run that are short for a parameter are axes, and those that say where results go are none") {
  const SweepFiles desk;
  const sweep::Sweep sweep = desk.read(
      "fixed: {design: tc, energy: true}\naxes: {only_used: [false, true], divergence: [fault, warn]}\n");
  CHECK(sweep.axes[0].keys == std::vector<std::string>{"power.only_used"});
  CHECK(sweep.axes[1].keys == std::vector<std::string>{"cluster.core.divergence"});
  CHECK_THAT(desk.problems("axes: {trace: [a.json]}\n"),
             Contains("\"trace\" is neither an option of spica gemm nor a parameter"));
}

TEST_CASE(
    "tables and settings of power do nothing without a measurement of energy or area, and are refused") {
  const SweepFiles desk;
  const std::string what = "without effect: no energy or area is measured; fixed: {energy: true}";
  CHECK_THAT(desk.problems("fixed: {design: tc}\naxes:\n  power: [virgo-16nm]\n"),
             Contains("s.yaml:3: axes.power: " + what));
  CHECK_THAT(desk.problems("fixed:\n  design: tc\n  main_memory.dram.energy: hbm2\n"),
             Contains("s.yaml:3: fixed.main_memory.dram.energy: " + what));
  CHECK(desk.problems("fixed: {design: tc, energy: true}\naxes:\n  power.voltage: [0.7, 0.8]\n") ==
        "no problem");
  CHECK(desk.problems("fixed: {design: tc}\naxes:\n  power: [virgo-16nm]\n  energy: [false, true]\n") ==
        "no problem");
}

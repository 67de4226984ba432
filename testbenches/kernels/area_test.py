# SPDX-License-Identifier: Apache-2.0
"""How large machines are: what blocks say they are made of, times a table, in the command, in results and in sweeps."""
import json
import os
import pathlib
import unittest

from spica_runner import folder, spica, stats

CONFIGS = pathlib.Path(os.environ["SPICA_ROOT"]) / "configs"


def area(config="virgo", *settings):
    options = [word for one in settings for word in ("--set", one)]
    result = spica("area", config, "--json", *options)
    assert result.code == 0, result.text
    return json.loads(result.out)


def part(report, unit, name, structure):
    """Amount of a structure in a part of all blocks of a unit."""
    for one in report["units"]:
        if one["unit"] == unit:
            return sum(p["amount"] for p in one["parts"] if (p["part"], p["structure"]) == (name, structure))
    raise KeyError(unit)


def nominal(report, unit):
    return next(one["area_mm2"]["nominal"] for one in report["units"] if one["unit"] == unit)


class Area(unittest.TestCase):
    def test_every_block_of_every_machine_says_what_it_is_made_of(self):
        for file in sorted(CONFIGS.glob("*.yaml")):
            with self.subTest(machine=file.stem):
                found = area(file.stem)
                self.assertEqual(found["unknown"], [])
                for entry in "low", "nominal", "high":
                    blocks = [block["area_mm2"][entry] for block in found["blocks"]]
                    self.assertTrue(all(one > 0 for one in blocks))
                    self.assertAlmostEqual(sum(blocks), found["area_mm2"][entry])
                    self.assertAlmostEqual(sum(unit["area_mm2"][entry] for unit in found["units"]), found["area_mm2"][entry])
                self.assertLess(found["area_mm2"]["low"], found["area_mm2"]["nominal"])
                self.assertLess(found["area_mm2"]["nominal"], found["area_mm2"]["high"])

    def test_amounts_are_those_of_the_parameters(self):
        base = area()
        self.assertEqual(part(base, "cores", "register_file", "register_bit"), 3 * 4 * 8 * 64 * 8 * 32)
        self.assertEqual(part(base, "shared_memory", "banks", "two_port_bit"), 64 * 1024 * 8)
        self.assertEqual(part(base, "shared_memory", "banks", "sram_column"), 4 * 8 * 32)
        self.assertEqual(part(base, "matrix_unit", "pes", "mac_fp32"), 64)
        self.assertEqual(part(base, "matrix_unit", "accumulator", "two_port_bit"), 16 * 1024 * 8)
        self.assertEqual(part(base, "l2", "data", "sram_bit"), 512 * 1024 * 8)
        self.assertEqual(part(base, "tensor_cores", "dot_product", "mac_fp32"), 4 * 16)
        self.assertEqual(part(area("volta-sm"), "cores", "fragment_registers", "register_bit"), 4 * 16 * 256 * 32 * 32)
        shared = area("volta-sm", "cluster.core.register_rows=512")  # by all warps, with fragments
        self.assertEqual(part(shared, "cores", "register_file", "register_bit"), 3 * 4 * 512 * 32 * 32)
        self.assertEqual(part(shared, "cores", "fragment_registers", "register_bit"), 0)
        fp16 = area("fp16-virgo")
        self.assertEqual(part(fp16, "matrix_unit", "pes", "mac_fp16"), 256)
        self.assertEqual(part(fp16, "matrix_unit", "pes", "mac_fp32"), 0)

    def test_a_step_of_a_parameter_changes_the_block_it_belongs_to_and_no_other(self):
        base = area()
        for setting, unit, larger in (("cluster.core.warps=16", "cores", True), ("cluster.core.alu_blocks=1", "cores", False),
                                      ("cluster.shared_memory.banks=8", "shared_memory", True),
                                      ("cluster.dcache.mshrs=8", "dcache", False), ("l2.ways=16", "l2", True),
                                      ("cluster.dma.read_ids=32", "dma", True), ("cluster.coalescer.line_ids=8", "coalescer", False),
                                      ("cluster.matrix_units.0.execute_entries=32", "matrix_unit", True),
                                      ("cluster.tensor_core.operand_fifo=8", "tensor_cores", True),
                                      ("bus.master_queue=4", "bus", True)):
            with self.subTest(setting=setting):
                changed = area("virgo", setting)
                self.assertEqual(nominal(changed, unit) > nominal(base, unit), larger)
                self.assertNotEqual(nominal(changed, unit), nominal(base, unit))
                for one in base["units"]:  # tensor cores have queues by warp
                    if one["unit"] not in (unit, "tensor_cores"):
                        self.assertEqual(nominal(changed, one["unit"]), one["area_mm2"]["nominal"], one["unit"])

    def test_a_time_costs_no_area(self):
        self.assertEqual(area("virgo", "l2.hit_latency=20", "cluster.core.fma_latency=9"), area())

    def test_technology_and_table_scale_the_area(self):
        base = area()
        self.assertAlmostEqual(area("virgo", "power.technology_nm=45")["area_mm2"]["nominal"], 5.3 * base["area_mm2"]["nominal"])
        shown = spica("area", "--technology", "45")
        self.assertIn("at 45 nm", shown.out)
        with folder() as at:
            pathlib.Path(f"{at}/t.yaml").write_text("extends: first-order-16nm\nstructures: {mac_fp32: {high: 6000, nominal: 5400}}\n")
            table = f"power.area_table={at}/t.yaml"
            more = area("virgo", table)["area_mm2"]["nominal"] - base["area_mm2"]["nominal"]
            self.assertAlmostEqual(more, (64 + 64) * 2700e-6)
            self.assertRegex(spica("area", "--table", "--set", table).out, r"mac_fp32 +1800 +5400 +6000")
        refused = spica("area", "--set", "power.area_table=nothing")
        self.assertEqual(refused.code, 2)
        self.assertIn("area table", refused.err)

    def test_results_have_the_area_where_it_is_asked_for(self):
        with folder() as at:
            expected = area("virgo", "cluster.cores=2")["area_mm2"]["nominal"]
            for options, has in ((["--area"], True), (["--energy"], True), ([], False)):
                result = spica("gemm", "--size", "64x64x64", "--set", "cluster.cores=2", "--out", f"{at}/o", "--record", f"{at}/r", *options)
                self.assertEqual(result.code, 0, result.text)
                self.assertEqual(stats(f"{at}/o").get("area_mm2"), expected if has else None)
                record = json.loads(pathlib.Path(f"{at}/r").read_text().splitlines()[-1])
                self.assertEqual(record.get("area_mm2"), expected if has else None)
                self.assertEqual("\n  area " in result.out, options == ["--area"])
            refused = spica("gemm", "--size", "64x64x64", "--area", "--mode", "fast")
            self.assertEqual(refused.code, 2)
            self.assertIn("--area: needs the cycle mode", refused.err)

    def test_a_sweep_keeps_the_area_and_its_front_has_three_objectives(self):
        with folder() as at:
            file = f"{at}/s.yaml"
            pathlib.Path(file).write_text(
                "axes: {dim: {key: cluster.matrix_units.0.dim, values: [4, 8]}, queue: {key: bus.master_queue, values: [2, 64]}}\n"
                "fixed: {design: virgo-dma, size: 64x64x64, energy: true, cluster.shared_memory.words: 16}\n"
                "keep: [cycles, active_energy_uj, area_mm2]\n"
                "objectives: {cycles: min, active_energy_uj: min, area_mm2: min}\n")
            run = spica("sweep", "run", file, "--dir", f"{at}/out")
            self.assertEqual(run.code, 0, run.text)
            rows = [line.split(",") for line in spica("sweep", "table", file, "--dir", f"{at}/out", "--as", "csv").out.splitlines()]
            column = rows[0].index("area_mm2")
            for row in rows[1:]:
                dim, queue = row[rows[0].index("dim")], row[rows[0].index("queue")]
                expected = area("virgo", f"cluster.matrix_units.0.dim={dim}", f"bus.master_queue={queue}", "cluster.shared_memory.words=16")
                self.assertAlmostEqual(float(row[column]), expected["area_mm2"]["nominal"], places=6)
            front = spica("sweep", "pareto", file, "--dir", f"{at}/out")
            self.assertEqual(front.code, 0, front.text)
            self.assertIn("area_mm2", front.out)
            points = [line.split()[0] for line in front.out.splitlines() if line[:1].isdigit()]
            self.assertIn("0", points)  # the small array is slower, and the smallest
            self.assertTrue({"2", "3"} & set(points))  # the large one is faster

    def test_area_alone_is_an_option_of_a_sweep_and_a_fact_of_its_points(self):
        with folder() as at:
            file = f"{at}/s.yaml"
            text = "axes: {cluster.core.warps: [4, 8]}\nfixed: {design: virgo-dma, size: 64x64x64, area: true}\nkeep: [cycles, area_mm2]\n"
            table = pathlib.Path(f"{at}/t.yaml")
            table.write_text("extends: first-order-16nm\n")
            pathlib.Path(file).write_text(text.replace("area: true", f"area: true, power.area_table: {table}"))
            run = ("sweep", "run", file, "--dir", f"{at}/out")
            self.assertIn("0 of 2 runs had a record, 2 ran", spica(*run).out)
            before = spica("sweep", "table", file, "--dir", f"{at}/out", "--as", "csv", "--value", "area_mm2").out
            self.assertIn("2 of 2 runs had a record, 0 ran", spica(*run).out)
            table.write_text("extends: first-order-16nm\nstructures: {alu: {nominal: 300}}\n")  # what it says counts
            self.assertIn("0 of 2 runs had a record, 2 ran", spica(*run).out)
            self.assertNotEqual(before, spica("sweep", "table", file, "--dir", f"{at}/out", "--as", "csv", "--value", "area_mm2").out)

    def test_explain_says_what_each_step_costs_in_area(self):
        with folder() as at:
            self.assertEqual(spica("gemm", "--size", "64x64x64", "--set", "cluster.dma.read_ids=4", "--out", f"{at}/run").code, 0)
            found = json.loads(spica("explain", f"{at}/run", "--json", "--budget", "36").out)
            self.assertEqual(found["area_mm2"], area("virgo", "cluster.dma.read_ids=4")["area_mm2"]["nominal"])
            best = found["found"][0]
            self.assertEqual(best["key"], "cluster.dma.read_ids")
            self.assertEqual(best["area_mm2"], area("virgo", f"cluster.dma.read_ids={best['tried']}")["area_mm2"]["nominal"])
            self.assertGreater(best["area_mm2"], found["area_mm2"])
            self.assertIn("area", spica("explain", f"{at}/run", "--budget", "20").out)


if __name__ == "__main__":
    unittest.main()

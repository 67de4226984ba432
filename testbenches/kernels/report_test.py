# SPDX-License-Identifier: Apache-2.0
"""Reports: the numbers behind the charts, and the page as a browser shows it."""
import functools
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import unittest
import zlib

from spica_runner import elf, folder, spica, stats

CHARTS = pathlib.Path("/usr/share/javascript/chart.js/chart.min.js")
CHROMIUM = shutil.which("chromium")


class Page(html.parser.HTMLParser):
    """What a browser would load or run."""

    def __init__(self, text):
        super().__init__()
        self.loads, self.scripts, self.data = [], [], ""
        self.inside = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        for name in ("src", "href", "data", "action", "srcset"):
            link = attributes.get(name)
            if link and not link.startswith(("#", "data:")):
                self.loads.append((tag, name, link))
        self.inside = (tag, attributes.get("type"))
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, text):
        if self.inside == ("script", "application/json"):
            self.data += text
        elif self.inside and self.inside[0] == "script":
            self.scripts[-1] += text


def browser(file, where, *options):
    """Opens the page in a browser without a window and without a network."""
    return subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr", "--virtual-time-budget=10000",
         "--window-size=1400,3000", f"--user-data-dir={where}/profile", *options, f"file://{file}" + ("" if "#" in str(file) else "#check")],
        capture_output=True, text=True, timeout=120)


kOutside = """Array.from(document.querySelectorAll('main *, header *')).filter((one) => !one.closest('.scroll, pre') &&
  one.getClientRects().length && one.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5)
  .map((one) => one.tagName + ' ' + one.className + ' ' + one.textContent.slice(0, 40))"""


def look(page, where, width, found):
    """Opens a page in a frame of so many pixels, as wide as a phone, and returns what the expressions `found` say in it."""
    return look_at([page], where, width, found)[0]


def look_at(pages, where, width, found):
    """The same for several pages, each in a frame of its own, with one start of the browser."""
    outer = pathlib.Path(where) / "frame.html"
    texts = json.dumps([pathlib.Path(page).read_text() for page in pages]).replace("<", "\\u003c")
    outer.write_text(f"""<body style="margin:0"><pre></pre><script>
const asked = {json.dumps(found).replace("<", chr(92) + "u003c")}, answers = [];
const texts = {texts};
texts.forEach((text, place) => {{
  const frame = document.createElement('iframe');
  frame.style = 'position:absolute;left:0;top:0;border:0;width:{width}px;height:4000px';
  frame.srcdoc = text;
  frame.addEventListener('load', () => setTimeout(() => {{
    const said = {{}};
    for (const [name, code] of Object.entries(asked)) {{
      try {{ said[name] = frame.contentWindow.eval(code); }} catch (error) {{ said[name] = 'error: ' + error; }}
    }}
    answers[place] = said;
    document.querySelector('pre').textContent = JSON.stringify(answers);
    frame.remove();
  }}, 500));
  document.body.append(frame);
}});
</script>""")
    seen = browser(outer, where, "--dump-dom")
    answers = json.loads(html.unescape(re.search(r"<pre>(.*?)</pre>", seen.stdout, re.S).group(1)))
    assert len(answers) == len(pages) and all(answers), answers
    return answers


def doms(pages, where):
    """What becomes of pages that are opened with #check, without their scripts, and what the console says of all of them.

    One start of the browser: each is in a frame of its own."""
    outer = pathlib.Path(where) / "doms.html"
    outer.write_text(f"""<body style="margin:0"><pre></pre><script>
const answers = [];
{json.dumps([str(page) for page in pages])}.forEach((page, place) => {{
  const frame = document.createElement('iframe');
  frame.style = 'position:absolute;left:0;top:0;border:0;width:1400px;height:3000px';
  frame.src = 'file://' + page + '#check';
  frame.addEventListener('load', () => setTimeout(() => {{
    const copy = frame.contentDocument.documentElement.cloneNode(true);
    for (const script of copy.querySelectorAll('script')) script.remove();
    answers[place] = copy.outerHTML;
    document.querySelector('pre').textContent = JSON.stringify(answers);
  }}, 500));
  document.body.append(frame);
}});
</script>""")
    seen = browser(outer, where, "--allow-file-access-from-files", "--dump-dom")
    answers = json.loads(html.unescape(re.search(r"<pre>(.*?)</pre>", seen.stdout, re.S).group(1)))
    assert len(answers) == len(pages) and all(answers), seen.stderr
    return answers, seen.stderr


def first_row(png):
    """Red, green and blue of the pixels of the first row of a PNG."""
    chunks = b""
    place = 8
    while place < len(png):
        size = int.from_bytes(png[place:place + 4], "big")
        if png[place + 4:place + 8] == b"IDAT":
            chunks += png[place + 8:place + 8 + size]
        place += 12 + size
    width, depth, bytes_ = int.from_bytes(png[16:20], "big"), png[24], {2: 3, 6: 4}[png[25]]
    assert depth == 8, depth
    kind, *row = zlib.decompress(chunks)[:1 + width * bytes_]
    for i in range(bytes_, len(row)):  # filters by the pixel to the left; above is nothing
        row[i] = (row[i] + {0: 0, 1: row[i - bytes_], 2: 0, 3: row[i - bytes_] // 2, 4: row[i - bytes_]}[kind]) % 256
    return [tuple(row[i:i + 3]) for i in range(0, len(row), bytes_)]


class Timeline(unittest.TestCase):
    def test_the_windows_of_a_run_add_up_to_its_statistics(self):
        with folder() as out:
            self.assertEqual(spica("gemm", "--design", "virgo-dma", "--size", "128x128x128", "--out", out).code, 0)
            document = stats(out)
        edges, accounts = document["timeline"]["edges"], document["timeline"]["accounts"]
        self.assertEqual((edges[0], edges[-1]), (0, document["simulated_cycles"]))
        self.assertEqual(edges, sorted(set(edges)))
        self.assertTrue(100 <= len(edges) <= 257, len(edges))

        def find(path):
            node = document["stats"]
            for part in path.split("."):
                node = node[part]
            return node

        self.assertIn("cluster_0.matrix_unit_0.cycles", accounts)
        self.assertIn("cluster_0.core_3.issue", accounts)
        for path, reasons in accounts.items():
            # Cycles that a unit attributes late may count for another reason in a window: two in a hundred.
            for reason, cycles in find(path)["reasons"].items():
                self.assertAlmostEqual(sum(reasons.get(reason, [0])), cycles, delta=0.02 * edges[-1], msg=path + reason)
        counters = document["timeline"]["counters"]
        self.assertIn("cluster_0.shared_memory.bank_0_words_read", counters)
        for path, values in counters.items():
            self.assertEqual(sum(values), find(path)["value"], path)

    def test_looking_at_a_run_does_not_change_it(self):
        def summary(*options):
            text = spica("gemm", "--design", "tc-dma", "--size", "64x64x64", *options).out
            return re.sub(r"simulated in.*", "", text)

        with folder() as out:
            self.assertEqual(summary(), summary("--out", out))

    def test_results_name_what_differs_from_the_base_configuration(self):
        with folder() as out:
            spica("run", "virgo", elf("hello"), "-q", "--set", "cluster.cores=2", "--out", out)
            configuration = stats(out)["configuration"]
        self.assertEqual(configuration["base"], "virgo")
        self.assertEqual([(entry["key"], entry["base"], entry["value"]) for entry in configuration["differences"]],
                         [("cluster.cores", "4", "2")])


@unittest.skipUnless(CHARTS.exists(), "needs the Debian package libjs-chart.js")
class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        @functools.cache
        def charts():
            """The pages of the charts, of the ratio of energies and of histograms, with what was measured; made once."""
            with folder() as out:
                pages = [cls.page_of_charts(f"{out}/charts"), cls.page_of_energies(f"{out}/energies")]
                page, rows = cls.page_of_histograms(f"{out}/histograms")
                (charts, energies, histograms), console = doms((*pages, page), out)
            return {"charts": charts, "energies": energies, "histograms": histograms, "rows": rows, "console": console}
        cls.drawn = staticmethod(charts)

    def test_a_report_is_one_file_that_loads_nothing(self):
        with folder() as out:
            file = pathlib.Path(out) / "out.html"
            result = spica("gemm", "--design", "virgo-dma", "--size", "64x64x64", "--report", file)
            self.assertEqual(result.code, 0, result.text)
            self.assertIn("limiter", result.out)  # the summary stays
            page = Page(file.read_text())
        self.assertEqual(page.loads, [])
        own = [script for script in page.scripts if "Chart.js v3" not in script]
        for script in own:
            self.assertNotRegex(script, r"fetch\(|XMLHttpRequest|import\(|https?:")
        run, = json.loads(page.data)["runs"]
        self.assertEqual(run["name"], "virgo-dma 64x64x64")
        self.assertIn("matrix unit computes", run["document"]["limiter"])

    @staticmethod
    def page_of_charts(out):
        for design in ("virgo-dma", "tc-dma"):
            spica("gemm", "--design", design, "--size", "64x64x64", "--out", f"{out}/{design}")
        # As the energy model writes it: the smallest document that has all charts.
        energy = {"low": 1.0, "nominal": 2.0, "high": 4.0}
        unit = {"name": "l2", "active_uj": energy, "children": [{"name": "data", "active_uj": energy}]}
        step = {"seconds": 1e-6, "units_uj": {"l2": 1e-3}}
        (pathlib.Path(out) / "virgo-dma" / "energy.json").write_text(json.dumps({
            "window": {"active_uj": energy, "active_mw": energy},
            "blocks": {"name": "machine", "children": [{"name": "soc", "children": [unit]}]},
            "over_time": [{"begin": 0, "end": 400, **step}, {"begin": 400, "end": 800, **step}],
            "lines": [{"file": "a/</script>.cpp", "line": 7, "function": "f", "cycles": 5, "active_uj": energy}]}))
        result = spica("report", f"{out}/virgo-dma", f"{out}/tc-dma", "-o", f"{out}/two.html")
        assert result.code == 0, result.text
        assert "The matrix unit computes" in result.out, result.text  # the table on the terminal
        return f"{out}/two.html"

    @staticmethod
    def page_of_energies(out):
        for design in ("tc-dma", "virgo-dma"):
            spica("gemm", "--design", design, "--size", "64x64x64", "--energy", "--out", f"{out}/{design}")
        result = spica("report", f"{out}/tc-dma", f"{out}/virgo-dma", "-o", f"{out}/two.html")
        assert result.code == 0, result.text
        return f"{out}/two.html"

    @staticmethod
    def page_of_histograms(out):
        pathlib.Path(out).mkdir()
        (pathlib.Path(out) / "small.yaml").write_text(
            "extends: sweeps/tensor-latency\naxes:\n"
            "  instruction: {argument: [0, 1], labels: [load, mma]}\n"
            "  shared_memory: {argument: [0], labels: ['true']}\n"
            "  size: {argument: [128]}\nfixed: {grid: '16'}\n")
        result = spica("experiment", f"{out}/small.yaml", "--out", f"{out}/rows", "--report", f"{out}/all.html")
        assert result.code == 0, result.text
        return f"{out}/all.html", json.loads((pathlib.Path(out) / "rows/results.json").read_text())

    @unittest.skipUnless(CHROMIUM, "needs chromium")
    def test_a_browser_draws_every_chart_of_two_runs_without_an_error(self):
        seen = self.drawn()["charts"]
        self.assertNotIn("CONSOLE", self.drawn()["console"])
        dom = re.search(r"<html[^>]*>", seen).group()
        self.assertNotIn("data-error", dom)
        canvases = re.findall(r"<canvas[^>]*>", seen)
        self.assertIn(f'data-charts="{len(canvases)}"', dom)
        self.assertGreater(len(canvases), 25)
        for canvas in canvases:
            label = re.search(r'aria-label="([^"]*)"', canvas).group(1)
            self.assertGreater(int(re.search(r'data-values="(\d+)"', canvas).group(1)), 0, label)
            self.assertGreater(int(re.search(r'data-painted="(\d+)"', canvas).group(1)), 500, label)
        for title in ("What each core did", "Units over the whole run", "Heat map of the banks", "Roofline",
                      "Cache accesses", "Power over time", "Hot lines"):
            self.assertIn(title, seen)
        for sums in ("chains of 8 fused multiply-adds", "a tree of 2 products"):
            self.assertRegex(seen, rf"<td[^>]*>{sums}")

    @unittest.skipUnless(CHROMIUM, "needs chromium")
    def test_of_ten_runs_a_report_shows_what_differs_over_the_keys_that_differ(self):  # long
        runs = [(design, speed) for design in ("tc-dma", "virgo-dma") for speed in (1, 2, 4, 8, 16)]
        name = "a-product-with-a-long-name-on-{}-with-{}-gb-per-s"
        with folder() as out:
            cycles = {}
            for design, speed in reversed(runs):
                made = f"{out}/{name.format(design, speed)}"
                result = spica("gemm", "--design", design, "--size", "64x64x64", "--set", "main_memory.back_end=fixed",
                               "--set", f"main_memory.fixed.gb_per_s={speed}", "--energy", "--out", made)
                self.assertEqual(result.code, 0, result.text)
                cycles[design, speed] = stats(made)["cycles"]
            page = f"{out}/ten.html"
            result = spica("report", *(f"{out}/{name.format(*run)}" for run in sorted(runs)), "-o", page)
            self.assertEqual(result.code, 0, result.text)
            asked = {
                "error": "document.documentElement.dataset.error ?? ''",
                "sections": "[...document.querySelectorAll('h2')].map((one) => one.textContent)",
                "head": "[...document.querySelectorAll('#differs ~ .scroll th')].map((one) => one.textContent.replaceAll('\u200b', ''))",
                "rows": "[...document.querySelector('#differs ~ .scroll').querySelectorAll('tbody tr')].map((row) => "
                        "[...row.cells].map((cell) => cell.textContent.replaceAll('\u200b', '')))",
                "same": "[...document.querySelectorAll('details:not([open])')].find((one) => one.textContent.startsWith('the same')).textContent",
                "lines": "charts.find((one) => one.canvas.ariaLabel === 'Cycles over main_memory.fixed.gb_per_s').chart.data.datasets.map("
                         "(set) => [set.label, set.data.map((one) => [one.x, one.y])])",
                "width": "document.documentElement.scrollWidth",
                "outside": kOutside,
                "bars": "charts.find((one) => one.canvas.ariaLabel === 'Cycles').chart.scales.y.ticks.map((tick) => [tick.label].flat().join(''))",
                "gaps": "charts.filter((one) => one.chart.options.indexAxis === 'y').map(({chart}) => chart.scales.y).flatMap((axis) => "
                        "axis.ticks.slice(1).map((tick, i) => axis.getPixelForTick(i + 1) - axis.getPixelForTick(i) - 6.5 * ([tick.label].flat().length + [axis.ticks[i].label].flat().length)))",
                "colours": "[...new Set(charts.find((one) => one.canvas.ariaLabel === 'Cycles').chart.data.datasets[0].backgroundColor)].length",
                "shown": "[...document.querySelectorAll('.box')].filter((one) => one.querySelector('input').checked).map((one) => one.textContent)",
                "detail": "charts.filter((one) => one.canvas.ariaLabel.startsWith('Roofline')).length",
                "more": "document.querySelectorAll('.box input')[1].click(); charts.filter((one) => one.canvas.ariaLabel.startsWith('Roofline')).length",
                "controls": "[...document.querySelectorAll('select, .box, #theme, summary')].filter((one) => one.getClientRects().length)"
                            ".map((one) => one.getBoundingClientRect().height)",
            }
            seen = {width: look(page, out, width, asked) for width in (360, 1280)}
        for width, said in seen.items():
            with self.subTest(width):
                self.assertEqual(said["error"], "")
                self.assertEqual(said["sections"][:4], ["What differs", "Over a parameter", "Run by run", "Runs in detail"])
                self.assertEqual(said["head"][:4], ["run", "design", "main_memory.fixed.gb_per_s, GB/s", "cycles of the timed region"])
                self.assertEqual([row[:4] for row in said["rows"]],  # in the order of the axes, not of the command line
                                 [[name.format(*run), run[0], str(run[1]), f"{cycles[run]:,}"] for run in runs])
                self.assertNotIn("size", said["head"])
                self.assertIn("64x64x64", said["same"])
                self.assertEqual(said["lines"], [[design, [[speed, cycles[design, speed]] for speed in (1, 2, 4, 8, 16)]]
                                                 for design in ("tc-dma", "virgo-dma")])
                self.assertLessEqual(said["width"], width)
                self.assertEqual(said["outside"], [])
                self.assertEqual(said["bars"], [name.format(*run) for run in runs])  # none left out, none cut
                self.assertGreater(min(said["gaps"]), 0)  # lines of names do not touch
                self.assertEqual(said["colours"], 10)
                worst, best = (pick(runs, key=lambda run: cycles[run]) for pick in (max, min))
                self.assertEqual(said["shown"], [name.format(*run) for run in runs if run in (worst, best)])
                self.assertEqual((said["detail"], said["more"]), (2, 3))
                if width == 360:
                    self.assertGreaterEqual(min(said["controls"]), 44)

    @unittest.skipUnless(CHROMIUM, "needs chromium")
    def test_arguments_of_a_program_in_which_runs_differ_are_axes(self):
        with folder() as out:
            cycles = {}
            for count in (4096, 1024, 2048):
                result = spica("run", "virgo", "elementwise", "-q", "--args", f"u32:{count},u32:0,u32:1,u32:100,u64:0xA0000000,u64:0xA1000000,u64:0xC0000000", "--out", f"{out}/n{count}")
                self.assertEqual(result.code, 0, result.text)
                cycles[count] = stats(f"{out}/n{count}")["cycles"]
            spica("report", *(f"{out}/n{count}" for count in cycles), "-o", f"{out}/three.html")
            said = look(f"{out}/three.html", out, 800, {
                "lines": "charts.find((one) => one.canvas.ariaLabel === 'Cycles over argument 1').chart.data.datasets.map((set) => set.data.map((one) => [one.x, one.y]))",
                "rows": "[...document.querySelector('#differs ~ .scroll').querySelectorAll('tr')].map((row) => [...row.cells].map((cell) => cell.textContent))"})
        self.assertEqual(said["lines"], [[[count, cycles[count]] for count in (1024, 2048, 4096)]])
        self.assertEqual(said["rows"][1], ["argument 1", "4096", "1024", "2048"])

    @unittest.skipUnless(CHROMIUM, "needs chromium")
    def test_one_and_two_runs_fit_a_phone_and_keys_that_always_change_together_are_one(self):
        with folder() as out:
            for cores, design in (2, "tc-dma"), (4, "virgo-dma"):
                result = spica("gemm", "--design", design, "--size", "64x64x64", "--set", f"cluster.cores={cores}", "--energy", "--out", f"{out}/{design}/run")
                self.assertEqual(result.code, 0, result.text)
            pages = []
            for folders in ["tc-dma"], ["tc-dma", "virgo-dma"]:
                pages.append(f"{out}/{len(folders)}.html")
                spica("report", *(f"{out}/{one}/run" for one in folders), "-o", pages[-1])
            answers = look_at(pages, out, 360, {
                "error": "document.documentElement.dataset.error ?? ''", "width": "document.documentElement.scrollWidth", "outside": kOutside,
                "first": "document.querySelector('h2').textContent",
                "rows": "[...document.querySelector('.scroll').querySelectorAll('tr')].map((row) => [...row.cells].map((cell) => cell.textContent))",
                "more": "[...document.querySelectorAll('details')].map((one) => one.textContent)"})
            for count, said in enumerate(answers, 1):
                self.assertEqual((said["error"], said["outside"]), ("", []))
                self.assertLessEqual(said["width"], 360)
                if count == 2:
                    self.assertEqual(said["first"], "What differs")
                    self.assertEqual([[cell.replace("\u200b", "") for cell in row] for row in said["rows"][:2]], [["", "tc-dma/run", "virgo-dma/run"], ["design", "tc-dma", "virgo-dma"]])
                    self.assertRegex(said["more"][0].replace("\u200b", ""), r"1 more key differs.*cluster.cores2  \(--set #1\)4")

    @unittest.skipUnless(CHROMIUM, "needs chromium")
    def test_a_browser_draws_what_the_ratio_of_two_energies_depends_on(self):
        seen = self.drawn()["energies"]
        self.assertNotIn("CONSOLE", self.drawn()["console"])
        for kind in ("active", "total"):
            canvas = re.search(rf'<canvas[^>]*aria-label="Tornado of {kind} energy: virgo-dma"[^>]*>', seen).group()
            self.assertIn('data-values="30"', canvas)  # 15 entries, two ends
            self.assertGreater(int(re.search(r'data-painted="(\d+)"', canvas).group(1)), 5000)
        for row in ("total energy: active, idle, DRAM", "total power", "total energy per multiply-add", "energy-delay product"):
            self.assertRegex(seen, rf"{row}</td><td[^>]*>[\d.,]+ [a-zA-Z ]+\(")

    @unittest.skipUnless(CHROMIUM, "needs chromium")
    def test_a_browser_draws_the_histogram_of_what_a_program_measured(self):
        seen, rows = self.drawn()["histograms"], self.drawn()["rows"]
        self.assertNotIn("CONSOLE", self.drawn()["console"])
        steps = {start for row in rows for start, _ in row["histogram"]}
        self.assertGreater(len(steps), 10)
        for row, name in zip(rows, ("load-true-128", "mma-true-128")):
            canvas = re.search(rf'<canvas[^>]*aria-label="Histogram: [^"]*{name}[^"]*"[^>]*>', seen).group()
            self.assertIn(f'data-values="{len(steps)}"', canvas)  # the steps of both
            self.assertGreater(int(re.search(r'data-painted="(\d+)"', canvas).group(1)), 2000)
            numbers = "".join(rf"<td[^>]*>{row[key]:,}</td>" for key in ("samples", "min", "median", "p90", "max"))
            self.assertRegex(seen, numbers)

    @unittest.skipUnless(CHROMIUM, "needs chromium")
    def test_a_report_has_a_light_and_a_dark_theme(self):
        with folder() as out:
            spica("run", "virgo", elf("hello"), "-q", "--report", f"{out}/out.html")
            # One picture of both, side by side.
            (pathlib.Path(out) / "both.html").write_text('<body style="margin:0;display:flex">' + "".join(
                f'<iframe style="border:0;width:700px;height:3000px" src="out.html#theme={theme}"></iframe>' for theme in ("light", "dark")))
            picture = pathlib.Path(out) / "both.png"
            seen = browser(f"{out}/both.html", out, f"--screenshot={picture}")
            self.assertNotIn("CONSOLE", seen.stderr)
            self.assertGreater(picture.stat().st_size, 40000)
            row = first_row(picture.read_bytes())
        self.assertEqual(len(row), 1400)
        self.assertGreater(min(row[0]), 200)
        self.assertLess(max(row[700]), 60)

    def test_a_report_that_cannot_be_written_is_refused_before_the_run(self):
        result = spica("gemm", "--report", "/nowhere/out.html")
        self.assertEqual((result.code, result.out), (2, ""))
        self.assertIn("there is no folder /nowhere", result.err)
        result = spica("report", "/nowhere")
        self.assertEqual(result.code, 2)
        self.assertIn("/nowhere has no stats.json", result.err)


if __name__ == "__main__":
    unittest.main()

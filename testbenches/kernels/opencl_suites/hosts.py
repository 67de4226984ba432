# SPDX-License-Identifier: Apache-2.0
"""Runs kernels.cl on the first OpenCL device and compares with numpy: `python3 hosts.py [NAMES]`.

SUITES_SOURCE: another file of kernels. Prints what is right, and what is wrong."""
import os
import pathlib
import sys

import numpy as np
import pyopencl as cl

source = os.environ.get("SUITES_SOURCE", pathlib.Path(__file__).parent / "kernels.cl")
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
program = cl.Program(context, pathlib.Path(source).read_text()).build()
TILE, BLOCK, POINTS = 8, 40, 128  # as in kernels.cl
i32, f32 = np.int32, np.float32


def device(array):
    return cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=np.ascontiguousarray(array))


def host(buffer, like):
    result = np.empty_like(like)
    cl.enqueue_copy(queue, result, buffer)
    return result


def near(have, want, tolerance=1e-4):
    np.testing.assert_allclose(have, want, rtol=tolerance, atol=tolerance)


def hotspot(random):
    n, steps, rx, ry, rz, cap = 14, 2, 0.1, 0.2, 0.05, 0.5
    power, now = random.random((n, n), f32), random.random((n, n), f32) * 20 + 70
    out, small = device(np.zeros_like(now)), TILE - 2 * steps
    groups = -(-n // small)
    program.hotspot(queue, (groups * TILE,) * 2, (TILE, TILE), i32(steps), device(power), device(now), out, i32(n), f32(rx), f32(ry),
                    f32(rz), f32(cap))
    want = now.astype(float)
    for _ in range(steps):
        e = np.pad(want, 1, "edge")
        want = want + cap * (power + (e[2:, 1:-1] + e[:-2, 1:-1] - 2 * want) * ry + (e[1:-1, 2:] + e[1:-1, :-2] - 2 * want) * rx +
                             (80 - want) * rz)
    near(host(out, now), want)


def nw(random):
    blocks, penalty = 2, 3
    n = blocks * BLOCK + 1
    reference = random.integers(-4, 5, (n, n)).astype(i32)
    score = np.zeros((n, n), i32)
    score[0] = score[:, 0] = -penalty * np.arange(n)
    at, other = device(score), device(reference)
    for d in range(2 * blocks - 1):
        first = max(0, d - blocks + 1)
        count = min(d, blocks - 1) - first + 1
        program.nw(queue, (count * BLOCK,), (BLOCK,), at, other, i32(n), i32(penalty), i32(first), i32(d - first))
    for y in range(1, n):
        for x in range(1, n):
            score[y, x] = max(score[y - 1, x - 1] + reference[y, x], score[y, x - 1] - penalty, score[y - 1, x] - penalty)
    assert (host(at, score) == score).all()


def lud(random):
    n = 3 * TILE
    matrix = random.random((n, n), f32) + np.eye(n, dtype=f32) * n
    at = device(matrix)
    for start in range(0, n, TILE):
        program.lud_diagonal(queue, (TILE,), (TILE,), at, i32(n), i32(start))
        rest = (n - start) // TILE - 1
        if rest:
            program.lud_perimeter(queue, (rest * 2 * TILE,), (2 * TILE,), at, i32(n), i32(start))
            program.lud_internal(queue, (rest * TILE,) * 2, (TILE, TILE), at, i32(n), i32(start))
    have = host(at, matrix)
    near((np.tril(have, -1) + np.eye(n)) @ np.triu(have), matrix, 1e-3)


def bfs(random):
    nodes = 90
    lists = [random.integers(0, nodes, random.integers(0, 5)) for _ in range(nodes)]
    first = np.cumsum([0] + [len(one) for one in lists]).astype(i32)
    edges = np.concatenate(lists).astype(i32)
    mask = np.zeros(-(-nodes // 4) * 4, np.int8)
    start = mask.copy()
    start[0] = 1
    cost = np.full(nodes, -1, i32)
    cost[0] = 0
    frontier, updating, visited, at = device(start), device(mask), device(start), device(cost)
    while True:
        over = device(np.zeros(1, i32))
        program.bfs_expand(queue, (96,), (32,), device(first), device(edges), frontier, updating, visited, at, i32(nodes))
        program.bfs_update(queue, (96,), (32,), frontier, updating, visited, over, i32(nodes))
        if not host(over, np.zeros(1, i32))[0]:
            break
    now = [0]
    while now:
        after = []
        for node in now:
            for other in lists[node]:
                if cost[other] < 0:
                    cost[other] = cost[node] + 1
                    after.append(other)
        now = after
    assert (host(at, cost) == cost).all()


def kmeans(random):
    n, k, features = 100, 5, 4
    points, centres = random.random((features, n), f32), random.random((k, features), f32)
    member, sizes = device(np.zeros(n, i32)), device(np.zeros(k, i32))
    program.kmeans(queue, (128,), (64,), device(points), device(centres), member, sizes, i32(n), i32(k), i32(features), cl.LocalMemory(4 * k))
    want = ((points.T[:, None] - centres[None]) ** 2).sum(2).argmin(1)
    assert (host(member, np.zeros(n, i32)) == want).all()
    assert (host(sizes, np.zeros(k, i32)) == np.bincount(want, minlength=k)).all()


def pathfinder(random):
    columns, rows, size, each = 100, 9, 64, 4
    wall = random.integers(0, 10, (rows, columns)).astype(i32)
    now, after = device(wall[0]), device(wall[0])
    for row in range(1, rows, each):
        count = min(each, rows - row)
        groups = -(-columns // (size - 2 * count))
        program.pathfinder(queue, (groups * size,), (size,), i32(count), device(wall), now, after, i32(columns), i32(row),
                           cl.LocalMemory(4 * size), cl.LocalMemory(4 * size))
        now, after = after, now
    want = wall[0]
    for row in wall[1:]:
        e = np.pad(want, 1, "edge")
        want = np.minimum(want, np.minimum(e[2:], e[:-2])) + row
    assert (host(now, want) == want).all()


def srad(random):
    n, rate = 16, 0.5
    image = np.exp(random.random((n, n), f32))
    at, groups = device(image), n * n // 64
    sums, d, c = device(np.zeros(2 * groups, f32)), device(np.zeros((n, n, 4), f32)), device(image)
    program.srad_sums(queue, (n * n,), (64,), at, sums, i32(n * n))
    have = host(sums, np.zeros((groups, 2), f32)).sum(0)
    near(have, [image.sum(), (image ** 2).sum()])
    mean = have[0] / n / n
    q0 = (have[1] / n / n - mean * mean) / mean ** 2
    program.srad_coefficients(queue, (n, n), (8, 8), at, d, c, i32(n), f32(q0))
    program.srad_update(queue, (n, n), (8, 8), at, d, c, i32(n), f32(rate))
    v = image.astype(float)
    e = np.pad(v, 1, "edge")
    g = np.stack([e[:-2, 1:-1] - v, e[2:, 1:-1] - v, e[1:-1, :-2] - v, e[1:-1, 2:] - v])
    g2, l = (g ** 2).sum(0) / v ** 2, g.sum(0) / v
    q = (0.5 * g2 - l * l / 16) / (1 + 0.25 * l) ** 2
    k = np.clip(1 / (1 + (q - q0) / (q0 * (1 + q0))), 0, 1)
    ke = np.pad(k, 1, "edge")
    near(host(at, image), v + 0.25 * rate * (k * g[0] + ke[2:, 1:-1] * g[1] + k * g[2] + ke[1:-1, 2:] * g[3]))


def polybench(random):
    n = 16
    a, b, c, d = (random.random((n, n), f32) for _ in range(4))
    product, out = device(np.zeros_like(a)), device(d)
    program.mm(queue, (n, n), (TILE, TILE), device(a), device(b), product, i32(n), f32(1.5), f32(0))
    program.mm(queue, (n, n), (TILE, TILE), product, device(c), out, i32(n), f32(1), f32(1.2))
    near(host(out, d), 1.5 * a @ b @ c + 1.2 * d)
    vectors = [random.random(n, f32) for _ in range(4)]
    at = device(a)
    program.gemver(queue, (2 * n, n), None, at, *map(device, vectors), i32(n))
    u1, v1, u2, v2 = vectors
    near(host(at, a), a + np.outer(u1, v1) + np.outer(u2, v2))


def scanned(buffer, n):
    """Exclusive sums of n numbers in a buffer."""
    size = 64
    groups = -(-n // (2 * size))
    out, sums = device(np.zeros(n, np.uint32)), device(np.zeros(groups, np.uint32))
    program.scan(queue, (groups * size,), (size,), buffer, out, sums, cl.LocalMemory(8 * size), i32(n))
    if groups > 1:
        program.scan_add(queue, (groups * 2 * size,), (2 * size,), out, scanned(sums, groups), i32(n))
    return out


def scan(random):
    x = random.integers(0, 1000, 300).astype(np.uint32)
    assert (host(scanned(device(x), len(x)), x) == np.cumsum(x) - x).all()


def sort(random):
    keys = random.integers(0, 1 << 16, 192).astype(np.uint32)
    at, to, groups = device(keys), device(keys), len(keys) // 64
    for shift in range(0, 16, 4):
        counts = device(np.zeros(16 * groups, np.uint32))
        program.radix_count(queue, keys.shape, (64,), at, counts, i32(shift))
        program.radix_scatter(queue, keys.shape, (64,), at, to, scanned(counts, 16 * groups), i32(shift))
        at, to = to, at
    assert (host(at, keys) == np.sort(keys)).all()


def spmv(random):
    n = 20
    matrix = random.random((n, n), f32) * (random.random((n, n)) < 0.4)
    rows, columns = np.nonzero(matrix)
    first = np.searchsorted(rows, np.arange(n + 1)).astype(i32)
    x = random.random(n, f32)
    y = device(np.zeros(n, f32))
    program.spmv(queue, (n * 64,), (64,), device(matrix[rows, columns]), device(columns.astype(i32)), device(first), device(x), y)
    near(host(y, x), matrix @ x)


def md(random):
    n, count, cut = 64, 12, 4.0
    place = random.random((n, 4), f32) * 5
    neighbours = np.stack([(np.arange(n) + 1 + j * 5) % n for j in range(count)]).astype(i32)
    force = device(np.zeros_like(place))
    program.md(queue, (n,), None, device(place), device(neighbours), force, i32(count), i32(n), f32(cut))
    d = place[None, :, :3].astype(float) - place[neighbours][:, :, :3]
    r2 = (d ** 2).sum(2)
    r6 = r2 ** -3
    want = (d * np.where(r2 < cut, r6 / r2 * (1.5 * r6 - 2), 0)[:, :, None]).sum(0)
    have = host(force, place)[:, :3]
    np.testing.assert_allclose(have, want, rtol=1e-3, atol=1e-3 * np.abs(want).max())


def fft(random):
    data = (random.random((3, POINTS)) + 1j * random.random((3, POINTS))).astype(np.complex64)
    at = device(data)
    program.fft(queue, (3 * POINTS // 2,), (POINTS // 2,), at)
    near(host(at, data), np.fft.fft(data), 1e-3)


def backprop(random):
    inputs, hidden = 48, 16
    x, weights = random.random(inputs, f32), random.random((inputs, hidden), f32)
    out = device(np.zeros((inputs // 16, hidden), f32))
    program.layer(queue, (16, inputs), (16, 16), device(x), device(weights), out, i32(hidden))
    near(host(out, np.zeros((inputs // 16, hidden), f32)).sum(0), x @ weights)


ALL = [hotspot, nw, lud, bfs, kmeans, pathfinder, srad, polybench, scan, sort, spmv, md, fft, backprop]
for one in ALL:
    if len(sys.argv) < 2 or one.__name__ in sys.argv[1:]:
        try:
            one(np.random.default_rng(5))
            print(one.__name__, "is right", flush=True)
        except AssertionError as error:
            print(one.__name__, "is wrong:", error, flush=True)

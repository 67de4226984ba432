// SPDX-License-Identifier: Apache-2.0
// Kernels in the manner of the suites Rodinia, PolyBench and SHOC. hosts.py runs them; the test removes a barrier that is
// marked with the name of its kernel.
#define TILE 8
#define BLOCK 40  // of nw
#define POINTS 128  // of fft
#define LOCAL barrier(CLK_LOCAL_MEM_FENCE)

// Heat of a chip: several steps of a stencil in local memory, with a border that gets invalid by one cell a step.
__kernel void hotspot(int steps, __global const float* power, __global const float* now, __global float* next, int n, float rx,
                      float ry, float rz, float cap) {
  __local float heat[2][TILE][TILE];
  const int lx = get_local_id(0), ly = get_local_id(1), small = TILE - 2 * steps;
  const int x = (int)get_group_id(0) * small + lx - steps, y = (int)get_group_id(1) * small + ly - steps;
  const bool inside = x >= 0 && y >= 0 && x < n && y < n;
  const float watts = inside ? power[y * n + x] : 0;
  if (inside) heat[0][ly][lx] = now[y * n + x];
  LOCAL;  // hotspot
  const int west = x <= 0 ? lx : lx - 1, east = x >= n - 1 ? lx : lx + 1;
  const int north = y <= 0 ? ly : ly - 1, south = y >= n - 1 ? ly : ly + 1;
  bool is_computed = false;
  for (int i = 0; i < steps; ++i) {
    __local float (*from)[TILE] = heat[i & 1], (*to)[TILE] = heat[1 - (i & 1)];
    is_computed = inside && lx > i && ly > i && lx < TILE - 1 - i && ly < TILE - 1 - i;
    if (is_computed) {
      const float c = from[ly][lx];
      to[ly][lx] = c + cap * (watts + (from[south][lx] + from[north][lx] - 2 * c) * ry +
                              (from[ly][east] + from[ly][west] - 2 * c) * rx + (80.0f - c) * rz);
    }
    if (i == steps - 1) break;
    LOCAL;
  }
  if (is_computed) next[y * n + x] = heat[steps & 1][ly][lx];
}

// Needleman-Wunsch: the diagonals of a block, one after the other. The host starts the diagonals of blocks.
__kernel void nw(__global int* score, __global const int* reference, int columns, int penalty, int first_x, int last_y) {
  __local int part[BLOCK + 1][BLOCK + 1], similar[BLOCK][BLOCK];
  const int l = get_local_id(0), bx = first_x + get_group_id(0), by = last_y - get_group_id(0);
  const int base = by * BLOCK * columns + bx * BLOCK;
  if (l == 0) part[0][0] = score[base];
  part[l + 1][0] = score[base + (l + 1) * columns];
  part[0][l + 1] = score[base + l + 1];
  for (int row = 0; row < BLOCK; ++row) similar[row][l] = reference[base + (row + 1) * columns + l + 1];
  LOCAL;
  for (int d = 0; d < 2 * BLOCK - 1; ++d) {
    const int x = d < BLOCK ? l + 1 : l + d - BLOCK + 2, y = d - x + 2;
    if (l <= d && x <= BLOCK && y >= 1)
      part[y][x] = max(part[y - 1][x - 1] + similar[y - 1][x - 1], max(part[y][x - 1], part[y - 1][x]) - penalty);
    LOCAL;  // nw
  }
  for (int row = 0; row < BLOCK; ++row) score[base + (row + 1) * columns + l + 1] = part[row + 1][l + 1];
}

// LU decomposition of a matrix in tiles: the tile on the diagonal, its row and column, and the rest.
__kernel void lud_diagonal(__global float* m, int n, int at) {
  __local float tile[TILE][TILE];
  const int l = get_local_id(0);
  for (int row = 0; row < TILE; ++row) tile[row][l] = m[(at + row) * n + at + l];
  LOCAL;
  for (int k = 0; k < TILE - 1; ++k) {
    if (l > k) {
      for (int j = 0; j < k; ++j) tile[l][k] -= tile[l][j] * tile[j][k];
      tile[l][k] /= tile[k][k];
    }
    LOCAL;
    if (l > k)
      for (int j = 0; j < k + 1; ++j) tile[k + 1][l] -= tile[k + 1][j] * tile[j][l];
    LOCAL;
  }
  for (int row = 1; row < TILE; ++row) m[(at + row) * n + at + l] = tile[row][l];
}
__kernel void lud_perimeter(__global float* m, int n, int at) {
  __local float tile[TILE][TILE], row[TILE][TILE], column[TILE][TILE];
  const int l = get_local_id(0) % TILE, start = at + ((int)get_group_id(0) + 1) * TILE;
  const bool of_row = get_local_id(0) < TILE;
  for (int i = 0; i < TILE; ++i) {
    if (of_row) {
      tile[i][l] = m[(at + i) * n + at + l];
      row[i][l] = m[(at + i) * n + start + l];
    } else {
      column[i][l] = m[(start + i) * n + at + l];
    }
  }
  LOCAL;
  if (of_row) {
    for (int i = 1; i < TILE; ++i)
      for (int j = 0; j < i; ++j) row[i][l] -= tile[i][j] * row[j][l];
  } else {
    for (int i = 0; i < TILE; ++i) {
      for (int j = 0; j < i; ++j) column[l][i] -= column[l][j] * tile[j][i];
      column[l][i] /= tile[i][i];
    }
  }
  LOCAL;
  for (int i = 0; i < TILE; ++i)
    if (of_row) m[(at + i) * n + start + l] = row[i][l];
    else m[(start + i) * n + at + l] = column[i][l];
}
__kernel void lud_internal(__global float* m, int n, int at) {
  __local float row[TILE][TILE], column[TILE][TILE];
  const int x = get_local_id(0), y = get_local_id(1);
  const int gx = at + ((int)get_group_id(0) + 1) * TILE + x, gy = at + ((int)get_group_id(1) + 1) * TILE + y;
  row[y][x] = m[(at + y) * n + gx];
  column[y][x] = m[gy * n + at + x];
  LOCAL;  // lud_internal
  float sum = 0;
  for (int i = 0; i < TILE; ++i) sum += column[y][i] * row[i][x];
  m[gy * n + gx] -= sum;
}

// Breadth-first search. All writers of a word write the same.
__kernel void bfs_expand(__global const int* first, __global const int* edges, __global char* frontier, __global char* updating,
                         __global const char* visited, __global int* cost, int nodes) {
  const int node = get_global_id(0);
  if (node >= nodes || !frontier[node]) return;
  frontier[node] = 0;
  for (int i = first[node]; i < first[node + 1]; ++i) {
    const int next = edges[i];
    if (!visited[next]) {
      atomic_xchg((volatile __global int*)&cost[next], cost[node] + 1);
      atomic_or((volatile __global uint*)updating + next / 4, 1u << next % 4 * 8);
    }
  }
}
__kernel void bfs_update(__global char* frontier, __global char* updating, __global char* visited, __global int* over, int nodes) {
  const int node = get_global_id(0);
  if (node >= nodes || !updating[node]) return;
  frontier[node] = 1;
  visited[node] = 1;
  atomic_inc(over);
  updating[node] = 0;
}

__kernel void kmeans(__global const float* points, __global const float* centres, __global int* member, __global int* sizes, int n,
                     int k, int features, __local int* counts) {
  const int l = get_local_id(0), i = get_global_id(0);
  for (int c = l; c < k; c += get_local_size(0)) counts[c] = 0;
  LOCAL;  // kmeans
  if (i < n) {
    int best = 0;
    float least = FLT_MAX;
    for (int c = 0; c < k; ++c) {
      float sum = 0;
      for (int f = 0; f < features; ++f) {
        const float d = points[f * n + i] - centres[c * features + f];
        sum += d * d;
      }
      if (sum < least) least = sum, best = c;
    }
    member[i] = best;
    atomic_inc(&counts[best]);
  }
  LOCAL;
  for (int c = l; c < k; c += get_local_size(0)) atomic_add(&sizes[c], counts[c]);
}

// Least costs of ways down a grid: rows of a part, with borders that shrink.
__kernel void pathfinder(int rows, __global const int* wall, __global const int* from, __global int* to, int columns, int row,
                         __local int* now, __local int* next) {
  const int l = get_local_id(0), size = get_local_size(0), small = size - 2 * rows;
  const int x = (int)get_group_id(0) * small + l - rows;
  const bool inside = x >= 0 && x < columns;
  if (inside) now[l] = from[x];
  LOCAL;
  bool is_computed = false;
  for (int i = 0; i < rows; ++i) {
    is_computed = inside && l > i && l < size - 1 - i;
    if (is_computed) {
      const int left = x == 0 ? now[l] : now[l - 1], right = x == columns - 1 ? now[l] : now[l + 1];
      next[l] = min(now[l], min(left, right)) + wall[(row + i) * columns + x];
    }
    LOCAL;  // pathfinder
    if (i == rows - 1) break;
    if (is_computed) now[l] = next[l];
    LOCAL;
  }
  if (is_computed) to[x] = next[l];
}

// Speckle-reducing diffusion: sums, coefficients, update.
__kernel void srad_sums(__global const float* image, __global float2* sums, int n) {
  __local float2 part[64];
  const int l = get_local_id(0), i = get_global_id(0);
  const float v = i < n ? image[i] : 0;
  part[l] = (float2)(v, v * v);
  for (int step = 32; step > 0; step >>= 1) {
    LOCAL;  // srad_sums
    if (l < step) part[l] += part[l + step];
  }
  if (l == 0) sums[get_group_id(0)] = part[0];
}
__kernel void srad_coefficients(__global const float* image, __global float4* d, __global float* c, int n, float q0) {
  const int x = get_global_id(0), y = get_global_id(1), at = y * n + x;
  const float v = image[at];
  const float4 g = (float4)(image[max(y - 1, 0) * n + x], image[min(y + 1, n - 1) * n + x], image[y * n + max(x - 1, 0)],
                            image[y * n + min(x + 1, n - 1)]) - v;
  const float g2 = dot(g, g) / (v * v), l = (g.x + g.y + g.z + g.w) / v;
  const float num = 0.5f * g2 - l * l / 16, den = 1 + 0.25f * l, q = num / (den * den);
  d[at] = g;
  c[at] = clamp(1 / (1 + (q - q0) / (q0 * (1 + q0))), 0.0f, 1.0f);
}
__kernel void srad_update(__global float* image, __global const float4* d, __global const float* c, int n, float lambda) {
  const int x = get_global_id(0), y = get_global_id(1), at = y * n + x;
  const float here = c[at], south = c[min(y + 1, n - 1) * n + x], east = c[y * n + min(x + 1, n - 1)];
  image[at] += 0.25f * lambda * dot((float4)(here, south, here, east), d[at]);
}

// PolyBench: a product in tiles, and gemver's update.
__kernel void mm(__global const float* a, __global const float* b, __global float* c, int n, float alpha, float beta) {
  __local float at[TILE][TILE], bt[TILE][TILE + 1];
  const int x = get_local_id(0), y = get_local_id(1), gx = get_global_id(0), gy = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < n; k += TILE) {
    at[y][x] = a[gy * n + k + x];
    bt[y][x] = b[(k + y) * n + gx];
    LOCAL;
    for (int i = 0; i < TILE; ++i) sum = mad(at[y][i], bt[i][x], sum);
    LOCAL;  // mm
  }
  c[gy * n + gx] = alpha * sum + beta * c[gy * n + gx];
}
__kernel void gemver(__global float* a, __constant float* u1, __constant float* v1, __constant float* u2, __constant float* v2, int n) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < n && y < n) a[y * n + x] += u1[y] * v1[x] + u2[y] * v2[x];
}

// SHOC: prefix sums of blocks by Blelloch; sums of blocks are added afterwards.
__kernel void scan(__global const uint* in, __global uint* out, __global uint* sums, __local uint* part, int n) {
  const int l = get_local_id(0), size = 2 * get_local_size(0), base = get_group_id(0) * size;
  part[2 * l] = base + 2 * l < n ? in[base + 2 * l] : 0;
  part[2 * l + 1] = base + 2 * l + 1 < n ? in[base + 2 * l + 1] : 0;
  int offset = 1;
  for (int d = size >> 1; d > 0; d >>= 1, offset <<= 1) {
    LOCAL;
    if (l < d) part[offset * (2 * l + 2) - 1] += part[offset * (2 * l + 1) - 1];
  }
  LOCAL;
  if (l == 0) {
    if (sums) sums[get_group_id(0)] = part[size - 1];
    part[size - 1] = 0;
  }
  for (int d = 1; d < size; d <<= 1) {
    offset >>= 1;
    LOCAL;  // scan
    if (l < d) {
      const int i = offset * (2 * l + 1) - 1, j = offset * (2 * l + 2) - 1;
      const uint t = part[i];
      part[i] = part[j];
      part[j] += t;
    }
  }
  LOCAL;
  if (base + 2 * l < n) out[base + 2 * l] = part[2 * l];
  if (base + 2 * l + 1 < n) out[base + 2 * l + 1] = part[2 * l + 1];
}
__kernel void scan_add(__global uint* out, __global const uint* sums, int n) {
  const int i = get_global_id(0);
  if (i < n) out[i] += sums[get_group_id(0)];
}

// A step of a radix sort with 4 bits: counts by digit and group, and the stable scatter.
__kernel void radix_count(__global const uint* keys, __global uint* counts, int shift) {
  __local uint digits[16];
  const int l = get_local_id(0);
  if (l < 16) digits[l] = 0;
  LOCAL;
  atomic_inc(&digits[keys[get_global_id(0)] >> shift & 15]);
  LOCAL;  // radix_count
  if (l < 16) counts[l * get_num_groups(0) + get_group_id(0)] = digits[l];
}
__kernel void radix_scatter(__global const uint* keys, __global uint* to, __global const uint* places, int shift) {
  __local uint digits[64];
  const int l = get_local_id(0);
  const uint key = keys[get_global_id(0)], digit = key >> shift & 15;
  digits[l] = digit;
  LOCAL;
  uint before = 0;
  for (int i = 0; i < l; ++i) before += digits[i] == digit;
  to[places[digit * get_num_groups(0) + get_group_id(0)] + before] = key;
}

// A sparse product: a work group for a row.
__kernel void spmv(__global const float* values, __global const int* columns, __global const int* rows, __global const float* x,
                   __global float* y) {
  __local float part[64];
  const int l = get_local_id(0), row = get_group_id(0);
  float sum = 0;
  for (int i = rows[row] + l; i < rows[row + 1]; i += 64) sum += values[i] * x[columns[i]];
  part[l] = sum;
  LOCAL;  // spmv
  for (int step = 32; step > 0; step /= 2) {
    if (l < step) part[l] += part[l + step];
    LOCAL;
  }
  if (l == 0) y[row] = part[0];
}

// Lennard-Jones forces of neighbours.
__kernel void md(__global const float4* place, __global const int* neighbours, __global float4* force, int count, int n, float cut) {
  const int i = get_global_id(0);
  const float4 mine = place[i];
  float4 sum = 0;
  for (int j = 0; j < count; ++j) {
    const float4 d = mine - place[neighbours[j * n + i]];
    const float r2 = d.x * d.x + d.y * d.y + d.z * d.z;
    if (r2 < cut) {
      const float inverse = 1 / r2, r6 = inverse * inverse * inverse;
      sum.xyz += d.xyz * (inverse * r6 * (1.5f * r6 - 2.0f));
    }
  }
  force[i] = sum;
}

// A radix-2 transform of POINTS numbers in a work group, by Stockham.
__kernel void fft(__global float2* data) {
  __local float2 buffer[2][POINTS];
  const int l = get_local_id(0);
  data += get_group_id(0) * POINTS;
  buffer[0][l] = data[l];
  buffer[0][l + POINTS / 2] = data[l + POINTS / 2];
  int which = 0;
  for (int step = 1; step < POINTS; step *= 2, which ^= 1) {
    LOCAL;  // fft
    const int k = l & (step - 1);
    const float angle = -M_PI_F * k / step, c = cos(angle), s = sin(angle);
    const float2 a = buffer[which][l], b = buffer[which][l + POINTS / 2];
    const float2 t = (float2)(b.x * c - b.y * s, b.x * s + b.y * c);
    const int at = (l - k) * 2 + k;
    buffer[1 - which][at] = a + t;
    buffer[1 - which][at + step] = a - t;
  }
  LOCAL;
  data[l] = buffer[which][l];
  data[l + POINTS / 2] = buffer[which][l + POINTS / 2];
}

// A layer of a network, forward: products in a tile, summed along its columns.
__kernel void layer(__global const float* input, __global const float* weights, __global float* partial, int hidden) {
  __local float values[16], sums[16][16];
  const int x = get_local_id(0), y = get_local_id(1), from = get_group_id(1) * 16 + y;
  if (x == 0) values[y] = input[from];
  LOCAL;
  sums[y][x] = weights[from * hidden + x] * values[y];
  for (int step = 2; step <= 16; step *= 2) {
    LOCAL;  // layer
    if (y % step == 0) sums[y][x] += sums[y + step / 2][x];
  }
  if (y == 0) partial[get_group_id(1) * hidden + x] = sums[0][x];
}

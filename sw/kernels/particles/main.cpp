// SPDX-License-Identifier: Apache-2.0
// Moves particles along x in small steps. The worked example of docs/howto/profile.md: one program, two ways to
// lay out the same data.
//
//   default             a particle's fields lie side by side: neighbouring lanes read words 32 bytes apart
//   PARTICLES_BY_FIELD  a field of all particles lies side by side: neighbouring lanes read neighbouring words
//
// Exit code 1 when a particle is not where it should be.
#include <platform.h>
#include <simt.h>
#include <spawn.h>

namespace {

constexpr unsigned kParticles = 1024, kSteps = 64;
enum Field { kX, kY, kZ, kMass, kSpeedX, kSpeedY, kSpeedZ, kCharge, kFields };

auto* const data = reinterpret_cast<float*>(PLATFORM_RESULT);

inline float& field(unsigned particle, Field which) {
#ifdef PARTICLES_BY_FIELD
  return data[which * kParticles + particle];
#else
  return data[particle * kFields + which];
#endif
}

[[gnu::noinline]] void place(unsigned particle) {
  field(particle, kX) = static_cast<float>(particle);
  field(particle, kSpeedX) = 0.25f;
}

[[gnu::noinline]] void move(unsigned particle) {
  const float speed = field(particle, kSpeedX);
  field(particle, kX) += speed;
}

void simulate(unsigned particle, void*) {
  place(particle);
  for (unsigned step = 0; step < kSteps; ++step) move(particle);
}

}  // namespace

int main() {  // every core gets here, in warp 0 with lane 0
  spawn_tasks(kParticles, simulate, nullptr);
  spawn_barrier();  // all cores are done
  if (simt_core() != 0) return 0;
  for (unsigned particle = 0; particle < kParticles; particle += 37)
    if (field(particle, kX) != static_cast<float>(particle) + 0.25f * kSteps) return 1;
  return 0;
}

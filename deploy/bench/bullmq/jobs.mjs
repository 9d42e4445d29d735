// The jobs that every system runs, in JavaScript. README.md says what each is for.

// What a job burns, in microseconds of CPU time of its process.
export const BURN_US = { burn: 1_000, hold: 200_000 };

export function work(kind) {
  if (kind === "noop") return 0;
  // CLOCK_MONOTONIC, in nanoseconds: too large for a number.
  if (kind === "start") return String(process.hrtime.bigint());
  const began = process.cpuUsage();
  let burnt = 0;
  while (burnt < BURN_US[kind]) {
    const { user, system } = process.cpuUsage(began);
    burnt = user + system;
  }
  return kind === "hold" ? process.pid : burnt * 1000;
}

// BullMQ for Node: speaks with the driver as ../systems/speaker.py describes.
import { fork } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { Queue, QueueEvents } from "bullmq";

// How many jobs are submitted at a time.
const AT_ONCE = 1000;

const config = JSON.parse(process.argv[2]);
const connection = { host: "127.0.0.1", port: Number(process.env.BENCH_REDIS_PORT) };

const streams = { events: { maxLen: config.events } };
const queue = new Queue("bench", { connection, streams });
const events = new QueueEvents("bench", { connection });
await events.waitUntilReady();

let results = [];
let wanted = 0;
let finished = () => {};
events.on("completed", ({ returnvalue }) => {
  results.push(returnvalue);
  if (results.length === wanted) finished();
});
events.on("failed", ({ failedReason }) => console.error("a job failed:", failedReason));
events.on("error", (error) => console.error(error));

const workers = [];
for (let i = 0; i < config.workers; i++) {
  const program = fileURLToPath(new URL("worker.mjs", import.meta.url));
  const worker = fork(program, [String(config.concurrency)], {
    stdio: ["ignore", 2, 2, "ipc"],
  });
  await once(worker, "message");
  workers.push(worker);
}

async function submit(kind, n) {
  for (let start = 0; start < n; start += AT_ONCE) {
    const length = Math.min(AT_ONCE, n - start);
    const opts = { removeOnComplete: true };
    await queue.addBulk(Array.from({ length }, () => ({ name: kind, data: {}, opts })));
  }
}

// Resolves when `n` jobs that are submitted from now on have results.
function expect(n) {
  results = [];
  wanted = n;
  return new Promise((resolve) => (finished = resolve));
}

let all = Promise.resolve();

const acts = {
  async many({ kind, n }) {
    const began = process.hrtime.bigint();
    const done = expect(n);
    await submit(kind, n);
    await done;
    const wall_s = Number(process.hrtime.bigint() - began) / 1e9;
    const burnt_s = kind === "burn" ? results.reduce((sum, ns) => sum + Number(ns), 0) / 1e9 : 0;
    return { wall_s, burnt_s };
  },
  async one() {
    const done = expect(1);
    const began = process.hrtime.bigint();
    await queue.add("start", {}, { removeOnComplete: true });
    await done;
    return { latency_s: Number(BigInt(results[0]) - began) / 1e9 };
  },
  async begin({ kind, n }) {
    all = expect(n);
    await submit(kind, n);
    return {};
  },
  async progress() {
    return { done: results.length };
  },
  async finish({ timeout }) {
    const late = new Promise((resolve) => setTimeout(resolve, timeout * 1000));
    await Promise.race([all, late]);
    return { all: results.length === wanted, done: results.length };
  },
  async put({ n }) {
    await submit("noop", n);
    return {};
  },
  async pids() {
    return { pids: workers.map((worker) => worker.pid) };
  },
};

console.log(JSON.stringify({ ready: true }));
for await (const line of createInterface({ input: process.stdin })) {
  const { do: act, ...asked } = JSON.parse(line);
  const answer = await acts[act](asked).catch((error) => ({ error: String(error) }));
  console.log(JSON.stringify(answer));
}
process.exit(0);

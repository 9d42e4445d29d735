// A worker process: worker.mjs CONCURRENCY
import { Worker } from "bullmq";

import { work } from "./jobs.mjs";

const connection = { host: "127.0.0.1", port: Number(process.env.BENCH_REDIS_PORT) };
const concurrency = Number(process.argv[2]);
const worker = new Worker("bench", async (job) => work(job.name), { connection, concurrency });
worker.on("error", (error) => console.error(error));
process.on("disconnect", () => process.exit());
await worker.waitUntilReady();
process.send("ready");

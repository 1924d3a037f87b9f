import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Cleanup } from '@postern/testing';
import { measureAttack } from './attack.js';
import { measureEmail } from './email.js';
import { measureEvents } from './events.js';
import { withFigures } from './figures-page.js';
import { measureGrowth } from './growth.js';
import { measureIdle } from './idle.js';
import { machineFacts } from './measure/machine.js';
import { signatureUs } from './measure/rsa-signature.js';
import { type BenchOptions, type Part, readOptions, UsageError } from './options.js';
import { measurePlatform } from './platform.js';
import { measureReplicas } from './replicas.js';
import type { PartReport } from './report.js';
import { measureTracing } from './tracing.js';
import { measureWebhooks } from './webhooks.js';

const MEASURES: Record<Part, (options: BenchOptions, cleanup: Cleanup) => Promise<PartReport>> = {
  email: measureEmail,
  webhooks: measureWebhooks,
  events: measureEvents,
  platform: measurePlatform,
  idle: measureIdle,
  tracing: measureTracing,
  attack: measureAttack,
  growth: measureGrowth,
  replicas: measureReplicas,
};

const cleanup = new Cleanup();
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (interrupted) return;
    interrupted = true;
    console.error('\n▸ stopping');
    void cleanup.run().finally(() => process.exit(130));
  });

/** The page of figures; its check refuses figures that are 100 commits old. */
const FIGURES = join(import.meta.dirname, '../../../docs/figures.md');

const publish = (part: Part, text: string, machine: ReturnType<typeof machineFacts>): void => {
  const { at, commit = 'unknown', processor, processors, memory_gib, load_average } = machine;
  const run = {
    at,
    commit,
    machine: `${processor}, ${processors} CPUs, ${memory_gib} GiB, at a load of ${load_average[0]} before the run`,
  };
  writeFileSync(FIGURES, withFigures(readFileSync(FIGURES, 'utf8'), part, text, run));
};

const main = async (options: BenchOptions): Promise<void> => {
  const machine = machineFacts();
  console.log(`${machine.processor}, ${machine.processors} CPUs, ${machine.memory_gib} GiB, Linux ${machine.kernel}`);
  console.log(`Node.js ${machine.node}, commit ${machine.commit ?? 'unknown'}, load ${machine.load_average.join(' ')}`);
  console.log(`CPU of an RSA-2048 signature: ${Math.round(signatureUs())} µs`);
  const parts: Record<string, unknown> = {};
  for (const part of options.parts) {
    try {
      const report = await MEASURES[part](options, cleanup);
      parts[part] = report.figures;
      console.log(`\n${part}\n\n${report.text}`);
      if (options.publish) publish(part, report.text, machine);
    } finally {
      await cleanup.run();
    }
  }
  if (options.json !== undefined)
    writeFileSync(options.json, `${JSON.stringify({ machine, options, parts }, null, 2)}\n`);
};

try {
  await main(readOptions(process.argv.slice(2)));
  process.exit(0);
} catch (error) {
  if (error instanceof UsageError) {
    console.error(error.message);
    process.exit(2);
  }
  if (!interrupted) {
    console.error(`\n${error instanceof Error ? (error.stack ?? error.message) : error}`);
    process.exit(1);
  }
}

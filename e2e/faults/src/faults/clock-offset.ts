import { rmSync, writeFileSync } from 'node:fs';
import { signal } from '../system/process-table.js';
import { clockFile, SERVICES } from '../system/starter-options.js';
import { type Fault, seconds } from './fault.js';

const OFFSETS_S = [-90_000, -600, -30, 30, 600, 90_000];

/** A service starts on a machine whose clock is wrong, until the clock is corrected; its keys of idempotency remain. */
export const clockOffset: Fault = {
  name: 'clock offset',
  canBeSecond: false,
  plan: random => {
    const target = random.pick(SERVICES);
    const offsetS = random.pick(OFFSETS_S);
    const holdMs = random.integer(8_000, 20_000);
    let repeat: (() => Promise<void>) | undefined;
    return {
      name: 'clock offset',
      detail: `${target} starts with ${offsetS} s for ${seconds(holdMs)}`,
      holdMs,
      begin: async ({ postern, receiver, clients }) => {
        receiver.clockToleranceMs = Math.max(receiver.clockToleranceMs, Math.abs(offsetS) * 1_000);
        repeat = await clients.sendKeyed();
        writeFileSync(clockFile(postern.folder, target), String(offsetS * 1_000));
        signal(await postern.pidOf(target), 'SIGKILL');
      },
      end: async ({ postern }) => rmSync(clockFile(postern.folder, target), { force: true }),
      // A second copy of this message is a violation of its own.
      verify: async () => repeat?.(),
    };
  },
};

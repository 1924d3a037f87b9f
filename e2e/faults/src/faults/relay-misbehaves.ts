import { NORMAL, type RelayBehaviour, type Stage } from '../relay/behaviour.js';
import type { SeededRandom } from '../run/random.js';
import { type Fault, seconds } from './fault.js';

const misbehaves = (name: string, behaviour: (random: SeededRandom) => RelayBehaviour): Fault => ({
  name,
  canBeSecond: true,
  plan: random => {
    const holdMs = random.integer(3_000, 12_000);
    const planned = behaviour(random);
    const degree =
      planned.kind === 'slow' ? `${planned.delayMs} ms a command` : `share ${'share' in planned ? planned.share : 1}`;
    return {
      name,
      detail: `${degree}, for ${seconds(holdMs)}`,
      holdMs,
      begin: async ({ relay }) => {
        relay.behaviour = planned;
      },
      end: async ({ relay }) => {
        relay.behaviour = NORMAL;
      },
    };
  },
});

const share = (random: SeededRandom): number => random.pick([0.3, 0.7, 1]);

/** The relay delays every reply by 0.5 to 6 seconds. */
export const relaySlow = misbehaves('relay slow', random => ({
  kind: 'slow',
  delayMs: random.pick([500, 2_000, 6_000]),
}));

/** The relay answers 4xx at one stage. */
export const relayRefuses = (stage: Stage): Fault =>
  misbehaves(`relay 4xx at ${stage}`, random => ({ kind: 'refuse', stage, share: share(random) }));

/** The relay closes the connection without a reply. */
export const relayCuts = (when: 'in data' | 'after dot, not taken' | 'after dot, taken'): Fault =>
  misbehaves(`relay cuts ${when}`, random => ({ kind: 'cut', when, share: share(random) }));

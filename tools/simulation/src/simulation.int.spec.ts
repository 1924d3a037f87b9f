import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FAULTS, type Fault, FaultPlan } from './faults.js';
import { Random } from './random.js';
import { RULES, violationsOf } from './rules.js';
import { SimulatedClock } from './simulated-clock.js';
import { type Run, simulate } from './simulation.js';

/** Replays one schedule: `POSTERN_SIMULATION_SEED=17 npx nx test:integration simulation`. */
const ONLY_SEED = process.env['POSTERN_SIMULATION_SEED'];
const SEEDS = ONLY_SEED ? [Number(ONLY_SEED)] : Array.from({ length: 12 }, (_, index) => index + 1);
const SCHEDULES = 10_000;

const clock = new SimulatedClock();

const { stackTraceLimit } = Error;

beforeAll(() => {
  clock.install();
  // Hundreds of thousands of errors are expected; a violation is identified by its schedule, not by a stack.
  Error.stackTraceLimit = 0;
});
afterAll(() => {
  clock.uninstall();
  Error.stackTraceLimit = stackTraceLimit;
});

describe('Whatever fails, every message is conserved:', () => {
  let schedules = 0;

  const expectNoViolation = async (seed: number, faults: readonly (readonly [number, Fault])[]): Promise<Run> => {
    const run = await simulate(seed, new FaultPlan(new Map(faults)), clock);
    schedules++;
    const violations = violationsOf(run);
    if (violations.length > 0) throw new Error(report(seed, run, violations));
    return run;
  };

  it.each(SEEDS)('without a fault and with one fault at every port call in turn (seed %d)', async seed => {
    const { faults } = await expectNoViolation(seed, []);
    for (let call = 0; call < faults.calls; call++)
      for (const fault of FAULTS) await expectNoViolation(seed, [[call, fault]]);
  });

  it('with a second and a third fault during the recovery from the first', async () => {
    const random = new Random(SEEDS[0]!);
    for (let seed = 1; !ONLY_SEED && schedules < SCHEDULES; seed++) {
      const first = random.below(60);
      const second = first + 1 + random.below(20);
      const third = second + 1 + random.below(20);
      await expectNoViolation(seed, [
        [first, random.pick(FAULTS)],
        [second, random.pick(FAULTS)],
        [third, random.pick(FAULTS)],
      ]);
    }
    if (!ONLY_SEED) expect(schedules).toBeGreaterThanOrEqual(SCHEDULES);
  }, 120_000);
});

describe('An injected violation is found:', () => {
  it.each(Object.keys(RULES).map(rule => [rule] as const))('%s', async rule => {
    expect(Object.keys(INJECTED)).toContain(rule);
    const run = await simulate(7, new FaultPlan(), clock);
    expect(violationsOf(run)).toEqual([]);
    INJECTED[rule]!(run);
    expect(violationsOf(run)).toContainEqual(expect.stringContaining(`${rule}: `));
  });
});

/** Manipulates the records of a correct run to break each rule. */
const INJECTED: Readonly<Record<string, (run: Run) => void>> = {
  'an answer of 200 sent means that the relay has the message': ({ relay }) => relay.copies.splice(0),
  'no copy is handed over twice': ({ relay }) => relay.copies.push(relay.copies[0]!),
  'a client that follows the retry guidance sends nothing twice': ({ relay }) =>
    relay.copies.push({ ...relay.copies[0]!, recipientIndex: 9 }),
  'every message reaches a final record': ({ sending }) => sending.database.records.clear(),
  'a message that the relay has never reads failed': ({ sending }) => {
    for (const [id, record] of sending.database.records)
      sending.database.records.set(id, { ...record, status: 'failed' });
  },
  'a client knows the id of every message of its that was sent': ({ intentions }) => {
    (intentions[0]!.answers as unknown[]).splice(0, 10, { status: 503 });
  },
  'every copy at the relay has exactly one event of its outcome': ({ tracking }) => tracking.log.events.splice(0),
  'no signal is left waiting': ({ tracking }) =>
    tracking.database.waiting.set('0', {
      emailId: 'an unknown email',
      signal: { kind: 'deadline_passed', at: new Date(0).toISOString() },
      metadata: { correlationId: 'injected' },
    }),
  'every event reaches every endpoint that subscribes to its kind': ({ receivers }) => receivers.accepted.splice(0),
};

const report = (seed: number, { faults }: Run, violations: readonly string[]): string =>
  [`seed ${seed}`, ...faults.met, ...violations].join('\n');

import type { OutcomeKind } from '@postern/contracts';
import type { Endpoint } from './delivery-database.js';
import { Dispatch } from './dispatch.js';
import type { FaultPlan } from './faults.js';
import { Receivers, Relay } from './mail-world.js';
import { Random } from './random.js';
import { type HttpAnswer, type Intention, SERVICE_ID, Sending } from './sending.js';
import type { SimulatedClock } from './simulated-clock.js';
import { Tracking } from './tracking.js';
import { World } from './world.js';

const ALL_KINDS: readonly OutcomeKind[] = ['delivered', 'bounced', 'complained', 'opened', 'clicked'];
const ENDPOINTS: readonly Endpoint[] = [
  { id: 'all', serviceId: SERVICE_ID, kinds: ALL_KINDS },
  { id: 'bounces', serviceId: SERVICE_ID, kinds: ['bounced'] },
];
const MAX_ROUNDS = 2_000;
const RETRY_DELAYS_MS = [1_000, 2_000, 4_000] as const;

/** The final state of a run, which the rules compare. */
export interface Run {
  readonly intentions: readonly { readonly intention: Intention; readonly answers: readonly HttpAnswer[] }[];
  readonly relay: Relay;
  readonly receivers: Receivers;
  readonly sending: Sending;
  readonly tracking: Tracking;
  readonly dispatch: Dispatch;
  readonly faults: FaultPlan;
}

/** Sends a few messages through all commands under the faults of the plan, until no work is left. */
export async function simulate(seed: number, faults: FaultPlan, clock: SimulatedClock): Promise<Run> {
  const random = new Random(seed);
  const world = new World(random, faults, clock);
  const relay = new Relay(random);
  const receivers = new Receivers(random);
  const sending = new Sending(world, relay);
  const tracking = new Tracking(world, sending.log);
  sending.follow(tracking.log);
  const dispatch = new Dispatch(world, receivers, tracking.log, ENDPOINTS);
  const run: Run = { intentions: [], relay, receivers, sending, tracking, dispatch, faults };

  for (const intention of intentionsOf(random)) {
    const answers = await sendWithRetries(world, sending, intention);
    (run.intentions as { intention: Intention; answers: readonly HttpAnswer[] }[]).push({ intention, answers });
    if (random.chance(0.5)) await oneRound(world, run);
  }
  for (let round = 0; isBusy(run); round++) {
    if (round === MAX_ROUNDS) throw new Error('the run did not settle');
    await oneRound(world, run);
  }
  return run;
}

function intentionsOf(random: Random): readonly Intention[] {
  return Array.from({ length: 1 + random.below(2) }, (_, number) => {
    const marker = `message-${number}`;
    return {
      marker,
      recipients: random.shuffled(['ada@x.test', 'bob@x.test', 'cyd@x.test']).slice(0, 1 + random.below(2)),
      idempotencyKey: random.chance(0.5) ? `key-${number}` : undefined,
    };
  });
}

/** Retries 5xx and 429 with backoff, with at most four attempts. */
async function sendWithRetries(world: World, sending: Sending, intention: Intention): Promise<HttpAnswer[]> {
  const answers: HttpAnswer[] = [];
  for (const delayMs of [...RETRY_DELAYS_MS, undefined]) {
    const answer = await sending.post(intention);
    answers.push(answer);
    const mayRetry = answer.status === 429 || answer.status >= 500;
    if (!mayRetry || delayMs === undefined) break;
    world.advance(delayMs * (0.8 + 0.4 * world.random.next()));
    if (world.random.chance(0.5)) await sending.closeInterrupted();
  }
  return answers;
}

const isBusy = ({ sending, tracking, dispatch, relay }: Run): boolean =>
  sending.isBusy || tracking.isBusy || dispatch.isBusy || relay.copies.some(({ reported }) => !reported);

async function oneRound(world: World, { sending, tracking, dispatch, relay }: Run): Promise<void> {
  const unreported = relay.copies.filter(({ reported }) => !reported);
  const steps = world.random.shuffled([
    () => sending.closeInterrupted(),
    () => sending.retryDeferred(),
    () => sending.takeEvidence(),
    () => tracking.followEmails(),
    () => dispatch.enqueueEvents(),
    () => dispatch.attemptDeliveries(),
    ...unreported.map(copy => () => tracking.takeReport(copy)),
  ]);
  for (const step of steps) await step();
  world.advance(1_000 * 2 ** world.random.below(12));
}

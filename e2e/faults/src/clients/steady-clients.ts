import { randomUUID } from 'node:crypto';
import { addressOf, markerOf, type PlannedOutcome } from '../message-plan.js';
import type { Attempt, ClientRequest } from '../observed-traffic.js';
import type { SeededRandom } from '../run/random.js';
import { type EmailApi, sendOnce, sendWithRetries } from './email-client.js';

export const SENDING_DOMAIN = 'faults.test';

/** The percentage of recipients per outcome. */
const SHARES: readonly (readonly [PlannedOutcome, number])[] = [
  ['delivered', 78],
  ['delayed', 5],
  ['hard', 4],
  ['soft', 4],
  ['complained', 4],
  ['refused', 2],
  ['unreported', 3],
];

interface RecordedRequest extends ClientRequest {
  readonly attempts: Attempt[];
}

/** Sends unique messages at a steady rate, half of them with an Idempotency-Key. */
export class SteadyClients {
  readonly requests: RecordedRequest[] = [];
  /** Factor for the rate. */
  burst = 1;
  private readonly underWay = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;
  private count = 0;
  private stopped = false;

  constructor(
    private readonly api: EmailApi,
    private readonly perSecond: number,
    private readonly run: string,
    private readonly random: SeededRandom,
  ) {}

  get pending(): number {
    return this.underWay.size;
  }

  start(): void {
    if (this.stopped) return;
    this.timer = setTimeout(
      () => {
        this.send();
        this.start();
      },
      1_000 / (this.perSecond * this.burst),
    );
  }

  /** Starts no more requests; resolves when the running ones have ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await Promise.all(this.underWay);
  }

  /** Sends one message with one attempt. @returns the recipient if the response was `sent`. */
  async probe(): Promise<string | undefined> {
    const request = this.newRequest(false, ['delivered']);
    const attempt = await sendOnce(this.api, this.bodyOf(request));
    request.attempts.push(attempt);
    return attempt.status === 200 && attempt.record?.status === 'sent' ? request.recipients[0] : undefined;
  }

  /** Sends one message with a key. @returns a function that repeats the request as it was. */
  async sendKeyed(): Promise<() => Promise<void>> {
    const request = this.newRequest(true, ['delivered']);
    const key = randomUUID();
    const send = async () => void request.attempts.push(await sendOnce(this.api, this.bodyOf(request), key));
    await send();
    return send;
  }

  private send(): void {
    const keyed = this.count % 2 === 0;
    const outcomes = this.random.chance(0.1) ? [this.outcome(), this.outcome()] : [this.outcome()];
    const request = this.newRequest(keyed, outcomes);
    const note = (attempt: Attempt) => void request.attempts.push(attempt);
    const sending: Promise<void> = sendWithRetries(this.api, this.bodyOf(request), keyed, this.random, note).finally(
      () => this.underWay.delete(sending),
    );
    this.underWay.add(sending);
  }

  private newRequest(keyed: boolean, outcomes: readonly PlannedOutcome[]): RecordedRequest {
    const marker = markerOf(this.count++, this.run);
    const recipients = outcomes.map((outcome, index) => addressOf(outcome, marker, index));
    const request: RecordedRequest = { marker, recipients, keyed, attempts: [] };
    this.requests.push(request);
    return request;
  }

  private outcome(): PlannedOutcome {
    const place = this.random.next() * 100;
    let end = 0;
    for (const [outcome, share] of SHARES) {
      end += share;
      if (place < end) return outcome;
    }
    return 'delivered';
  }

  private bodyOf({ marker, recipients }: ClientRequest): string {
    return JSON.stringify({
      from: `Faults <clients@${SENDING_DOMAIN}>`,
      to: recipients,
      subject: `Message ${marker}`,
      message: `<html><body><p>${marker}</p><a href="https://${SENDING_DOMAIN}/${marker}">open</a></body></html>`,
    });
  }
}

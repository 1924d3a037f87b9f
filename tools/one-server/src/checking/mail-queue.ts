import { run } from '../machine/run.js';
import type { Finding } from '../preflight/finding.js';
import { PLACES } from '../rendering/places.js';

const CHECK = 'mail queue';
/** Graylisting and full mailboxes take hours; receivers that are down for longer are worth a look. */
const OLD_HOURS = 12;
const MANY = 5_000;

interface Queued {
  readonly queue_name: string;
  readonly arrival_time: number;
  readonly recipients?: readonly { readonly address: string; readonly delay_reason?: string }[];
}

/** Judges the lines of `postqueue -j`. Messages wait for single receivers all the time, so most of them must be old. */
export const judgeQueue = (lines: string, now = Date.now()): Finding => {
  const queue = lines
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Queued);
  if (queue.length === 0) return { check: CHECK, verdict: 'good', found: 'empty' };
  const hours = (arrival: number) => (now / 1_000 - arrival) / 3_600;
  const oldest = queue.reduce((one, other) => (other.arrival_time < one.arrival_time ? other : one));
  const old = queue.filter(({ arrival_time }) => hours(arrival_time) > OLD_HOURS);
  const found = `${queue.length} messages, the oldest for ${hours(oldest.arrival_time).toFixed(1)} hours`;
  if (queue.length <= MANY && old.length * 2 <= queue.length) return { check: CHECK, verdict: 'good', found };
  const reason = oldest.recipients?.[0]?.delay_reason;
  return {
    check: CHECK,
    verdict: 'warning',
    found: `${found}${reason === undefined ? '' : `: ${reason.slice(0, 200)}`}`,
    advice: `Receivers do not take mail: postqueue -c ${PLACES.rendered}/postfix -p`,
  };
};

/** The age of what waits in the Postfix of Postern. */
export const queueFinding = async (): Promise<Finding> =>
  judgeQueue(await run('postqueue', ['-c', `${PLACES.rendered}/postfix`, '-j'], { timeoutMs: 10_000 }));

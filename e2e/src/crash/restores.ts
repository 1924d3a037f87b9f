import { waitFor } from '@postern/testing';
import type { Sender } from '../world.js';
import { deliveredEmails } from './load.js';

/** More than the numbers that a sequence skips after a recovery. */
export const MESSAGES = 40;
const AT_ONCE = 8;
const EVENTS_WITHIN_MS = 30_000;
export const STORY_WITHIN_MS = 180_000;

const sendOne = async (sender: Sender, recipient: string): Promise<string> => {
  const { status, body } = await sender.send({
    from: 'a@restored.test',
    to: [recipient],
    subject: 'Before or after',
    text: 'Hello.',
  });
  if (status !== 200 || body['status'] !== 'sent') throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  return String(body['id']);
};

export const sendMany = async (sender: Sender, name: string, count = MESSAGES): Promise<readonly string[]> => {
  const waiting = Array.from({ length: count }, (_, number) => `${name}-${number}@mailboxes.test`);
  const ids: string[] = [];
  const next = async () => {
    for (let recipient = waiting.pop(); recipient; recipient = waiting.pop())
      ids.push(await sendOne(sender, recipient));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return ids;
};

/** Waits for a webhook call for every message. */
export const delivered = (sender: Sender, ids: readonly string[]) => {
  const missing = () => {
    const reported = deliveredEmails(sender);
    return ids.filter(id => !reported.has(id));
  };
  return waitFor(() => missing().length === 0, {
    timeoutMs: EVENTS_WITHIN_MS,
    intervalMs: 100,
    describe: () => `the webhooks of ${missing().length} of ${ids.length} messages`,
  });
};

/** Waits until a message is sent again. */
export const sendsAgain = (sender: Sender) =>
  waitFor(async () => (await sendOne(sender, 'again@mailboxes.test').catch(() => undefined)) !== undefined, {
    timeoutMs: EVENTS_WITHIN_MS,
    intervalMs: 250,
    describe: 'a message to be sent after the restore',
  });

/** Which messages email-send holds, and which it does not. */
export const known = async (sender: Sender, ids: readonly string[]) => {
  const found = await Promise.all(ids.map(async id => ({ id, status: (await sender.get(id)).status })));
  const withStatus = (wanted: number) => found.filter(({ status }) => status === wanted).map(({ id }) => id);
  return { held: withStatus(200), missing: withStatus(404) };
};

/** Waits until the dashboard shows every message. */
export const onDashboard = (sender: Sender, ids: readonly string[]) =>
  Promise.all(
    ids.map(id =>
      waitFor(async () => (await sender.world.callDashboardApi('GET', `${sender.path}/emails/${id}`)).status === 200, {
        timeoutMs: EVENTS_WITHIN_MS,
        intervalMs: 250,
        describe: `message ${id} on the dashboard`,
      }),
    ),
  );

/** What `postern doctor` says about the log of a service that was restored. */
export const restoreOf = (service: string): RegExp => new RegExp(`the log of ${service} was restored`);

/** Settings of email-send that let a story send as much as it needs. */
export const WITHOUT_LIMITS = {
  POSTERN_PRODUCTION_PER_MINUTE_LIMIT: '1000000',
  POSTERN_PRODUCTION_DAILY_START: '1000000',
  POSTERN_QUOTA_CEILING: '1000000',
};

/** Results of accepted messages: their status, and the webhook events about them. */
import { demand } from '../../../docker/check/report.mjs';
import { eventually } from './runtime/platform.mjs';

const REPORTED_WITHIN_MS = 300_000;

/** Waits until each of some ids was among those that a poll returns. */
const untilAll = (what, ids, poll) => {
  const left = new Set(ids);
  return eventually(
    what,
    async () => {
      for (const id of await poll(left)) left.delete(id);
      if (left.size === 0) return true;
      throw new Error(`${left.size} of ${ids.length} are missing, such as ${[...left].slice(0, 3).join()}`);
    },
    REPORTED_WITHIN_MS,
  );
};

/** @param sender with a webhook. @param ids of messages whose delivery the relay reports. */
export const demandDelivered = async ({ sender, receiver }, after, ids) => {
  const { operator, path } = sender;
  await untilAll(`the state delivered of every message ${after}`, ids, async left => {
    const done = [];
    for (const id of left) {
      const { recipients } = await operator.request('GET', `${path}/emails/${id}`);
      if (recipients[0].state === 'delivered') done.push(id);
    }
    return done;
  });
  demand(`${after}: all ${ids.length} messages become delivered`, ids.length > 0);
  const notified = async () =>
    receiver.calls
      .map(({ body }) => JSON.parse(body))
      .filter(({ event }) => event === 'delivered')
      .map(({ email_id: id }) => id);
  await untilAll(`the webhook of every message ${after}`, ids, notified);
  demand(`${after}: the webhook receives each`, true);
};

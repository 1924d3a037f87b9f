import { randomUUID } from 'node:crypto';
import type { MailboxMessage } from '../mailbox.js';
import type { Sender, WebhookEvent } from '../world.js';

/** The final state of one message, as the client sees it. */
export interface Sent {
  readonly recipient: string;
  /** Whether the request has an idempotency key, so that the client may repeat it. */
  readonly repeatable: boolean;
  readonly id: string | undefined;
  readonly status: string | undefined;
  readonly message: string;
}

const CLIENTS = 12;
const PAUSE_MS = 60;
/** The retry pauses of the specification, shortened. */
const RETRY_PAUSES_MS = [500, 1_000, 2_000, 4_000];

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

const sendOnce = async (sender: Pick<Sender, 'send'>, recipient: string, key: string | undefined) => {
  try {
    const { status, body } = await sender.send(
      { from: 'load@crash.test', to: [recipient], subject: 'Under load', message: `<p>${recipient}</p>` },
      key ? { 'idempotency-key': key } : {},
    );
    return { status, body };
  } catch {
    return { status: 0, body: {} as Record<string, unknown> };
  }
};

/** Half of the clients send idempotency keys and retry failures; the others do neither. */
const sendAsAClient = async (sender: Pick<Sender, 'send'>, recipient: string, repeatable: boolean): Promise<Sent> => {
  const key = repeatable ? randomUUID() : undefined;
  let answer = await sendOnce(sender, recipient, key);
  for (const pauseMs of repeatable ? RETRY_PAUSES_MS : []) {
    if (answer.status > 0 && answer.status < 500 && answer.status !== 409) break;
    await pause(pauseMs);
    answer = await sendOnce(sender, recipient, key);
  }
  const { id, status, message } = answer.status === 200 ? answer.body : {};
  return {
    recipient,
    repeatable,
    id: id as string | undefined,
    status: status as string | undefined,
    message: String(message ?? answer.body['error'] ?? 'no answer'),
  };
};

/** Sends from several clients concurrently while `during` runs; `during` gets the messages answered so far. */
export const underLoad = async (
  sender: Pick<Sender, 'send'>,
  name: string,
  during: (soFar: readonly Sent[]) => Promise<void>,
): Promise<readonly Sent[]> => {
  const all: Sent[] = [];
  let going = true;
  const client = async (number: number) => {
    for (let n = 0; going; n++) {
      all.push(await sendAsAClient(sender, `${name}-${number}-${n}@mailboxes.test`, number % 2 === 0));
      await pause(PAUSE_MS);
    }
  };
  const clients = Array.from({ length: CLIENTS }, (_, number) => client(number));
  await during(all);
  going = false;
  await Promise.all(clients);
  return all;
};

/** Number of copies in each recipient's mailbox. */
export const copiesByRecipient = async (mailboxUrl: string): Promise<ReadonlyMap<string, number>> => {
  const response = await fetch(`${mailboxUrl}/messages`);
  const copies = new Map<string, number>();
  for (const { to } of (await response.json()) as MailboxMessage[]) copies.set(to, (copies.get(to) ?? 0) + 1);
  return copies;
};

/** Emails with a `delivered` webhook call; repeated calls of the same event count once. */
export const deliveredEmails = (sender: Sender): ReadonlySet<string> => {
  const events = sender.receiver.requests.map(({ body }) => JSON.parse(body.toString('utf8')) as WebhookEvent);
  return new Set(events.filter(({ event }) => event === 'delivered').map(({ email_id }) => email_id));
};

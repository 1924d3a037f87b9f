import { expect } from '@jest/globals';
import { type Process, request, type SendingFixture } from './sending-fixture.js';

interface Deferral {
  readonly address: string;
  readonly times?: number;
  readonly sender?: { readonly keyHash: string };
}

/** Sends a message to two recipients; the relay defers the copy of the second one. @returns the id of the message. */
export async function partlyDeferred(
  fixture: SendingFixture,
  process: Process,
  { address, times = 1, sender = fixture.sender() }: Deferral,
): Promise<string> {
  fixture.smtp.answer({ stage: 'rcpt', address, code: 451, text: '4.2.0 later', times });
  const { email } = await process.sendEmail.execute(request(sender.keyHash, { to: ['ada@x.test', address] }));
  expect(email).toMatchObject({ status: 'sent', message: expect.stringContaining('will be retried') });
  return email.id;
}

/** Makes all deferred copies due. */
export const becomeDue = (fixture: SendingFixture) =>
  fixture.pool.query(`UPDATE deferred_copies SET due_at = now() - interval '1 second'`);

/** Makes all deferred copies due for the last time. */
export const passDeadline = (fixture: SendingFixture) =>
  fixture.pool.query(
    `UPDATE deferred_copies SET deadline = now() - interval '1 second', due_at = now() - interval '1 second'`,
  );

/** Ends the leases of all claims. */
export const endLeases = (fixture: SendingFixture) =>
  fixture.pool.query(`UPDATE deferred_copies SET claimed_until = now() - interval '1 second' WHERE claim IS NOT NULL`);

/** The outcomes of the second recipient's copy, one per attempt. */
export async function outcomesOf(fixture: SendingFixture, emailId: string): Promise<string[]> {
  return (await answersOf(fixture, emailId)).map(({ result }) => result);
}

/** The same with the responses. */
export async function answersOf(fixture: SendingFixture, emailId: string): Promise<Answer[]> {
  const events = await fixture.events(emailId);
  return events.flatMap(({ data }) => {
    const { outcomes, outcome } = data as { outcomes?: Answer[]; outcome?: Answer };
    return [...(outcomes ? [outcomes[1]!] : []), ...(outcome ? [outcome] : [])];
  });
}

interface Answer {
  readonly result: string;
  readonly smtp_response: string;
}

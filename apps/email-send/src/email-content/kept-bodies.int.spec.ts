import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Streams } from '@postern/event-sourcing';
import { PostgresEventStore } from '@postern/event-sourcing/postgres';
import { v7 as uuidv7 } from 'uuid';
import { request, SendingFixture } from '../testing/sending-fixture.js';
import { KeptBodies } from './kept-bodies.js';

let fixture: SendingFixture;
let bodies: KeptBodies;

beforeAll(async () => {
  fixture = await SendingFixture.start();
  const store = new PostgresEventStore(fixture.pool);
  bodies = new KeptBodies(
    store,
    fixture.seal,
    new Streams({ store, waitUntil: async () => {}, metadata: () => ({ correlationId: 'test' }) }),
  );
});
afterAll(() => fixture.stop());

const sendEmail = async () => {
  const { keyHash } = fixture.sender();
  const process = await fixture.process();
  const { email } = await process.sendEmail.execute(
    request(keyHash, { text: 'Thank you.', message: '<p>Thanks.</p>' }),
  );
  return email.id;
};

it('A message is found with its body during its retention', async () => {
  const id = await sendEmail();
  expect(await bodies.find(id)).toMatchObject({
    facts: { email_id: id, subject: 'Your order' },
    body: { html: '<p>Thanks.</p>', text: 'Thank you.' },
  });
});

it('A message whose retention is over is found without its body', async () => {
  const id = await sendEmail();
  await fixture.pool.query('DELETE FROM sealed_email_bodies WHERE email_id = $1', [id]);
  expect(await bodies.find(id)).toMatchObject({ facts: { email_id: id }, body: undefined });
});

it('An unknown message is not found', async () => expect(await bodies.find(uuidv7())).toBeUndefined());

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { getWebService, listWebServices } from '@postern/contracts';
import { NatsLink } from '@postern/messaging';
import pg from 'pg';
import { callerOf } from '../../testing/caller.js';
import { ServedWebServices } from '../../testing/served-web-services.js';

const READS = 100;
const WEB_SERVICES = 20;

let fixture: ServedWebServices;
let owner: Awaited<ReturnType<ServedWebServices['owner']>>;
let web_service_id: string;

beforeAll(async () => {
  fixture = await ServedWebServices.start();
  owner = await fixture.owner();
  for (let n = 0; n < WEB_SERVICES; n++) web_service_id = (await fixture.create(owner)).id;
}, 60_000);
afterAll(() => fixture?.stop());

/** Statements that contain the name of a table of web services, and messages of the replicas, for each read. */
const costOf = async (read: () => Promise<unknown>) => {
  await read();
  const messages = () =>
    fixture.replicas
      .map(({ app }) => app.get(NatsLink, { strict: false }).nc.stats())
      .reduce((sum, { inMsgs, outMsgs }) => sum + inMsgs + outMsgs, 0);
  const spy = jest.spyOn(pg.Client.prototype, 'query');
  const before = messages();
  for (let n = 0; n < READS; n++) await read();
  const sent = messages() - before;
  const texts = spy.mock.calls.map(([query]) =>
    typeof query === 'string' ? query : ((query as { text?: string } | undefined)?.text ?? ''),
  );
  spy.mockRestore();
  return {
    statements: texts.length / READS,
    writes: texts.filter(text => /INSERT|UPDATE|DELETE/.test(text)).length / READS,
    messages: sent / READS,
  };
};

// The replicas also work in the background while they are measured.
describe('The cost of reading', () => {
  it('a web service is one statement and two messages, next to the work in the background', async () => {
    const cost = await costOf(() => fixture.client.request(getWebService, { ...callerOf(owner), web_service_id }));
    expect(cost.messages).toBeLessThan(3);
    expect(cost.writes).toBeLessThan(0.5);
    expect(cost.statements).toBeLessThan(3);
  });

  it('a list of web services is as many, however many they are', async () => {
    const cost = await costOf(() => fixture.client.request(listWebServices, owner));
    expect(cost.messages).toBeLessThan(3);
    expect(cost.writes).toBeLessThan(0.5);
    expect(cost.statements).toBeLessThan(3);
  });
});

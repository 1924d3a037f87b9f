import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  authenticateSession,
  changesOf,
  createProject,
  listDatabases,
  listEmailServices,
  listWebServices,
  Refusal,
} from '@postern/contracts';
import { connectNats, type NatsLink } from '@postern/messaging';
import { eventually, waitFor } from '@postern/testing';
import { type GatewayUnderTest, startGateway } from '../testing/gateway-under-test.js';
import { USER, WORKSPACE } from '../testing/platform-call.js';
import { STREAMS_PER_USER } from './change-streams.js';

const SERVICE = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e5f';
const FOREIGN = '0198c9f0-7b1e-7cc3-98a4-0a1b2c3d4e60';

let gateway: GatewayUnderTest;
let link: NatsLink;
const open: AbortController[] = [];

beforeAll(async () => {
  gateway = await startGateway();
  link = await connectNats({ servers: gateway.nats.url, name: 'a service' });
}, 60_000);
afterAll(async () => {
  await link?.close();
  await gateway?.stop();
});
beforeEach(() => {
  const { services } = gateway;
  services.reset();
  services.on(authenticateSession, () => ({
    user_id: USER,
    workspace_id: WORKSPACE,
    email: 'o@x.example',
    operator: false,
    role: 'owner' as const,
  }));
  services.on(listEmailServices, () => []);
  services.on(listWebServices, () => [{ id: SERVICE }] as never);
  services.on(listDatabases, () => ({ items: [], total: 0, limit: 100, offset: 0 }));
});
afterEach(() => {
  for (const controller of open.splice(0)) controller.abort();
});

const authorization = { authorization: 'Bearer token' };

const follow = async () => {
  const controller = new AbortController();
  open.push(controller);
  const response = await fetch(`${gateway.url}/dashboard/api/changes`, {
    headers: authorization,
    signal: controller.signal,
  });
  let text = '';
  const read = async () => {
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) text += part;
  };
  read().catch(() => undefined);
  return {
    response,
    close: () => controller.abort(),
    text: () => text,
    topics: () =>
      [...text.matchAll(/^event: change\ndata: (.*)$/gm)].flatMap(
        ([, json]) => (JSON.parse(json!) as { topics: string[] }).topics,
      ),
  };
};
/** Repeated, because the gateway lists the resources of the workspace when the stream begins. */
const announce = async (stream: Awaited<ReturnType<typeof follow>>, topics: readonly string[]) =>
  waitFor(async () => {
    link.nc.publish(changesOf('platform-management'), JSON.stringify({ topics }));
    await link.nc.flush();
    return stream.topics().length > 0 ? stream.topics() : undefined;
  });

describe('The change stream', () => {
  it('names the resources of the workspace that have changed, and no others', async () => {
    const stream = await follow();
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const topics = await announce(stream, [
      `web-services/${FOREIGN}`,
      `web-services/${SERVICE}`,
      `workspaces/${FOREIGN}`,
    ]);
    expect(new Set(topics)).toEqual(new Set([`web-services/${SERVICE}`]));
    expect(stream.text()).toMatch(/^retry: 3000\n\nevent: open\n/);
  });

  it('names the workspace after a call that changed something in it', async () => {
    const stream = await follow();
    gateway.services.on(
      createProject,
      () => ({ id: SERVICE, name: 'Shop', description: '', created_at: new Date().toISOString() }) as never,
    );
    const response = await fetch(`${gateway.url}/dashboard/api/projects`, {
      method: 'POST',
      headers: { ...authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Shop' }),
    });
    expect(response.status).toBe(201);
    await eventually(async () => expect(stream.topics()).toContain(`workspaces/${WORKSPACE}`));
  });

  it('survives notices that nobody understands', async () => {
    const stream = await follow();
    for (const notice of ['', '{', '{"topics":"x"}', '{"topics":["../../x"]}'])
      link.nc.publish(changesOf('email-send'), notice);
    await announce(stream, [`web-services/${SERVICE}`]);
  });

  it('is refused to a user with too many tabs, and permitted again after one is closed', async () => {
    const streams = await Promise.all(Array.from({ length: STREAMS_PER_USER }, follow));
    const refused = await follow();
    expect([refused.response.status, refused.response.headers.get('error-code')]).toEqual([429, 'too_many_streams']);
    streams[0]?.close();
    await eventually(async () => expect((await follow()).response.status).toBe(200));
  });

  it('needs a session', async () => {
    gateway.services.on(authenticateSession, () => {
      throw new Refusal('session_invalid', 'the session has ended');
    });
    expect((await follow()).response.status).toBe(401);
    expect((await fetch(`${gateway.url}/dashboard/api/changes`)).status).toBe(401);
  });

  it('is counted as a metric', async () => {
    await follow();
    await eventually(async () => {
      const metrics = await (await fetch(`${gateway.healthUrl}/metrics`)).text();
      expect(metrics).toMatch(/^postern_dashboard_streams(\{.*\})? [1-9]/m);
    });
  });
});

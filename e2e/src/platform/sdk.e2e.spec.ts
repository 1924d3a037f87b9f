import { describe, expect, it } from '@jest/globals';
import { ApiError, DeploymentFailedError, Postern, verifyWebhook, type WebhookHeaders } from '@postern/sdk';
import { sharedPlatform } from '../stories.js';
import { webApp } from './repository.js';

const platform = await sharedPlatform();
const { world } = platform;
const { baseUrl } = world.postern;
const sender = await world.sender('SDK', 'sdk.test');
const postern = new Postern(sender.apiKey, { baseUrl, platformKey: platform.writer.key });

const EMAIL = { from: 'Ada <ada@sdk.test>', to: 'grace@customers.test', subject: 'Grüße ✓', text: 'Hello' };

describe('the SDK sends email', () => {
  it('and reads its record', async () => {
    const sent = await postern.emails.send({ ...EMAIL, message: '<p>Hello</p>', reply_to: 'help@sdk.test' });
    expect(sent).toMatchObject({ status: 'sent', mode: 'production', to: ['grace@customers.test'] });
    expect(await postern.emails.get(sent.id)).toEqual(sent);
  });

  it('once per idempotency key', async () => {
    const [first, second] = await Promise.all(
      [1, 2].map(() =>
        postern.emails.send({ ...EMAIL, subject: 'Once' }, { idempotencyKey: 'sdk-once' }).catch(error => error),
      ),
    );
    const again = await postern.emails.send({ ...EMAIL, subject: 'Once' }, { idempotencyKey: 'sdk-once' });
    expect([first?.id, second?.id]).toContain(again.id);
    expect((await world.mailsTo('grace@customers.test')).filter(({ subject }) => subject === 'Once')).toHaveLength(1);
  });

  it('and reports errors by class', async () => {
    const failure = postern.emails.send({ ...EMAIL, to: 'grace@@customers.test' });
    await expect(failure).rejects.toMatchObject({
      name: 'InvalidRequestError',
      status: 400,
      requestId: expect.any(String),
    });
    await expect(failure).rejects.toThrow(/to\[0\]/);
    const stranger = new Postern(`em_live_${'x'.repeat(43)}`, { baseUrl });
    await expect(stranger.emails.send(EMAIL)).rejects.toMatchObject({ name: 'AuthenticationError' });
    await expect(postern.emails.get(crypto.randomUUID())).rejects.toMatchObject({ name: 'NotFoundError' });
  });

  it('and verifies the events about it', async () => {
    const { id } = await postern.emails.send({ ...EMAIL, subject: 'Verified' });
    const { body, headers } = await sender.call('delivered', id);
    const call = { body, headers: headers as WebhookHeaders, secret: sender.webhookSecret };
    expect(await verifyWebhook(call)).toMatchObject({ event: 'delivered', email_id: id, subject: 'Verified' });
    await expect(verifyWebhook({ ...call, secret: 'whsec_other' })).rejects.toMatchObject({
      reason: 'wrong_signature',
    });
  });
});

describe('the SDK deploys web services', () => {
  it('from the project to the log of the running service', async () => {
    const service = await platform.service(webApp('one'));
    const api = postern.platform;
    expect(await api.projects.get(service.projectId)).toMatchObject({ id: service.projectId });
    expect((await api.webServices.list()).map(({ id }) => id)).toContain(service.id);
    expect(await api.environment.setAll(service.id, [{ key: 'GREETING', value: 'hello' }])).toEqual({
      created: ['GREETING'],
      updated: [],
    });
    await api.secrets.set(service.projectId, { key: 'TOKEN', value: 'secret-value', scope: 'production' });
    expect(await api.secrets.list(service.projectId)).toMatchObject({ TOKEN: [{ value: '********' }] });

    const { id } = await api.deployments.create(service.id);
    const statuses: string[] = [];
    const live = await api.deployments.waitUntilLive(service.id, id, {
      pollMs: 200,
      onChange: ({ status }) => statuses.push(status),
    });
    expect(live).toMatchObject({ id, status: 'live' });
    expect(statuses.at(-1)).toBe('live');

    const followed: string[] = [];
    for await (const { message } of api.logs.follow(service.id, { tail: 1000 })) {
      followed.push(message);
      if (followed.length >= 2) break;
    }
    expect(followed).toHaveLength(2);
    expect((await api.deployments.list(service.id, { limit: 1 })).items).toMatchObject([{ id }]);
  }, 120_000);

  it('and reports a failed deployment', async () => {
    const service = await platform.service(webApp('one'), { build_command: 'exit 3' });
    const { id } = await postern.platform.deployments.create(service.id);
    const failure = postern.platform.deployments.waitUntilLive(service.id, id, { pollMs: 200 });
    await expect(failure).rejects.toBeInstanceOf(DeploymentFailedError);
    await expect(failure).rejects.toThrow('code 3');
  }, 120_000);

  it('and reports errors by class', async () => {
    const reader = new Postern(platform.reader.key, { baseUrl });
    expect(await reader.platform.ownKey()).toMatchObject({ scope: 'read' });
    const failure = reader.platform.projects.create({ name: 'Shop' });
    await expect(failure).rejects.toBeInstanceOf(ApiError);
    await expect(failure).rejects.toMatchObject({ name: 'PermissionError', code: 'insufficient_scope' });
  });
});

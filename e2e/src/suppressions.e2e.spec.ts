import { describe, expect, it } from '@jest/globals';
import { eventually } from '@postern/testing';
import { sharedWorld } from './stories.js';
import type { Sender } from './world.js';

const world = await sharedWorld();

describe('the suppression list', () => {
  it('lists addresses that bounced hard or complained, with the reason, and blocks nothing while it is off', async () => {
    const watching = await world.sender('Watching', 'watching.test');
    const send = (to: string) => watching.send({ ...MAIL, from: 'a@watching.test', to: [to] });
    await watching.event('bounced', (await send('hard-bounce@simulator.test')).body['id'] as string);
    await watching.event('bounced', (await send('soft-bounce@simulator.test')).body['id'] as string);
    await watching.event('complained', (await send('complaint@simulator.test')).body['id'] as string);

    await eventually(async () => {
      const { items } = await suppressionsOf(watching);
      expect(items.map(({ address, reason }) => `${address} ${reason}`).sort()).toEqual([
        'complaint@simulator.test complaint',
        'hard-bounce@simulator.test hard_bounce',
      ]);
    });
    expect((await send('complaint@simulator.test')).body).toMatchObject({ status: 'sent' });
  });

  it('switched on: a listed address is a failed recipient with a suppressed bounce event, until it is removed', async () => {
    const careful = await world.sender('Careful', 'careful.test');
    const send = (...to: string[]) => careful.send({ ...MAIL, from: 'a@careful.test', to });
    await careful.event('bounced', (await send('hard-bounce@simulator.test')).body['id'] as string);
    await eventually(async () => expect((await suppressionsOf(careful)).items).toHaveLength(1));
    await world.dashboard.patch(careful.path, { suppression: true });

    const { body: stopped } = await eventually(async () => {
      const answer = await send('Hard-Bounce@simulator.test');
      expect(answer.body).toMatchObject({ status: 'failed', message: expect.stringContaining('suppressed') });
      return answer;
    });
    expect((await careful.event('bounced', stopped['id'] as string)).data['reason']).toContain('suppressed');

    const { body: partly } = await send('hard-bounce@simulator.test', 'delivered@simulator.test');
    expect(partly).toMatchObject({ status: 'sent' });
    expect(await careful.event('bounced', partly['id'] as string)).toMatchObject({ to: 'hard-bounce@simulator.test' });

    await world.callDashboardApi('DELETE', `${careful.path}/suppressions/hard-bounce@simulator.test`);
    await eventually(async () =>
      expect((await send('hard-bounce@simulator.test')).body).toMatchObject({ status: 'sent' }),
    );
  });
});

const MAIL = { subject: 'Your receipt', text: 'Thanks.' };

const suppressionsOf = ({ path }: Sender) =>
  world.dashboard.get<{ items: { address: string; reason: string }[] }>(`${path}/suppressions`);

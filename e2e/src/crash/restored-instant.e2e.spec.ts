import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { backUpPostgres, restorePostgres, SERVICES_WITH_DATABASE } from '@postern/testing';
import { postern } from '../operator.js';
import { ownWorld } from '../stories.js';
import { temporaryHome } from '../temporary-home.js';
import {
  delivered,
  known,
  onDashboard,
  restoreOf,
  STORY_WITHIN_MS,
  sendMany,
  sendsAgain,
  WITHOUT_LIMITS,
} from './restores.js';

const world = await ownWorld({ environment: { 'email-send': WITHOUT_LIMITS } });
const sender = await world.sender('Restored', 'restored.test');
const backups = temporaryHome();
afterAll(() => backups.remove());

it(
  'if the cluster of all services is restored, webhooks that waited at the backup are delivered, and doctor reports it',
  async () => {
    const before = await sendMany(sender, 'before-instant');
    await delivered(sender, before);
    const webhooks = world.postern.services.get('webhook-dispatch');
    await webhooks?.stop();
    const waiting = await sendMany(sender, 'waiting', 5);
    await onDashboard(sender, waiting);
    await backUpPostgres(world.postern.postgres, join(backups.folder, 'all'));
    await webhooks?.start();
    const after = await sendMany(sender, 'after-instant');
    await delivered(sender, [...waiting, ...after]);
    sender.receiver.requests.splice(0);

    const services = SERVICES_WITH_DATABASE.map(service => world.postern.services.get(service));
    for (const service of services) await service?.stop();
    // The local start starts it again.
    await restorePostgres(world.postern.postgres, join(backups.folder, 'all'));
    for (const service of services) await service?.start();
    await sendsAgain(sender);
    const later = await sendMany(sender, 'later-instant');
    await delivered(sender, [...waiting, ...later]);
    const { held, missing } = await known(sender, [...before, ...waiting, ...after, ...later]);
    expect(missing.toSorted()).toEqual(after.toSorted());
    await onDashboard(sender, held);
    const { printed } = await postern(world.postern, ['doctor', '--no-mail']);
    expect(printed).toContain(' 0 failed');
    expect(printed).not.toMatch(restoreOf('email-send'));
  },
  STORY_WITHIN_MS,
);

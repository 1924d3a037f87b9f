import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { backUpPostgres, restorePostgres, SERVICES_WITH_DATABASE, type ServiceWithDatabase } from '@postern/testing';
import { postern } from '../operator.js';
import { temporaryHome } from '../temporary-home.js';
import { ownWorldWithClusters } from './clusters.js';
import {
  delivered,
  known,
  MESSAGES,
  onDashboard,
  restoreOf,
  STORY_WITHIN_MS,
  sendMany,
  sendsAgain,
} from './restores.js';

const { world, clusters } = await ownWorldWithClusters();
const sender = await world.sender('Restored', 'restored.test');
const backups = temporaryHome();
afterAll(() => backups.remove());

const backUp = (service: ServiceWithDatabase, name: string) =>
  backUpPostgres(clusters[service], join(backups.folder, `${service}-${name}`));

/** Replaces the data of clusters while NATS and the other services run. */
const restore = async (services: readonly ServiceWithDatabase[], name: string) => {
  for (const service of services) await world.postern.services.get(service)?.stop();
  for (const service of services) {
    await restorePostgres(clusters[service], join(backups.folder, `${service}-${name}`));
    await clusters[service].restart();
  }
  for (const service of services) await world.postern.services.get(service)?.start();
  await sendsAgain(sender);
};

const doctor = async () => (await postern(world.postern, ['doctor', '--no-mail'])).printed;

it.each<[ServiceWithDatabase, gone: boolean, findings: readonly RegExp[]]>([
  ['webhook-dispatch', false, []],
  ['delivery-tracking', false, [restoreOf('delivery-tracking')]],
  ['platform-management', false, []],
  ['email-send', true, [restoreOf('email-send')]],
])(
  'if %s alone is restored, nothing that a log holds is missing, and new messages have their webhooks',
  async (service, gone, findings) => {
    const before = await sendMany(sender, `before-${service}`);
    await delivered(sender, before);
    await backUp(service, 'alone');
    const after = await sendMany(sender, `after-${service}`);
    await delivered(sender, after);
    await restore([service], 'alone');

    const later = await sendMany(sender, `later-${service}`);
    await delivered(sender, later);
    const { held, missing } = await known(sender, [...before, ...after, ...later]);
    expect(missing.toSorted()).toEqual(gone ? after.toSorted() : []);
    expect(held.length + missing.length).toBe(3 * MESSAGES);
    // The dashboard keeps what email-send no longer holds.
    await onDashboard(sender, [...held, ...missing]);
    const printed = await doctor();
    expect(printed).toContain(' 0 failed');
    for (const finding of findings) expect(printed).toMatch(finding);
  },
  STORY_WITHIN_MS,
);

it(
  'if all services are restored from backups of different age, the same holds',
  async () => {
    const before: string[] = [];
    for (const service of SERVICES_WITH_DATABASE.toReversed()) {
      before.push(...(await sendMany(sender, `old-${service}`, MESSAGES / 4)));
      await backUp(service, 'together');
    }
    const after = await sendMany(sender, 'after-all');
    await delivered(sender, [...before, ...after]);
    await restore(SERVICES_WITH_DATABASE, 'together');

    const later = await sendMany(sender, 'later-all');
    await delivered(sender, later);
    const { held } = await known(sender, [...before, ...after, ...later]);
    expect(held.length).toBeGreaterThanOrEqual(MESSAGES + MESSAGES / 4);
    await onDashboard(sender, held);
    expect(await doctor()).toMatch(restoreOf('email-send'));
  },
  STORY_WITHIN_MS,
);

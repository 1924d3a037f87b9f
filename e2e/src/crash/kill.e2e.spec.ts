import { rmSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { damageFiles } from '@postern/testing';
import PostalMime from 'postal-mime';
import {
  describeKill,
  EVENTS_WITHIN_MS,
  killService,
  LOAD_BEFORE_MS,
  loadedWorld,
  pause,
  STORY_WITHIN_MS,
} from './kills.js';

const loaded = await loadedWorld();
const { world, sender } = loaded;

const KILLS: readonly (readonly [story: string, kill: () => Promise<void>])[] = [
  ['the gateway', () => killService(world, 'api-gateway')],
  ['delivery-tracking', () => killService(world, 'delivery-tracking')],
  ['webhook-dispatch', () => killService(world, 'webhook-dispatch')],
  ['platform-management', () => killService(world, 'platform-management')],
  ['runtime-agent', () => killService(world, 'runtime-agent')],
  ['NATS', () => world.postern.nats.kill()],
  [
    'NATS, with all that it stored',
    async () => {
      await world.postern.nats.kill();
      rmSync(world.postern.home.path('nats'), { recursive: true, force: true });
    },
  ],
  [
    'NATS, with three damaged bytes in each of its files',
    async () => {
      const damaged = damageFiles(world.postern.home.path('nats'), 'flip');
      if (damaged === 0) throw new Error('NATS has no files');
      await pause(LOAD_BEFORE_MS);
      await world.postern.nats.kill();
    },
  ],
  ['PostgreSQL', () => world.postern.postgres.kill()],
];

for (const [story, kill] of KILLS) describeKill(loaded, story, kill);

describe('when the gateway is killed while delivery-tracking is paused', () => {
  it(
    'the opens and clicks that it answered are recorded',
    async () => {
      const recipient = 'reader@mailboxes.test';
      const message = '<p><a href="https://example.com/">Read</a></p>';
      await world.dashboard.patch(sender.path, { click_tracking: true });
      const { body } = await sender.send({ from: 'load@crash.test', to: [recipient], subject: 'Read me', message });
      const { html = '' } = await PostalMime.parse((await world.mailTo(recipient)).raw);
      const [link, pixel] = [/href="([^"]+)"/, /src="([^"]+)"/].map(pattern => pattern.exec(html)?.[1] ?? 'no link');

      const tracking = world.postern.processes()['delivery-tracking'] as number;
      process.kill(tracking, 'SIGSTOP');
      try {
        expect((await fetch(pixel as string)).status).toBe(200);
        expect((await fetch(link as string, { redirect: 'manual' })).status).toBe(302);
        await killService(world, 'api-gateway');
      } finally {
        process.kill(tracking, 'SIGCONT');
      }

      await sender.event('opened', String(body['id']), EVENTS_WITHIN_MS);
      await sender.event('clicked', String(body['id']), EVENTS_WITHIN_MS);
    },
    STORY_WITHIN_MS,
  );
});

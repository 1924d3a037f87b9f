import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { sharedPlatform } from '../stories.js';
import { processesWith } from './processes.js';
import { webApp } from './repository.js';

const platform = await sharedPlatform();

describe('a service that is stopped', () => {
  it('has time to finish its work, also when started by a shell', async () => {
    const finishing = webApp('one')['server.js']?.replace(
      'server.close()',
      "setTimeout(() => { console.log('all is saved'); process.exit(); }, 1500)",
    );
    const service = await platform.service(
      { 'server.js': finishing as string },
      { start_command: 'echo up; node server.js; echo down' },
    );
    await service.deploy();

    await service.caller.post(`${service.path}/stop`);
    await service.untilStatus('stopped');
    expect((await service.logs()).map(({ message }) => message)).toContain('all is saved');
  }, 60_000);
});

describe('a service that ignores SIGTERM', () => {
  it('is stopped at its deadline, with its processes in other sessions', async () => {
    const mark = `story-${randomUUID()}`;
    const service = await platform.service({
      ...webApp('one'),
      'server.js': `
        import { spawn } from 'node:child_process';
        const ignoringSigterm = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000) // ${mark}";
        spawn(process.execPath, ['-e', ignoringSigterm], { detached: true, stdio: 'ignore', env: {} }).unref();
        import { createServer } from 'node:http';
        process.on('SIGTERM', () => console.log('SIGTERM came'));
        createServer((_, response) => response.end('ignoringSigterm')).listen(process.env.PORT);`,
    });
    await service.deploy();
    expect(processesWith(mark)).toHaveLength(1);

    await service.caller.post(`${service.path}/stop`);
    await service.line(({ message }) => message === 'SIGTERM came');
    await service.untilStatus('stopped');
    expect(processesWith(mark)).toEqual([]);
    expect((await service.get()).slice(0, 3)).toBe('503');
  }, 60_000);
});

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { CommandRunner } from '../command/command-runner.js';
import type { Service } from '../platform/platform-world.js';
import { ownPlatform } from '../stories.js';

/** Prints consecutive numbers, several at a time, so that lines have the same timestamp. */
const COUNTER = `
let number = 0;
setInterval(() => { for (let i = 0; i < 3; i += 1) console.log('number', ++number, 'of', process.pid); }, 100);
require('node:http').createServer((request, response) => response.end('Hello')).listen(process.env.PORT);
`;

const platform = await ownPlatform();
const { postern } = platform.world;
const runner = new CommandRunner({ POSTERN_URL: postern.baseUrl, POSTERN_PLATFORM_KEY: platform.writer.key });
let service: Service;

beforeAll(async () => {
  service = await platform.service({ 'server.js': COUNTER, Procfile: 'web: node server.js' });
  await service.deploy();
}, 180_000);
afterAll(() => runner.stop());

it.each(['SIGTERM', 'SIGKILL'] as const)(
  'postern logs -f prints every line once while the gateway ends with %s and starts again',
  async signal => {
    const following = runner.start(['logs', service.id, '-f', '--tail', '1']);
    const [first] = (await following.until(/number (\d+) of/, 60_000)).split(' ');
    await following.until(new RegExp(`number ${Number(first) + 20} of`), 60_000);
    process.kill(postern.processes()['api-gateway'] as number, signal);
    const atLoss = numbersIn(following.out).at(-1) as number;
    await following.until(new RegExp(`number ${atLoss + 150} of`), 120_000);
    const { code, out } = await following.interrupt();

    const numbers = numbersIn(out);
    expect(code).toBe(0);
    expect(numbers).toEqual(numbers.map((_, index) => Number(first) + index));
  },
  240_000,
);

const numbersIn = (out: string): number[] => [...out.matchAll(/number (\d+) of/g)].map(([, number]) => Number(number));

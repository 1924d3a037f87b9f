import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { freePort } from '@postern/testing';
import { claimPort, claimsFolder } from './port-claim.js';

const HOST = '127.0.0.1';

it('refuses a port that another load balancer of the user has claimed, until it is released', async () => {
  const port = await freePort();
  const claim = await claimPort(port, HOST);
  await expect(claimPort(port, HOST)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await claim.release();
  await (await claimPort(port, HOST)).release();
});

it('claims a port whose former claimant was killed', async () => {
  const port = await freePort();
  await (await claimPort(port, HOST)).release();
  const path = join(claimsFolder(), String(port));
  const code = `require('node:net').createServer().listen('${path}', () => console.log('listening'))`;
  const killed = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(killed.stdout, 'data');
  await expect(claimPort(port, HOST)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  await (await claimPort(port, HOST)).release();
});

it('claims a port whose number somebody has taken as the name of an abstract socket', async () => {
  const port = await freePort();
  const squatter = createServer().listen({ path: `\0postern-load-balancer-${port}` });
  await once(squatter, 'listening');
  await (await claimPort(port, HOST)).release();
  squatter.close();
});

import { createServer } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { freePort } from '@postern/testing';
import { gatewayPort } from './gateway-port.js';

describe('the port of the gateway', () => {
  it('is the configured one', async () => {
    const free = await freePort();
    expect(await gatewayPort(`${free}`)).toBe(free);
    expect(await gatewayPort('0')).toBe(0);
  });

  it.each(['abc', '70000', '-1', '80.5'])('cannot be %s', async setting => {
    await expect(gatewayPort(setting)).rejects.toThrow(
      `POSTERN_PORT must be a whole number from 0 to 65535, not "${setting}"`,
    );
  });

  it('is refused with a remedy if another process listens on it', async () => {
    const port = await freePort();
    const other = createServer();
    await new Promise<void>(resolve => other.listen(port, '127.0.0.1', resolve));
    await expect(gatewayPort(`${port}`)).rejects.toThrow(
      `127.0.0.1:${port} is taken by another process.\nStop the process that listens there, or choose another port: POSTERN_PORT=${port + 1} npm start`,
    );
    other.close();
  });
});

import { expect, it } from '@jest/globals';
import { clientNetworkOf } from '@postern/service-host';
import { ConnectionLimiter } from './connection-limiter.js';

it('a client with a /64 network has the same connection limit as any other', () => {
  const limits = {
    maxConnections: 200,
    maxConnectionsPerAddress: 50,
    maxMessagesPerMinute: 1_000,
    sessionMs: 60_000,
  };
  const limiter = new ConnectionLimiter(limits, () => {});
  const admitted = Array.from({ length: 200 }, (_, index) =>
    limiter.connect(`attacker ${index}`, clientNetworkOf(`2001:db8:bad:1::${index.toString(16)}`)),
  );
  expect(admitted.filter(Boolean)).toHaveLength(50);
  expect(limiter.connect('other', clientNetworkOf('2001:db8:bad:2::1'))).toBe(true);
  for (let index = 0; index < 200; index++) limiter.disconnect(`attacker ${index}`);
  limiter.disconnect('other');
  limiter.close();
});

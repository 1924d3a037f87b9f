import { expect, it } from '@jest/globals';
import { configFromEnvironment } from './config.js';

it('uses free loopback ports and sends no reports by default', () => {
  expect(configFromEnvironment({})).toEqual({
    smtpPort: 0,
    httpPort: 0,
    host: '127.0.0.1',
    simulatorDomain: 'simulator.test',
    keepMessages: 1_000,
    slowMs: 5_000,
  });
});

it('reads the bounce relay and the ports', () => {
  const environment = { POSTERN_SIMULATOR_SMTP_PORT: '2525', POSTERN_SIMULATOR_BOUNCE_PORT: '2526' };
  expect(configFromEnvironment(environment)).toMatchObject({
    smtpPort: 2525,
    bounceRelay: { host: '127.0.0.1', port: 2526 },
  });
});

it('names an invalid variable', () => {
  expect(() => configFromEnvironment({ POSTERN_SIMULATOR_HTTP_PORT: '80800' })).toThrow('POSTERN_SIMULATOR_HTTP_PORT');
});

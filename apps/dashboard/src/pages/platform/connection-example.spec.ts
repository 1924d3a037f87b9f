import { describe, expect, it } from '@jest/globals';
import { connectionExample } from './connection-example.js';

describe('the example of a connection', () => {
  it.each([
    ['relational', 'app', "psql 'postgresql://app:PASSWORD@10.208.0.6:10321/app?sslmode=require'"],
    ['key_value', null, "valkey-cli -u 'redis://app:PASSWORD@10.208.0.6:10321/0'"],
  ] as const)('of a %s database is a command with everything but the password', (kind, database, command) =>
    expect(
      connectionExample(kind, { host: '10.208.0.6', port: 10_321, username: 'app', database, ca_certificate: null }),
    ).toBe(command),
  );
});

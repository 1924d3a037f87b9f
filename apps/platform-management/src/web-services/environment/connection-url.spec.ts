import { describe, expect, it } from '@jest/globals';
import { CUSTOMER, connectionUrl } from './connection-url.js';

const access = { password: 'p@ss/word', host: '127.0.0.1', port: 20_001 };

describe('the connection URL', () => {
  it('of a relational database contains the name of the database', () =>
    expect(connectionUrl('relational', { ...access, username: CUSTOMER })).toBe(
      'postgresql://app:p%40ss%2Fword@127.0.0.1:20001/app',
    ));

  it('of a key-value store contains the user name', () =>
    expect(connectionUrl('key_value', { ...access, username: CUSTOMER })).toBe(
      'redis://app:p%40ss%2Fword@127.0.0.1:20001/0',
    ));
});

import { describe, expect, it } from '@jest/globals';
import { connectionUrl, usernameFor } from './connection-url.js';

const access = { password: 'p@ss/word', host: '127.0.0.1', port: 20_001 };

describe('the connection URL', () => {
  it('of a relational database contains the name of the database', () =>
    expect(connectionUrl('relational', { ...access, username: usernameFor('relational') })).toBe(
      'postgresql://app:p%40ss%2Fword@127.0.0.1:20001/app',
    ));

  it('of a key-value store works for clients without user names', () =>
    expect(connectionUrl('key_value', { ...access, username: usernameFor('key_value') })).toBe(
      'redis://default:p%40ss%2Fword@127.0.0.1:20001/0',
    ));
});

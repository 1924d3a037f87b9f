import { describe, expect, it } from '@jest/globals';
import { PosternError } from './errors.js';
import { Postern } from './postern.js';

const KEY = 'em_live_x';
const made = (key: unknown, baseUrl: unknown) => () => new Postern(key as string, { baseUrl: baseUrl as string });

describe('a client', () => {
  it.each([
    ['a variable that is not set', undefined],
    ['an empty variable', ''],
    ['null', null],
  ])('says that the key is missing for %s', (_, key) => {
    expect(made(key, 'https://postern.example.com')).toThrow(PosternError);
    expect(made(key, 'https://postern.example.com')).toThrow('POSTERN_EMAIL_KEY');
  });

  it.each(['127.0.0.1:8080', 'postern.example.com', 'ftp://postern.example.com', 'https://', '//x'])(
    'refuses the URL %j at once',
    baseUrl => expect(made(KEY, baseUrl)).toThrow(`not ${JSON.stringify(baseUrl)}`),
  );

  it.each(['http://127.0.0.1:8080', 'https://postern.example.com/', 'HTTPS://postern.example.com/base'])(
    'accepts %j',
    baseUrl => expect(made(KEY, baseUrl)).not.toThrow(),
  );
});

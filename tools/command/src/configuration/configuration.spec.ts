import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { UsageError } from '../errors.js';
import { configPath, readConfig, writeConfig } from './config-file.js';
import { Context, checkedUrl, isSentUnencrypted } from './context.js';

const folder = mkdtempSync(join(tmpdir(), 'postern-command-'));
afterAll(() => rmSync(folder, { recursive: true }));

const environment = { XDG_CONFIG_HOME: folder };
const path = configPath(environment);
const STORED = { url: 'https://postern.example.com', email_key: 'em_live_a', platform_key: 'ak_live_b' };

describe('the configuration', () => {
  it('is empty before the first login', () => expect(readConfig(path)).toEqual({}));

  it('is readable by its user only, even if it replaces a file with other permissions', () => {
    writeConfig(path, {});
    writeFileSync(path, '{}', { mode: 0o644 });
    writeConfig(path, STORED);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readConfig(path)).toEqual(STORED);
  });

  it('is used with the stored URL', () => {
    const context = new Context(environment);
    expect([context.url, context.emailKey, context.platformKey]).toEqual(Object.values(STORED));
  });

  it('is not used with another URL, and environment variables take precedence', () => {
    const elsewhere = { ...environment, POSTERN_URL: 'https://other.example.com', POSTERN_EMAIL_KEY: 'em_live_c' };
    const context = new Context(elsewhere);
    expect([context.url, context.emailKey, context.platformKey]).toEqual([
      'https://other.example.com',
      'em_live_c',
      undefined,
    ]);
  });

  it('names the file if it is damaged', () => {
    writeFileSync(path, '{');
    expect(() => readConfig(path)).toThrow(UsageError);
    expect(() => readConfig(path)).toThrow(path);
  });
});

describe('the URL', () => {
  it.each([
    ['https://postern.example.com/', 'https://postern.example.com'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['https://example.com/postern/?a=b', 'https://example.com/postern'],
  ])('%s is %s', (given, expected) => expect(checkedUrl(given)).toBe(expected));

  it.each(['postern.example.com', 'file:///etc/passwd', 'https://user:secret@example.com', ''])(
    '%j is refused',
    given => expect(() => checkedUrl(given)).toThrow(UsageError),
  );

  it.each([
    ['https://postern.example.com', false],
    ['http://localhost:8080', false],
    ['http://127.0.0.1:8080', false],
    ['http://[::1]:8080', false],
    ['http://postern.example.com', true],
    ['http://localhost.example.com', true],
    ['http://127.example.com', true],
  ])('%s sends credentials in clear text over the network: %s', (url, readable) =>
    expect(isSentUnencrypted(url)).toBe(readable),
  );
});

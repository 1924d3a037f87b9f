import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { ConfigError, defineConfig, describeConfig } from './define-config.js';
import { flag, integer, list, secret, text } from './settings.js';

const config = defineConfig({
  relayHost: text().describe('Where mail goes.'),
  relayPort: integer().min(1).default(25).describe('Its port.'),
  relayPassword: secret().optional().describe('Its password.'),
  relayIsFinal: flag().default(false).describe('Its 250 is delivery.'),
  relays: list().default([]).describe('Others in turn.'),
  relayNetworks: text()
    .default('none')
    .transform(networks => ({ networks }))
    .describe('Its networks.'),
});

const problemsOf = (environment: Record<string, string>): readonly string[] => {
  try {
    config.read(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
};

describe('A configuration', () => {
  it('is parsed from POSTERN_ variables', () => {
    const read = config.read({
      POSTERN_RELAY_HOST: 'relay.example',
      POSTERN_RELAY_PORT: '2525',
      POSTERN_RELAY_IS_FINAL: 'true',
      POSTERN_RELAYS: 'a.example, b.example',
    });
    expect(read).toMatchObject({ relayHost: 'relay.example', relayPort: 2525, relayIsFinal: true, httpPort: 0 });
    expect(read.relays).toEqual(['a.example', 'b.example']);
  });

  it('treats an empty variable as unset', () => {
    expect(config.read({ POSTERN_RELAY_HOST: 'relay.example', POSTERN_RELAY_PORT: '' }).relayPort).toBe(25);
  });

  it('reports all invalid variables at once, with the reasons', () => {
    const problems = problemsOf({ POSTERN_RELAY_PORT: 'smtp', POSTERN_LOG_LEVEL: 'loud' });
    expect(problems).toHaveLength(3);
    expect(problems).toContainEqual('POSTERN_RELAY_HOST: is required');
    expect(problems).toContainEqual(expect.stringMatching(/^POSTERN_RELAY_PORT: .*number/));
    expect(problems).toContainEqual(expect.stringMatching(/^POSTERN_LOG_LEVEL: /));
  });

  it('reads a setting from the file that its _FILE variable names, without the line break at the end', () => {
    const folder = mkdtempSync(join(tmpdir(), 'postern-config-'));
    const file = join(folder, 'relay-password');
    writeFileSync(file, 'sword fish \n');
    const read = config.read({ POSTERN_RELAY_HOST: 'x', POSTERN_RELAY_PASSWORD_FILE: file });
    expect(read.relayPassword?.reveal()).toBe('sword fish ');
    rmSync(folder, { recursive: true });
  });

  it.each([
    [
      'a file that is missing',
      { POSTERN_RELAY_HOST_FILE: '/nowhere/host' },
      /\/nowhere\/host cannot be read \(ENOENT\)/,
    ],
    ['an empty file', { POSTERN_RELAY_HOST_FILE: '/dev/null' }, /\/dev\/null is empty/],
    ['a folder', { POSTERN_RELAY_HOST_FILE: '/' }, /\/ cannot be read \(EISDIR\)/],
    [
      'a file beside a value',
      { POSTERN_RELAY_HOST: 'x', POSTERN_RELAY_HOST_FILE: '/etc/hostname' },
      /is set, and so is POSTERN_RELAY_HOST; set one/,
    ],
  ])('refuses %s with one problem, which names the variable', (_what, environment, reason) => {
    expect(problemsOf(environment)).toEqual([expect.stringMatching(/^POSTERN_RELAY_HOST_FILE: /)]);
    expect(problemsOf(environment)[0]).toMatch(reason);
  });

  it('does not read a path as a file if it is a setting of its own', () => {
    expect(config.read({ POSTERN_RELAY_HOST: 'x', POSTERN_NATS_CA_FILE: '/nowhere/ca.crt' }).natsCaFile).toBe(
      '/nowhere/ca.crt',
    );
  });

  it('does not print its secrets', () => {
    const { relayPassword } = config.read({ POSTERN_RELAY_HOST: 'x', POSTERN_RELAY_PASSWORD: 'swordfish' });
    expect(`${relayPassword} ${JSON.stringify({ relayPassword })} ${inspect({ relayPassword })}`).not.toContain(
      'swordfish',
    );
    expect(relayPassword?.reveal()).toBe('swordfish');
  });

  it('describes its variables for the documentation', () => {
    const settings = new Map(describeConfig(config).map(setting => [setting.variable, setting]));
    expect(settings.get('POSTERN_RELAY_HOST')).toMatchObject({ required: true, description: 'Where mail goes.' });
    expect(settings.get('POSTERN_RELAY_PORT')).toMatchObject({ required: false, default: '25' });
    expect(settings.get('POSTERN_RELAY_NETWORKS')?.default).toBe('none');
    expect(settings.get('POSTERN_NATS_SERVERS')?.default).toBe('nats://127.0.0.1:4222');
  });

  it('cannot be defined if a setting has no description', () => {
    expect(() => defineConfig({ silent: text() })).toThrow('silent lacks its .describe()');
  });
});

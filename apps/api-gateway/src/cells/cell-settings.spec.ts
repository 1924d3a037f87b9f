import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '@postern/service-host/config';
import { config, linkSecretsOf } from '../config.js';

const SECRETS = ['the first secret of links of this spec', 'another secret of links of this spec'] as const;
const cell = (name: string, more: object = {}) => ({
  name,
  natsServers: `nats://${name}.example:4222`,
  natsPassword: 'not to be shown',
  linkSecrets: [SECRETS[name === 'eu1' ? 0 : 1]],
  ...more,
});
const read = (value: unknown) =>
  config.read({ POSTERN_CELLS: typeof value === 'string' ? value : JSON.stringify(value) });

describe('POSTERN_CELLS', () => {
  it('names the cells and the one that is open', () => {
    const { cells } = read([cell('eu1'), cell('eu2', { open: true })]);
    expect(cells?.map(({ name, open, natsClearText }) => [name, open, natsClearText])).toEqual([
      ['eu1', false, false],
      ['eu2', true, false],
    ]);
    expect(JSON.stringify(cells)).not.toMatch(/not to be shown|secret of links/);
  });

  it.each<[string, unknown, RegExp]>([
    ['no JSON', '[{"name": "eu1", "natsPassword": "not to be shown"', /must be a JSON list of cells/],
    ['no list', {}, /expected array/],
    ['no cell', [], /names no cell/],
    ['no open cell', [cell('eu1')], /exactly one cell must have "open": true/],
    ['two open cells', [cell('eu1', { open: true }), cell('eu2', { open: true })], /exactly one cell/],
    ['a name twice', [cell('eu1', { open: true }), cell('eu1', { linkSecrets: [SECRETS[1]] })], /the same name/],
    ['a link secret twice', [cell('eu1', { open: true }), cell('eu2', { linkSecrets: [SECRETS[0]] })], /the same link/],
    ['a short link secret', [cell('eu1', { linkSecrets: ['short'] })], /0\.linkSecrets\.0: needs at least 32 bytes/],
    ['no servers', [cell('eu1', { natsServers: undefined })], /0\.natsServers/],
    ['a mistyped field', [cell('eu1', { natsPasword: 'x' })], /0: Unrecognized key: "natsPasword"/],
    ['a name that is no label', [cell('EU 1')], /0\.name: must be 1 to 32/],
  ])('is refused with %s, and shows no secret', (_, value, reason) => {
    let problem: unknown;
    try {
      read(value);
    } catch (error) {
      problem = error;
    }
    expect(problem).toBeInstanceOf(ConfigError);
    expect((problem as ConfigError).message).toMatch(reason);
    expect((problem as ConfigError).message).not.toContain('not to be shown');
  });

  it('takes the place of POSTERN_LINK_SECRETS, which is required without it', () => {
    expect(() => linkSecretsOf(config.read({}))).toThrow('POSTERN_LINK_SECRETS: is required');
    expect(linkSecretsOf(config.read({ POSTERN_LINK_SECRETS: SECRETS[0] }))).toHaveLength(1);
  });
});

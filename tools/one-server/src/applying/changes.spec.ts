import { describe, expect, it } from '@jest/globals';
import { readConfiguration } from '../configuration/read-configuration.js';
import { renderFiles } from '../rendering/render.js';
import { EXAMPLE, MACHINE, SETTINGS } from '../testing/example.js';
import { changesOf, recordOf, unitsToRestart } from './changes.js';

const rendered = (text: string) => renderFiles({ configuration: readConfiguration(text, SETTINGS), machine: MACHINE });

describe('Applying a configuration', () => {
  const first = rendered(EXAMPLE);
  const written = new Map(first.map(({ path, text }) => [path, text]));
  const changes = (text: string) => changesOf(rendered(text), recordOf(first), path => written.get(path));

  it('a second time changes nothing', () => expect(changes(EXAMPLE)).toEqual([]));

  it('restarts only the service whose setting changed', () => {
    const found = changes(`${EXAMPLE}advanced: { email-send: { POSTERN_LOG_LEVEL: debug } }`);
    expect(unitsToRestart(found)).toEqual({ restart: ['postern-email-send.service'], reload: [] });
  });

  it('reloads Caddy for another account, and restarts nothing', () =>
    expect(unitsToRestart(changes(EXAMPLE.replace('ops@', 'admin@')))).toEqual({
      restart: [],
      reload: ['postern-caddy.service'],
    }));

  it('deletes the files that are rendered no longer', () => {
    const deleted = changes(EXAMPLE.replace('direct', 'smtps://u@smtp.example.net')).filter(
      ({ after }) => after === undefined,
    );
    expect(deleted.map(({ path }) => path)).toEqual([
      '/etc/postern/rendered/postfix/main.cf',
      '/etc/postern/rendered/postfix/master.cf',
      '/etc/systemd/system/postern-postfix.service',
    ]);
  });

  it('writes again what was changed by hand', () => {
    written.set('/etc/postern/rendered/pg_hba.conf', 'local all all trust');
    expect(unitsToRestart(changes(EXAMPLE))).toEqual({ restart: [], reload: ['postern-postgresql.service'] });
  });
});

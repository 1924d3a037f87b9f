import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { createCertificates } from '@postern/testing';
import { certificateFrom } from './certificate.js';

const { server, client } = createCertificates('DNS:mail.test');
const SETTINGS = 'POSTERN_MAIL_CERT_FILE, POSTERN_MAIL_KEY_FILE';

const certificateIn = (config: { mailCertFile?: string; mailKeyFile?: string }) =>
  certificateFrom(config, 'mailCertFile', 'mailKeyFile');

const refused = (problem: unknown) => expect.objectContaining({ name: 'ConfigError', problems: [problem] });

describe('The certificate of a listener', () => {
  it('is read from the files of both settings', () => {
    expect(certificateIn({ mailCertFile: server.cert, mailKeyFile: server.key })).toEqual({
      cert: readFileSync(server.cert, 'utf8'),
      key: readFileSync(server.key, 'utf8'),
    });
  });

  it('is undefined without settings', () => expect(certificateIn({})).toBeUndefined());

  it.each([
    ['key', { mailCertFile: server.cert }],
    ['certificate', { mailKeyFile: server.key }],
  ])('is refused without its %s', (_, onlyOne) => {
    expect(() => certificateIn(onlyOne)).toThrow(refused(`${SETTINGS}: set both; one of them is missing.`));
  });

  it.each([
    ['is missing', '/missing/key.pem', 'ENOENT.*/missing/key.pem'],
    ['belongs to another certificate', client.key, 'key values mismatch'],
  ])('is refused if its key %s', (_, mailKeyFile, reason) => {
    expect(() => certificateIn({ mailCertFile: server.cert, mailKeyFile })).toThrow(
      refused(expect.stringMatching(`^${SETTINGS}: not a certificate and its key: .*${reason}`)),
    );
  });
});

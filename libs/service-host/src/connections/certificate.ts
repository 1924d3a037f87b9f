import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ConfigError, variableOf } from '../config/define-config.js';

/**
 * The certificate and key (PEM) in the files that two settings name; undefined if neither is set.
 * @throws ConfigError if one is missing, or if the files are not a certificate and its key.
 */
export const certificateFrom = <Cert extends string, Key extends string>(
  config: { readonly [K in Cert | Key]?: string | undefined },
  certSetting: Cert,
  keySetting: Key,
): { readonly cert: string; readonly key: string } | undefined => {
  const { [certSetting]: certFile, [keySetting]: keyFile } = config;
  if (!certFile && !keyFile) return undefined;
  const settings = `${variableOf(certSetting)}, ${variableOf(keySetting)}`;
  if (!certFile || !keyFile) throw new ConfigError([`${settings}: set both; one of them is missing.`]);
  try {
    const certificate = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
    createSecureContext(certificate);
    return certificate;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError([`${settings}: not a certificate and its key: ${why}`]);
  }
};

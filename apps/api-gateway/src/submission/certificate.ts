import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { type Certificate, selfSignedCertificate } from '@postern/mail';
import { ConfigError } from '@postern/service-host/config';
import type { GatewayConfig } from '../config.js';

type Settings = Pick<GatewayConfig, 'submissionName' | 'submissionTlsCertFile' | 'submissionTlsKeyFile'>;

/** The configured certificate, or a self-signed one. @throws if a file is missing, or the files do not match. */
export const submissionCertificate = (settings: Settings): Certificate => {
  const { submissionName, submissionTlsCertFile: certFile, submissionTlsKeyFile: keyFile } = settings;
  if (!certFile && !keyFile) return selfSignedCertificate(submissionName);
  if (!certFile || !keyFile) {
    throw new ConfigError([
      'POSTERN_SUBMISSION_TLS_CERT_FILE, POSTERN_SUBMISSION_TLS_KEY_FILE: set both; one of them is missing.',
    ]);
  }
  try {
    const certificate = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
    createSecureContext(certificate);
    return certificate;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError([
      `POSTERN_SUBMISSION_TLS_CERT_FILE, POSTERN_SUBMISSION_TLS_KEY_FILE: not a certificate and its key: ${why}`,
    ]);
  }
};

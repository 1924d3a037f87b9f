import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { selfSignedCertificate } from './self-signed-certificate.js';

/** A certificate and its key, both PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateSettings {
  readonly bounceDomain: string;
  readonly bounceTlsCertFile?: string | undefined;
  readonly bounceTlsKeyFile?: string | undefined;
}

/**
 * The certificate that is configured, or else one that nobody vouches for. @throws where half of it is missing, or the
 * two do not belong together.
 */
export const certificateOf = (settings: CertificateSettings): Certificate => {
  const { bounceDomain, bounceTlsCertFile: certFile, bounceTlsKeyFile: keyFile } = settings;
  if (!certFile && !keyFile) return selfSignedCertificate(bounceDomain);
  if (!certFile || !keyFile)
    throw new Error('POSTERN_BOUNCE_TLS_CERT_FILE and POSTERN_BOUNCE_TLS_KEY_FILE go together; one of them is missing');
  try {
    const certificate = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
    createSecureContext(certificate);
    return certificate;
  } catch (cause) {
    throw new Error(`${certFile} and ${keyFile} are no certificate with its key: ${(cause as Error).message}`, {
      cause,
    });
  }
};

import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { type Certificate, selfSignedCertificate } from '@postern/mail';

export interface CertificateSettings {
  readonly bounceDomain: string;
  readonly bounceTlsCertFile?: string | undefined;
  readonly bounceTlsKeyFile?: string | undefined;
}

/**
 * Returns the configured certificate, or a self-signed one.
 * @throws if the certificate or key is missing, or they do not match.
 */
export const certificateOf = (settings: CertificateSettings): Certificate => {
  const { bounceDomain, bounceTlsCertFile: certFile, bounceTlsKeyFile: keyFile } = settings;
  if (!certFile && !keyFile) return selfSignedCertificate(bounceDomain);
  if (!certFile || !keyFile)
    throw new Error('set both POSTERN_BOUNCE_TLS_CERT_FILE and POSTERN_BOUNCE_TLS_KEY_FILE; one of them is missing');
  try {
    const certificate = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
    createSecureContext(certificate);
    return certificate;
  } catch (cause) {
    throw new Error(`${certFile} and ${keyFile} are not a certificate and its key: ${(cause as Error).message}`, {
      cause,
    });
  }
};

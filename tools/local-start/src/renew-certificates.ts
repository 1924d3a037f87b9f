import type { NatsServer } from '@postern/testing';

const DAY_MS = 86_400_000;

/**
 * Renews the certificate of a running NATS before it expires; NATS reads it again on SIGHUP, without closing connections.
 * @param renew returns whether it has renewed the certificate.
 * @returns a function that stops this.
 */
export const renewCertificates = (
  nats: Pick<NatsServer, 'pid' | 'isRunning'>,
  renew: () => Promise<boolean>,
  log: (line: string) => void,
  everyMs = DAY_MS,
): (() => Promise<void>) => {
  const attempt = async (): Promise<void> => {
    try {
      if (!(await renew())) return;
      log('the certificate of NATS was renewed');
      if (nats.isRunning) process.kill(nats.pid, 'SIGHUP');
    } catch (error) {
      log(`the certificate of NATS could not be renewed: ${(error as Error).message}`);
    }
  };
  const timer = setInterval(() => void attempt(), everyMs);
  timer.unref();
  return async () => clearInterval(timer);
};

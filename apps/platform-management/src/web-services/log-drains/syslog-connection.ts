import { connect } from 'node:tls';
import { literalAddress, NoPublicAddress, type OutboundGuard } from '@postern/outbound';

/** The port of syslog over TLS (RFC 5425 §4.1). */
const PORT = 6514;

export interface SyslogOptions {
  /** For all of it: DNS, connect, TLS, the frames, and the close. */
  readonly timeoutMs: number;
  /** Certificates to trust instead of those of the system; for tests. */
  readonly ca?: string | undefined;
}

/**
 * Sends frames over a TLS connection of their own. Syslog has no acknowledgements, so the frames count as accepted when the
 * server has read everything and has closed the connection in answer to our close (RFC 5425 §4.4).
 * @throws if the connection cannot be opened, breaks, or is not closed in time.
 */
export const sendFrames = (
  url: URL,
  frames: Buffer,
  guard: OutboundGuard,
  { timeoutMs, ca }: SyslogOptions,
): Promise<void> => {
  const address = literalAddress(url);
  if (address && !guard.allows(address)) return Promise.reject(new NoPublicAddress(address));
  const { hostname } = url;
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: address ?? hostname,
      port: Number(url.port || PORT),
      ...(address === undefined && { servername: hostname }),
      lookup: guard.lookup,
      minVersion: 'TLSv1.2',
      ...(ca !== undefined && { ca }),
    });
    let isEnded = false;
    const timer = setTimeout(
      () =>
        socket.destroy(
          new Error(
            `${isEnded ? 'the server has not closed the connection, which confirms the lines,' : 'no connection'} within ${timeoutMs / 1_000} s`,
          ),
        ),
      timeoutMs,
    );
    socket.once('secureConnect', () =>
      socket.end(frames, () => {
        isEnded = true;
      }),
    );
    // A syslog server sends nothing; whatever it sends is discarded.
    socket.resume();
    let failure: Error | undefined;
    socket.once('error', error => {
      failure = error;
    });
    socket.once('close', () => {
      clearTimeout(timer);
      if (failure || !isEnded)
        reject(failure ?? new Error('the server closed the connection before it had read all lines'));
      else resolve();
    });
  });
};

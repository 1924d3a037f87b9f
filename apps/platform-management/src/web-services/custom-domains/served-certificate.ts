import { checkServerIdentity, connect } from 'node:tls';

export interface ServedCertificate {
  readonly from: Date;
  readonly until: Date;
}

/** A proxy that has no certificate yet obtains one during the handshake. */
const WITHIN_MS = 30_000;

/**
 * The certificate that a TLS proxy serves for a domain.
 * @throws an error whose message says why browsers would refuse it: there is none, it is of another name, or it has ended.
 */
export const servedCertificate = (proxy: string, domain: string): Promise<ServedCertificate> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(`tls://${proxy}`);
    // The certificate is what is asked for; nothing is sent.
    const host = hostname.replace(/^\[|\]$/g, '');
    const socket = connect({ host, port: Number(port), servername: domain, rejectUnauthorized: false });
    const fail = (message: string) => {
      socket.destroy();
      reject(new Error(message));
    };
    socket.setTimeout(WITHIN_MS, () => fail(`the TLS proxy served none within ${WITHIN_MS / 1_000} seconds`));
    socket.once('error', ({ message }) => fail(`the TLS proxy served none (${message.split('\n', 1)[0]})`));
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerCertificate();
      const [from, until] = [new Date(certificate.valid_from), new Date(certificate.valid_to)];
      if (checkServerIdentity(domain, certificate)) return fail('the TLS proxy served that of another name');
      if (until <= new Date()) return fail(`it ended on ${until.toISOString().slice(0, 10)}`);
      socket.destroy();
      resolve({ from, until });
    });
  });

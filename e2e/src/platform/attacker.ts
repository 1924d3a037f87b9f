/** The findings of a web service whose code tried to access the platform. */
export interface Seen {
  /** The last response of NATS to a client without TLS and password, or the error of the connection. */
  readonly nats: string;
  /** By database: the answer of PostgreSQL's Unix socket to the superuser, or the error. */
  readonly postgres: Readonly<Record<string, string>>;
  /** The status of the dashboard API for a request without a session, or the error of the connection. */
  readonly dashboard: number | string;
  /** Names of its environment variables that belong to the platform. */
  readonly environment: readonly string[];
  /** Platform processes whose environment it could read. */
  readonly processes: readonly string[];
  /** Files with secrets or data of the platform that it could open. */
  readonly files: readonly string[];
}

const socketOf = ({ searchParams, port }: URL): string => `${searchParams.get('host')}/.s.PGSQL.${port}`;

/** Code without dependencies that tries each access and prints its findings as one line. */
export const attackerCode = (of: {
  readonly nats: string;
  readonly postgres: string;
  readonly home: string;
  /** A URL of the dashboard API. */
  readonly dashboard: string;
}): string => `
  const { readdirSync, readFileSync, openSync, statSync } = require('node:fs');
  const { connect } = require('node:net');
  const HOME = ${JSON.stringify(of.home)};
  const POSTGRES = ${JSON.stringify(socketOf(new URL(of.postgres)))};

  const request = (address, greeting, answerOf) => new Promise(resolve => {
    const socket = connect(address);
    let received = Buffer.alloc(0);
    const end = result => { socket.destroy(); resolve(result); };
    socket.on('connect', () => socket.write(greeting));
    socket.on('error', error => end(error.code));
    socket.on('close', () => end('closed'));
    socket.on('data', chunk => {
      received = Buffer.concat([received, chunk]);
      const answer = answerOf(received);
      if (answer) end(answer);
    });
  });

  const nats = port =>
    request({ port, host: '127.0.0.1' }, 'CONNECT {"verbose":false}\\r\\nPING\\r\\n', received =>
      /^(-ERR.*|PONG)\\r$/m.exec(received.toString())?.[1]);

  // Start-up of protocol 3.0; the answer R names the authentication: 0 none, 3 password, 10 SCRAM.
  const postgres = database => {
    const parameters = Buffer.from(['user', 'postgres', 'database', database, '', ''].join('\\0').slice(0, -1) + '\\0');
    const head = Buffer.alloc(8);
    head.writeInt32BE(8 + parameters.length, 0);
    head.writeInt32BE(196608, 4);
    return request({ path: POSTGRES }, Buffer.concat([head, parameters]), received => {
      if (received.length < 9) return undefined;
      if (received.toString('latin1', 0, 1) !== 'R') return received.toString();
      return { 0: 'accepted' }[received.readInt32BE(5)] ?? 'refused';
    });
  };

  const reads = attempt => { try { return attempt(); } catch { return undefined; } };
  const platformProcesses = () =>
    readdirSync('/proc').filter(name => /^\\d+$/.test(name)).flatMap(pid => {
      const environment = reads(() => readFileSync('/proc/' + pid + '/environ', 'latin1')) ?? '';
      return /POSTERN_(NATS|DATABASE|ENCRYPTION|LINK)_/.test(environment) ? [pid] : [];
    });
  const files = () => ['secrets.json', 'ready.json', 'nats.conf', 'postgres/pg_hba.conf', 'nats', 'logs', 'logs/postgres.log', 'logs/nats.log']
    .filter(file => reads(() => statSync(HOME + '/' + file).isDirectory() ? readdirSync(HOME + '/' + file) : openSync(HOME + '/' + file)) !== undefined);

  (async () => {
    console.log(JSON.stringify({
      nats: await nats(${JSON.stringify(new URL(of.nats).port)}),
      postgres: { postgres: await postgres('postgres'), postern_email_send: await postgres('postern_email_send') },
      dashboard: await fetch(${JSON.stringify(of.dashboard)}).then(({ status }) => status, ({ cause }) => cause.code),
      environment: Object.keys(process.env).filter(name => /^POSTERN_(?!INSTANCE$|BUILD$|URL$)/.test(name)),
      processes: platformProcesses(),
      files: files(),
    }));
  })();
`;

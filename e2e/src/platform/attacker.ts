/** The findings of a web service whose code tried to access the platform. */
export interface Seen {
  /** The last response of NATS to a client without a password. */
  readonly nats: string;
  /** By database: whether PostgreSQL accepts the superuser without a password. */
  readonly postgres: Readonly<Record<string, string>>;
  /** The status of the dashboard API for a request without a session. */
  readonly dashboard: number;
  /** Names of its environment variables that belong to the platform. */
  readonly environment: readonly string[];
  /** Platform processes whose environment it could read. */
  readonly processes: readonly string[];
  /** Files with secrets or data of the platform that it could open. */
  readonly files: readonly string[];
}

/** Code without dependencies that tries each access and prints its findings as one line. */
export const attackerCode = (of: {
  readonly nats: string;
  readonly postgres: string;
  readonly home: string;
  /** A path of the dashboard API. */
  readonly dashboard: string;
}): string => `
  const { readdirSync, readFileSync, openSync, statSync } = require('node:fs');
  const { connect } = require('node:net');
  const HOME = ${JSON.stringify(of.home)};

  const request = (port, greeting, answerOf) => new Promise(resolve => {
    const socket = connect(port, '127.0.0.1');
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
    request(port, 'CONNECT {"verbose":false}\\r\\nPING\\r\\n', received =>
      /^(-ERR.*|PONG)\\r$/m.exec(received.toString())?.[1]);

  // Start-up of protocol 3.0; the answer R names the authentication: 0 none, 3 password, 10 SCRAM.
  const postgres = (port, database) => {
    const parameters = Buffer.from(['user', 'postgres', 'database', database, '', ''].join('\\0').slice(0, -1) + '\\0');
    const head = Buffer.alloc(8);
    head.writeInt32BE(8 + parameters.length, 0);
    head.writeInt32BE(196608, 4);
    return request(port, Buffer.concat([head, parameters]), received => {
      if (received.length < 9) return undefined;
      if (received.toString('latin1', 0, 1) !== 'R') return received.toString();
      return { 0: 'accepted', 3: 'password required', 10: 'password required' }[received.readInt32BE(5)];
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
    const port = ${JSON.stringify(new URL(of.postgres).port)};
    console.log(JSON.stringify({
      nats: await nats(${JSON.stringify(new URL(of.nats).port)}),
      postgres: { postgres: await postgres(port, 'postgres'), postern_email_send: await postgres(port, 'postern_email_send') },
      dashboard: (await fetch(process.env.POSTERN_URL + ${JSON.stringify(of.dashboard)})).status,
      environment: Object.keys(process.env).filter(name => /^POSTERN_(?!INSTANCE$|BUILD$|URL$)/.test(name)),
      processes: platformProcesses(),
      files: files(),
    }));
  })();
`;

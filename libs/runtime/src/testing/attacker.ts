/** A database server that requires a password. */
export interface GuardedPort {
  readonly kind: 'postgresql' | 'valkey';
  readonly host: string;
  readonly port: number;
  /** An existing user of the server. */
  readonly username: string;
}

/** The targets of an attacker. */
export interface Targets {
  readonly guarded: readonly GuardedPort[];
  /** Paths of the platform's control sockets. */
  readonly sockets: readonly string[];
  /** Process ids, on the host, of processes of other tenants. */
  readonly processes: readonly number[];
}

/** The result of each attempt, in the order of the targets: the error code, or that it succeeded. */
export interface Outcomes {
  readonly guarded: readonly string[];
  readonly sockets: readonly string[];
  readonly signals: readonly string[];
  readonly memories: readonly string[];
}

/** A shell command that makes the attempts; the file `attacker.mjs` contains `ATTACKER`. */
export const attemptsOn = (targets: Targets): string =>
  `node attacker.mjs ${Buffer.from(JSON.stringify(targets)).toString('base64url')}`;

/** Reads the line that the attacker printed. */
export const outcomesIn = (output: string): Outcomes => {
  const line = /^outcomes (\{.*\})$/m.exec(output)?.[1];
  if (line === undefined) throw new Error(`the attacker printed no outcomes:\n${output}`);
  return JSON.parse(line) as Outcomes;
};

/** A program without dependencies that connects to PostgreSQL and Valkey with a wrong password. */
export const ATTACKER = `
  import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
  import { closeSync, openSync } from 'node:fs';
  import { connect } from 'node:net';

  const { guarded, sockets, processes } = JSON.parse(Buffer.from(process.argv[2], 'base64url').toString());
  const PASSWORD = 'a guess';

  /** Answers with what \`onData\` returns first, or the code of the error. */
  const exchange = (target, greeting, onData) => new Promise(resolve => {
    const socket = connect(target);
    let received = Buffer.alloc(0);
    const end = result => { socket.destroy(); resolve(result); };
    socket.setTimeout(10_000, () => end('silent'));
    socket.on('connect', () => (greeting === undefined ? end('connected') : socket.write(greeting)));
    socket.on('error', error => end(error.code));
    socket.on('close', () => end('closed'));
    socket.on('data', chunk => {
      received = Buffer.concat([received, chunk]);
      const { rest, result } = onData(received, answer => socket.write(answer));
      received = rest;
      if (result !== undefined) end(result);
    });
  });

  const message = (type, body) => {
    const head = Buffer.alloc(5);
    head.write(type, 'latin1');
    head.writeInt32BE(4 + body.length, 1);
    return Buffer.concat([head, body]);
  };

  // Protocol 3.0; SCRAM-SHA-256 by RFC 5802 and 7677.
  const postgresql = ({ host, port, username }) => {
    const parameters = Buffer.from('user\\0' + username + '\\0database\\0' + username + '\\0\\0');
    const start = Buffer.alloc(8);
    start.writeInt32BE(8 + parameters.length, 0);
    start.writeInt32BE(196608, 4);
    const first = 'n=,r=attacker';
    const answerTo = body => {
      const kind = body.readInt32BE(0);
      if (kind === 0) return { result: 'let in' };
      if (kind === 3) return { answer: message('p', Buffer.from(PASSWORD + '\\0')) };
      if (kind === 10) {
        const text = Buffer.from('n,,' + first);
        const length = Buffer.alloc(4);
        length.writeInt32BE(text.length);
        return { answer: message('p', Buffer.concat([Buffer.from('SCRAM-SHA-256\\0'), length, text])) };
      }
      if (kind !== 11) return { result: 'authentication ' + kind };
      const server = body.toString('latin1', 4);
      const { r, s, i } = Object.fromEntries(server.split(',').map(part => [part[0], part.slice(2)]));
      const salted = pbkdf2Sync(PASSWORD, Buffer.from(s, 'base64'), Number(i), 32, 'sha256');
      const key = createHmac('sha256', salted).update('Client Key').digest();
      const bare = 'c=biws,r=' + r;
      const stored = createHash('sha256').update(key).digest();
      const signature = createHmac('sha256', stored).update([first, server, bare].join(',')).digest();
      const proof = Buffer.from(key.map((byte, at) => byte ^ signature[at])).toString('base64');
      return { answer: message('p', Buffer.from(bare + ',p=' + proof)) };
    };
    return exchange({ port, host }, Buffer.concat([start, parameters]), (received, send) => {
      for (;;) {
        if (received.length < 5 || received.length < 1 + received.readInt32BE(1)) return { rest: received };
        const type = received.toString('latin1', 0, 1);
        const body = received.subarray(5, 1 + received.readInt32BE(1));
        received = received.subarray(1 + received.readInt32BE(1));
        if (type === 'E') return { rest: received, result: /\\0C(\\w{5})/.exec('\\0' + body.toString('latin1'))?.[1] };
        if (type !== 'R') continue;
        const { answer, result } = answerTo(body);
        if (result !== undefined) return { rest: received, result };
        send(answer);
      }
    });
  };

  // Inline commands: one answer to each line.
  const valkey = ({ host, port }) =>
    exchange({ port, host }, 'DBSIZE\\r\\nAUTH ' + PASSWORD.replace(' ', '') + '\\r\\n', received => {
      const lines = received.toString().split('\\r\\n');
      if (lines.length < 3) return { rest: received };
      return { rest: received, result: lines.slice(0, 2).map(line => line.split(' ')[0]).join(' ') };
    });

  const codeOf = attempt => {
    try {
      attempt();
      return 'done';
    } catch (error) {
      return error.code;
    }
  };
  const outcomes = {
    guarded: await Promise.all(guarded.map(target => (target.kind === 'postgresql' ? postgresql : valkey)(target))),
    sockets: await Promise.all(sockets.map(path => exchange({ path }))),
    signals: processes.map(pid => codeOf(() => process.kill(pid, 0))),
    memories: processes.map(pid => codeOf(() => closeSync(openSync('/proc/' + pid + '/mem', 'r+')))),
  };
  console.log('outcomes ' + JSON.stringify(outcomes));
`;

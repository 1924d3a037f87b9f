/** What the server needs of the internet: name servers, a certificate authority with ACME, and mail servers of others. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import dns2 from 'dns2';
import { SMTPServer } from 'smtp-server';
import { INTERNET, SERVER } from './machine.mjs';

const { Packet } = dns2;
const reverseName = address => `${address.split('.').reverse().join('.')}.in-addr.arpa`;

/** Name servers for every name; wildcards as in RFC 4592, without labels in between. */
export class NameServers {
  #zone = new Map();

  set(name, type, ...values) {
    this.#zone.set(`${name.toLowerCase().replace(/\.$/, '')} ${type}`, values);
  }

  /** Publishes the lines that `postern dns --zone` prints. */
  publish(zone) {
    const found = new Map();
    for (const line of zone.trim().split('\n')) {
      const [, name, type, value] = /^(\S+)\. 3600 IN (\w+) (.*)$/.exec(line) ?? [];
      const text = type === 'TXT' ? [...value.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, part]) => part) : value;
      found.set(`${name} ${type}`, [...(found.get(`${name} ${type}`) ?? []), text]);
    }
    for (const [key, values] of found) this.#zone.set(key, values);
  }

  #values(name, type) {
    const own = this.#zone.get(`${name} ${type}`);
    if (own) return own;
    if ([...this.#zone.keys()].some(key => key.startsWith(`${name} `))) return [];
    const labels = name.split('.');
    for (let length = 1; length < labels.length; length++) {
      const found = this.#zone.get(`*.${labels.slice(length).join('.')} ${type}`);
      if (found) return found;
    }
    return undefined;
  }

  #respond = (request, send) => {
    const [question] = request.questions;
    const name = question.name.toLowerCase();
    const type = Object.entries(Packet.TYPE).find(([, number]) => number === question.type)?.[0];
    const response = Packet.createResponseFromRequest(request);
    response.header.aa = 1;
    const [alias] = type === 'CNAME' ? [] : (this.#zone.get(`${name} CNAME`) ?? []);
    if (alias) response.answers.push({ name: question.name, type: Packet.TYPE.CNAME, class: 1, ttl: 1, domain: alias });
    const values = this.#values(alias ?? name, type);
    if (values === undefined && ![...this.#zone.keys()].some(key => key.includes(name))) response.header.rcode = 3;
    for (const value of values ?? []) {
      const record = { name: alias ?? question.name, type: question.type, class: 1, ttl: 1 };
      if (type === 'MX') {
        const [priority, exchange] = value.split(' ');
        response.answers.push({ ...record, priority: Number(priority), exchange: exchange.replace(/\.$/, '') });
      } else if (type === 'TXT')
        response.answers.push({ ...record, data: [value].flat().flatMap(text => text.match(/.{1,255}/gs) ?? ['']) });
      else if (type === 'PTR' || type === 'CNAME') response.answers.push({ ...record, domain: value });
      else response.answers.push({ ...record, address: value });
    }
    send(response);
  };

  async listen(address) {
    const udp = dns2.createUDPServer(this.#respond);
    const tcp = dns2.createTCPServer(this.#respond);
    await udp.listen(53, address);
    await new Promise(resolve => tcp.listen(53, address, resolve));
  }
}

/** The mail servers of others: accept, refuse, or accept and send a notification of failure later. */
export class MailServers {
  messages = [];

  listen(address) {
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['AUTH', 'STARTTLS'],
      disableReverseLookup: true,
      onRcptTo: ({ address: to }, _session, callback) =>
        callback(
          to.startsWith('reject') ? Object.assign(new Error('5.1.1 no such user'), { responseCode: 550 }) : null,
        ),
      onData: (stream, { envelope }, callback) => {
        const chunks = [];
        stream.on('data', chunk => chunks.push(chunk));
        stream.on('end', () => {
          const message = {
            from: envelope.mailFrom.address,
            to: envelope.rcptTo.map(each => each.address),
            raw: Buffer.concat(chunks).toString(),
          };
          this.messages.push(message);
          callback();
          if (message.to.some(to => to.startsWith('later'))) void this.#bounce(message);
        });
      },
    });
    server.on('error', () => undefined);
    return new Promise(resolve => server.listen(25, address, resolve));
  }

  async next(fits, withinMs = 60_000) {
    const deadline = Date.now() + withinMs;
    for (;;) {
      const found = this.messages.find(fits);
      if (found) return found;
      if (Date.now() > deadline)
        throw new Error(`no such message within ${withinMs / 1_000} s; ${this.messages.length} others arrived`);
      await pause(200);
    }
  }

  /** A notification of failure to the return path, at the MX of the bounce domain. */
  async #bounce({ from, to: [recipient] }) {
    await pause(1_000);
    const report = [
      'From: mailer-daemon@receiver.example.net',
      `To: ${from}`,
      'Subject: failure notice',
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      'The mailbox is gone.',
      '--b',
      'Content-Type: message/delivery-status',
      '',
      'Reporting-MTA: dns; receiver.example.net',
      '',
      `Final-Recipient: rfc822; ${recipient}`,
      'Action: failed',
      'Status: 5.1.1',
      '',
      '--b--',
      '',
    ].join('\r\n');
    await sendMail(SERVER.address, 25, '', from, report);
  }
}

/** A whole SMTP dialogue. @throws with the reply that is no success. */
export const sendMail = (host, port, from, to, text) =>
  new Promise((resolve, reject) => {
    const lines = [
      `EHLO receiver.example.net`,
      `MAIL FROM:<${from}>`,
      `RCPT TO:<${to}>`,
      'DATA',
      `${text}\r\n.`,
      'QUIT',
    ];
    const socket = connect({ host, port, timeout: 20_000 });
    let buffer = '';
    socket.on('data', chunk => {
      buffer += chunk;
      const complete = /^(?:\d{3}-.*\r\n)*(\d{3}) .*\r\n$/.exec(buffer);
      if (!complete) return;
      const code = Number(complete[1]);
      if (code >= 400) return socket.destroy(new Error(buffer));
      buffer = '';
      const line = lines.shift();
      if (line === undefined || code === 221) return socket.end();
      socket.write(`${line}\r\n`);
    });
    socket.on('timeout', () => socket.destroy(new Error('no answer')));
    socket.on('error', reject);
    socket.on('close', () => resolve());
  });

/** Let's Encrypt, by its own name: a Caddy with an ACME server whose root the machines trust. */
export class CertificateAuthority {
  #process;

  constructor(folder) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, 'Caddyfile'),
      `{
	admin off
	storage file_system ${folder}/data
	skip_install_trust
}
acme-v02.api.letsencrypt.org, acme-staging-v02.api.letsencrypt.org {
	bind ${INTERNET.address}
	tls internal
	redir /directory /acme/local/directory 307
	acme_server
}
`,
    );
  }

  async start() {
    this.#process = spawn(
      'ip',
      [
        'netns',
        'exec',
        INTERNET.namespace,
        'caddy',
        'run',
        '--config',
        join(this.folder, 'Caddyfile'),
        '--adapter',
        'caddyfile',
      ],
      {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { ...process.env, HOME: this.folder, XDG_DATA_HOME: this.folder, XDG_CONFIG_HOME: this.folder },
      },
    );
    this.log = '';
    this.#process.stderr.on('data', chunk => {
      this.log = (this.log + chunk).slice(-20_000);
    });
    for (let attempt = 0; attempt < 100; attempt++) {
      try {
        this.root = readFileSync(join(this.folder, 'data/pki/authorities/local/root.crt'), 'utf8');
        return;
      } catch {
        await pause(200);
      }
    }
    throw new Error(`Caddy did not start:\n${this.log}`);
  }

  stop() {
    this.#process?.kill('SIGKILL');
  }
}

/** The records of the world outside, and those that an administrator sets at the provider of the server. */
export const publishWorld = names => {
  for (const host of ['acme-v02', 'acme-staging-v02']) names.set(`${host}.api.letsencrypt.org`, 'A', INTERNET.address);
  for (const domain of ['gmail.com', 'outlook.com', 'receiver.example.net', 'example.com']) {
    names.set(domain, 'MX', `10 mx.${domain}.`);
    names.set(`mx.${domain}`, 'A', INTERNET.address);
  }
  names.set('postern.example.com', 'A', SERVER.address);
  names.set(reverseName(SERVER.address), 'PTR', 'mx.mail.example.com');
};

/** Lets the server trust the authority, as it trusts Let's Encrypt. */
export const trustRoot = (root, certificate) => {
  writeFileSync(join(root, 'usr/local/share/ca-certificates/internet.crt'), certificate);
  execFileSync('chroot', [root, 'update-ca-certificates'], { stdio: 'ignore' });
};

/** Which TCP ports of the server accept a connection. */
export const openPorts = async ports => {
  const open = [];
  for (let start = 0; start < ports.length; start += 2_000) {
    const results = await Promise.all(ports.slice(start, start + 2_000).map(port => isOpen(port)));
    open.push(...results.filter(port => port !== undefined));
  }
  return open;
};

const isOpen = port =>
  new Promise(resolve => {
    const socket = connect({ host: SERVER.address, port });
    const end = result => {
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(1_000, () => end(undefined));
    socket.once('connect', () => end(port));
    socket.once('error', () => end(undefined));
  });

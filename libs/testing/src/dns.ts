import { once } from 'node:events';
import type { Socket } from 'node:net';
import dns2, { Packet } from 'dns2';
import { freePort } from './free-port.js';

export type DnsRecordType = 'TXT' | 'MX' | 'A' | 'CNAME';
export type DnsFailure = 'SERVFAIL' | 'REFUSED' | 'TIMEOUT';

/** The value of a record: a text, the strings of a TXT record, or an MX target. */
export type DnsValue = string | string[] | { priority: number; exchange: string };

/** A DNS server on the loopback interface, authoritative for all names. */
export interface TestDns {
  /** `127.0.0.1:port`, for `Resolver.setServers`. */
  address: string;
  /** All queries, oldest first. */
  queries: { name: string; type: string; over: 'udp' | 'tcp' }[];
  /** Replaces the records of a name and type; a TXT text over 255 bytes is split into several strings. */
  setRecords(name: string, type: DnsRecordType, values: DnsValue[]): void;
  /** Answers each query with the next address, and with the last one from then on, as DNS rebinding does. */
  rebind(name: string, addresses: readonly string[]): void;
  /** Makes every query for the name fail; `undefined` resets that. TIMEOUT leaves queries unanswered. */
  failWith(name: string, failure: DnsFailure | undefined): void;
  stop(): Promise<void>;
}

const failureCodes = { SERVFAIL: Packet.RCODE.SERVFAIL, REFUSED: Packet.RCODE.REFUSED };

/** Starts a DNS server on UDP and TCP at one free port; unknown names are NXDOMAIN. */
export async function startDnsServer(): Promise<TestDns> {
  const zone = new Map<string, Map<string, DnsValue[]>>();
  const failures = new Map<string, DnsFailure>();
  const rebinding = new Map<string, readonly string[]>();
  const queries: TestDns['queries'] = [];

  const respond = (over: 'udp' | 'tcp') => (request: Packet, send: (response: Packet) => unknown) => {
    const question = request.questions[0];
    if (!question) return;
    const name = normalise(question.name);
    const type = Packet.TYPE_NAME[question.type ?? 0] ?? String(question.type);
    queries.push({ name, type, over });
    const failure = failures.get(name);
    const [address, ...next] = type === 'A' ? (rebinding.get(name) ?? []) : [];
    if (address) zone.set(name, new Map([['A', [address]]]));
    if (next.length > 0) rebinding.set(name, next);
    if (failure === 'TIMEOUT') return;
    const response = Packet.createResponseFromRequest(request);
    response.header.aa = 1;
    if (failure) response.header.rcode = failureCodes[failure];
    else if (!zone.has(name)) response.header.rcode = Packet.RCODE.NXDOMAIN;
    else response.answers.push(...answersFor(zone, name, type));
    send(response);
  };

  const port = await freePort();
  const udp = dns2.createUDPServer(respond('udp'));
  const tcp = dns2.createTCPServer(respond('tcp'));
  const open = new Set<Socket>();
  tcp.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  await udp.listen(port, '127.0.0.1');
  tcp.listen(port, '127.0.0.1');
  await once(tcp, 'listening');

  return {
    address: `127.0.0.1:${port}`,
    queries,
    setRecords(name, type, values) {
      const records = zone.get(normalise(name)) ?? new Map<string, DnsValue[]>();
      zone.set(normalise(name), records.set(type, values));
    },
    rebind(name, addresses) {
      rebinding.set(normalise(name), addresses);
    },
    failWith(name, failure) {
      if (failure) failures.set(normalise(name), failure);
      else failures.delete(normalise(name));
    },
    async stop() {
      for (const socket of open) socket.destroy();
      const closed = [once(udp, 'close'), once(tcp, 'close')];
      udp.close();
      tcp.close();
      await Promise.all(closed);
    },
  };
}

const normalise = (name: string): string => name.toLowerCase().replace(/\.$/, '');

type Answer = InstanceType<typeof Packet.Resource>;

/** The records, or the alias followed by the records of its target (RFC 1034 §3.6.2). */
function answersFor(zone: Map<string, Map<string, DnsValue[]>>, name: string, type: string, depth = 0): Answer[] {
  const records = zone.get(name);
  const values = records?.get(type) ?? [];
  if (values.length > 0) return values.map(value => toAnswer(name, type, value));
  const [alias] = records?.get('CNAME') ?? [];
  if (typeof alias !== 'string' || depth > 8) return [];
  return [toAnswer(name, 'CNAME', alias), ...answersFor(zone, normalise(alias), type, depth + 1)];
}

function toAnswer(name: string, type: string, value: DnsValue): Answer {
  const common = { name, class: Packet.CLASS.IN, ttl: 0 };
  if (type === 'MX') {
    const target = typeof value === 'object' && 'exchange' in value ? value : { priority: 10, exchange: String(value) };
    return new Packet.Resource({ ...common, type: Packet.TYPE.MX, ...target });
  }
  if (type === 'TXT') {
    const strings = Array.isArray(value) ? value : (String(value).match(/[\s\S]{1,255}/g) ?? ['']);
    return new Packet.Resource({ ...common, type: Packet.TYPE.TXT, data: strings });
  }
  if (type === 'CNAME') return new Packet.Resource({ ...common, type: Packet.TYPE.CNAME, domain: String(value) });
  return new Packet.Resource({ ...common, type: Packet.TYPE.A, address: String(value) });
}

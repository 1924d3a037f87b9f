import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import dnsPacket, { type DecodedPacket, type Packet, type RecordType } from 'dns-packet';

const DNS_PORT = 53;
/** Maximum size of a UDP response without fragmentation (DNS flag day 2020). */
const UDP_BYTES = 1_232;

/** A name server did not respond in time. */
export class NoAnswerInTime extends Error {
  override readonly name = 'NoAnswerInTime';
}

/** A server in the notation of Node.js: `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1` or `[2001:db8::1]:5353`. */
export const serverOf = (text: string): { readonly host: string; readonly port: number } => {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text) ?? [];
  return { host: bracketed ?? plain ?? text, port: Number(port ?? DNS_PORT) };
};

/** Queries one server over UDP, and over TCP if the response is truncated. */
export const exchange = async (
  server: string,
  name: string,
  type: RecordType,
  timeoutMs: number,
): Promise<DecodedPacket> => {
  const query: Packet = {
    type: 'query',
    id: randomInt(65_536),
    flags: dnsPacket.RECURSION_DESIRED,
    questions: [{ type, name, class: 'IN' }],
    additionals: [{ type: 'OPT', name: '.', udpPayloadSize: UDP_BYTES, flags: 0, options: [] } as never],
  };
  const answer = await overUdp(server, query, timeoutMs);
  return answer.flag_tc ? overTcp(server, query, timeoutMs) : answer;
};

/** Whether the packet answers this query; other packets are ignored, because they can be forged. */
const answers = (query: Packet, { type, id, questions }: DecodedPacket): boolean => {
  const [question, echoed] = [query.questions?.[0], questions?.[0]];
  const isSameName = question?.name.toLowerCase() === echoed?.name.toLowerCase();
  return type === 'response' && id === query.id && isSameName && question?.type === echoed?.type;
};

const decoded = (bytes: Buffer): DecodedPacket | undefined => {
  try {
    return dnsPacket.decode(bytes);
  } catch {
    return undefined;
  }
};

const overUdp = (server: string, query: Packet, timeoutMs: number): Promise<DecodedPacket> => {
  const { host, port } = serverOf(server);
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  return inTime(
    timeoutMs,
    () => socket.close(),
    (resolve, reject) => {
      socket.once('error', reject);
      socket.on('message', bytes => {
        const answer = decoded(bytes);
        if (answer && answers(query, answer)) resolve(answer);
      });
      // A connected socket receives packets of this server only, and reports an error if nothing listens there.
      socket.connect(port, host, (error?: Error) => {
        if (error) reject(error);
        else socket.send(dnsPacket.encode(query));
      });
    },
  );
};

const overTcp = (server: string, query: Packet, timeoutMs: number): Promise<DecodedPacket> => {
  const socket = connect(serverOf(server));
  const chunks: Buffer[] = [];
  return inTime(
    timeoutMs,
    () => socket.destroy(),
    (resolve, reject) => {
      socket.once('error', reject);
      socket.once('close', () => reject(new Error('the name server closed the connection')));
      socket.on('data', chunk => {
        chunks.push(chunk);
        const bytes = Buffer.concat(chunks);
        if (bytes.length < 2 || bytes.length < 2 + bytes.readUInt16BE(0)) return;
        const answer = decoded(bytes.subarray(2, 2 + bytes.readUInt16BE(0)));
        if (answer && answers(query, answer)) resolve(answer);
        else reject(new Error('the name server sent something else than an answer'));
      });
      socket.write(dnsPacket.streamEncode(query));
    },
  );
};

const inTime = async <T>(
  timeoutMs: number,
  release: () => void,
  begin: (resolve: (value: T) => void, reject: (error: Error) => void) => void,
): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<T>((resolve, reject) => {
      timer = setTimeout(() => reject(new NoAnswerInTime()), timeoutMs);
      begin(resolve, reject);
    });
  } finally {
    clearTimeout(timer);
    release();
  }
};

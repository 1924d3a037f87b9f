import { otherPortRequest, type ProbeAnswer, type ProbeRequest, probe, probeRequest, wrongPort } from '../probe.js';
import type { ConfinedPlace } from './confinement.js';
import type { InstanceHost } from './instance-host.js';
import type { InstanceRecord } from './instance-record.js';
import { isOpen, type ListeningSocket, listeningSockets } from './listening-ports.js';

/** An instance with a port. */
type Probed = InstanceRecord & { readonly port: number };

interface ProbeOptions {
  readonly timeoutMs: number;
  /** Before the first success. */
  readonly isNew: boolean;
  /** Whether another port than PORT may get the requests. */
  readonly takesOther: boolean;
}

/** Another process has answered, or none. */
const NOT_LISTENING = 'connection refused';

/** An instance can listen on thousands of ports. */
const MOST_OTHER_PORTS = 16;

/**
 * Probes the port that gets the requests of one instance: PORT, or another one on which a new instance listens instead. PORT
 * precedes: as soon as the instance listens on it, it gets the requests.
 */
export class ProbedPort {
  /** The socket that listens on the port, as the last probe found it. */
  #socket: ListeningSocket | undefined;

  /** @param direct directs the requests to another port than PORT, or to PORT again. */
  constructor(
    private readonly host: Pick<InstanceHost, 'connections' | 'otherPorts'>,
    private readonly place: Pick<ConfinedPlace, 'address' | 'hasNetwork' | 'pids' | 'reachInward'>,
    private readonly direct: (port: number, otherPort: number | undefined) => Promise<void>,
  ) {}

  /** Fails unless a process of the instance listens on the port: another one may have answered. */
  async probe(record: Probed, options: ProbeOptions): Promise<ProbeAnswer> {
    const { port, otherPort, healthCheckPath } = record;
    const { timeoutMs, isNew } = options;
    const request = probeRequest(healthCheckPath, isNew);
    const answer = await this.#probeAt(port, record, request, timeoutMs);
    if (this.#socket && (await isOpen(this.#socket))) {
      if (otherPort === undefined) return answer;
      if (answer === NOT_LISTENING) return this.#probeAt(otherPort, record, request, timeoutMs);
    }
    const sockets = await listeningSockets(await this.place.pids());
    this.#socket = sockets.find(own => own.port === port);
    if (this.#socket) {
      if (otherPort !== undefined) await this.direct(port, undefined);
      return answer;
    }
    this.#socket = sockets.find(own => own.port === otherPort);
    if (this.#socket && otherPort !== undefined) return this.#probeAt(otherPort, record, request, timeoutMs);
    if (sockets.length === 0) return NOT_LISTENING;
    const ports = [...new Set(sockets.map(own => own.port))].sort((a, b) => a - b).slice(0, MOST_OTHER_PORTS);
    return this.#takeOther(ports, record, options);
  }

  /**
   * Directs the requests to the lowest of the ports that answers. One that got those of earlier instances may get them without
   * `takesOther`. In the network of the machine, two instances cannot listen on one port, so none is taken.
   */
  async #takeOther(
    ports: readonly number[],
    record: Probed,
    { timeoutMs, isNew, takesOther }: ProbeOptions,
  ): Promise<ProbeAnswer> {
    const { port } = record;
    const known = this.host.otherPorts.of(record);
    const tried = takesOther ? ports : ports.filter(each => each === known);
    if (!isNew || !this.place.hasNetwork || tried.length === 0) return wrongPort(ports, port);
    await this.place.reachInward([port, ...tried]);
    const request = otherPortRequest(record.healthCheckPath);
    const failures = await Promise.all(tried.map(each => this.#probeAt(each, record, request, timeoutMs)));
    const found = tried.find((_, index) => failures[index] === undefined);
    await this.place.reachInward(found === undefined ? [port] : [port, found]);
    if (found === undefined)
      return wrongPort(ports, port, new Map(tried.map((each, index) => [each, failures[index]])));
    await this.direct(port, found);
    return undefined;
  }

  #probeAt(
    port: number,
    { healthCheck, publicHost }: InstanceRecord,
    request: ProbeRequest,
    timeoutMs: number,
  ): Promise<ProbeAnswer> {
    const target = { host: this.place.address, port, publicHost: healthCheck?.host ?? publicHost, request };
    return probe(this.host.connections, target, timeoutMs);
  }
}

import type { Socket } from 'node:net';

interface Gauge {
  counted: number;
  serviceId: string | undefined;
}

/**
 * Reads off the clients' connections what went over them, heads included, and charges it to the service that was
 * talking. Our own answers (a stopped service's page) are nobody's.
 */
export class TrafficGauges {
  readonly #gauges = new Map<Socket, Gauge>();

  constructor(private readonly count: (serviceId: string, bytes: number) => void) {}

  watch(socket: Socket): void {
    const gauge: Gauge = { counted: 0, serviceId: undefined };
    this.#gauges.set(socket, gauge);
    socket.once('close', () => {
      this.#settle(socket, gauge);
      this.#gauges.delete(socket);
    });
  }

  /** From the request that is being answered now on, until `release`. */
  charge(socket: Socket, serviceId: string): void {
    const gauge = this.#gauges.get(socket);
    if (gauge) gauge.serviceId = serviceId;
  }

  release(socket: Socket): void {
    const gauge = this.#gauges.get(socket);
    if (!gauge) return;
    this.#settle(socket, gauge);
    gauge.serviceId = undefined;
  }

  /** Takes in what long responses and WebSockets have moved so far. */
  settle(): void {
    for (const [socket, gauge] of this.#gauges) if (gauge.serviceId) this.#settle(socket, gauge);
  }

  #settle(socket: Socket, gauge: Gauge): void {
    const bytes = socket.bytesRead + socket.bytesWritten;
    if (gauge.serviceId && bytes > gauge.counted) this.count(gauge.serviceId, bytes - gauge.counted);
    gauge.counted = bytes;
  }
}

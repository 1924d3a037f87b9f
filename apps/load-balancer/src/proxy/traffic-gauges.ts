import type { Socket } from 'node:net';

interface Gauge {
  counted: number;
  serviceId: string | undefined;
}

/**
 * Reads the transferred bytes, including heads, from the clients' connections and attributes them to the service in use.
 * Responses of the load balancer itself (the page of a stopped service) are not counted.
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

  /** Attributes the bytes of the connection to the service from the current request on, until `release`. */
  attribute(socket: Socket, serviceId: string): void {
    const gauge = this.#gauges.get(socket);
    if (gauge) gauge.serviceId = serviceId;
  }

  release(socket: Socket): void {
    const gauge = this.#gauges.get(socket);
    if (!gauge) return;
    this.#settle(socket, gauge);
    gauge.serviceId = undefined;
  }

  /** Counts the bytes that responses in progress and WebSockets have transferred so far. */
  settle(): void {
    for (const [socket, gauge] of this.#gauges) if (gauge.serviceId) this.#settle(socket, gauge);
  }

  #settle(socket: Socket, gauge: Gauge): void {
    const bytes = socket.bytesRead + socket.bytesWritten;
    if (gauge.serviceId && bytes > gauge.counted) this.count(gauge.serviceId, bytes - gauge.counted);
    gauge.counted = bytes;
  }
}

/** An anonymous client that floods from one address: every connection sends, reads the response, and reconnects. */
import { connect } from 'node:net';
import type { Flood, FloodResult } from './requests.js';
import { handleCommands } from './worker.js';

/** The connection is abandoned if a response takes longer. */
const GIVE_UP_MS = 2_000;

/** @returns the status of the response, or 0 if the connection ended without one. */
const sendOnce = ({ port, address, waits = true }: Flood, request: Buffer): Promise<number> =>
  new Promise(resolve => {
    const end = (status: number) => {
      socket.destroy();
      resolve(status);
    };
    const socket = connect({ port, host: '127.0.0.1', localAddress: address }, () =>
      socket.write(request, () => {
        if (!waits) end(0);
      }),
    );
    socket.setTimeout(GIVE_UP_MS, () => end(0));
    socket.once('data', answer => end(Number(answer.toString('latin1').slice(9, 12))));
    socket.on('error', () => end(0));
    socket.on('close', () => resolve(0));
  });

const flood = async (order: Flood): Promise<FloodResult> => {
  const { head, body, connections, seconds } = order;
  const request = Buffer.from(head + body);
  const end = performance.now() + seconds * 1_000;
  const answers: Record<string, number> = {};
  const client = async () => {
    while (performance.now() < end) {
      const status = await sendOnce(order, request);
      answers[status] = (answers[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  return { answers };
};

handleCommands({ flood });

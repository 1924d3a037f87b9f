/** The reference for webhooks: a loop of signed undici POSTs without records, checks or retries. */
import { createHmac } from 'node:crypto';
import { Pool } from 'undici';
import { handleCommands } from '../load/worker.js';

interface Sending {
  readonly origin: string;
  readonly paths: readonly string[];
  readonly payload: string;
  readonly secret: string;
  readonly count: number;
  readonly concurrency: number;
}

const send = async ({ origin, paths, payload, secret, count, concurrency }: Sending): Promise<{ seconds: number }> => {
  const pool = new Pool(origin, { connections: concurrency });
  const startedAt = performance.now();
  let next = 0;
  const sender = async () => {
    for (let number = next++; number < count; number = next++) {
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const signature = createHmac('sha256', secret).update(`${timestamp}.`).update(payload).digest('hex');
      const { statusCode, body } = await pool.request({
        method: 'POST',
        path: paths[number % paths.length] ?? '/',
        headers: {
          'content-type': 'application/json',
          'x-service-timestamp': timestamp,
          'x-service-signature': signature,
        },
        body: payload,
      });
      await body.dump();
      if (statusCode !== 204) throw new Error(`the receiver responded with ${statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, sender));
  const seconds = (performance.now() - startedAt) / 1_000;
  await pool.close();
  return { seconds };
};

handleCommands({ send });

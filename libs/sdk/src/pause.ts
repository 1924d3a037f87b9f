import type { AbortSignalLike } from './http-client.js';

/** Waits, and rejects with the reason of `signal` when it is aborted. */
export const pause = (ms: number, signal?: AbortSignalLike): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const cancel = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', cancel);
      resolve();
    }, ms);
    signal?.addEventListener('abort', cancel, { once: true });
  });

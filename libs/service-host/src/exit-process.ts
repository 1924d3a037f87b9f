import type { LogOutput } from './log/service-log.js';

/** Work of the thread pool, for which `process.exit` waits indefinitely. */
const POOLED = new Set(['FSReqCallback', 'FSReqPromise', 'GetAddrInfoReqWrap', 'GetNameInfoReqWrap']);
const LIMIT_MS = 1_000;
const STEP_MS = 20;

let isExiting = false;

/**
 * Ends the process with `code` within a second, even if the log has no reader or a thread hangs in a file or DNS
 * operation, which only a signal can end.
 */
export const exitProcess = (output: LogOutput, code: number): void => {
  if (isExiting) return;
  isExiting = true;
  output.flush();
  const deadline = performance.now() + LIMIT_MS;
  const end = () => {
    if (!process.getActiveResourcesInfo().some(kind => POOLED.has(kind))) process.exit(code);
    if (performance.now() >= deadline) process.kill(process.pid, 'SIGKILL');
    setTimeout(end, STEP_MS);
  };
  end();
};

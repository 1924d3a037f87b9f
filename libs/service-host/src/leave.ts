import type { LogOutput } from './log/service-log.js';

/** Work of the thread pool, which `process.exit` waits for without a limit. */
const POOLED = new Set(['FSReqCallback', 'FSReqPromise', 'GetAddrInfoReqWrap', 'GetNameInfoReqWrap']);
const LIMIT_MS = 1_000;
const STEP_MS = 20;

let leaving = false;

/**
 * Ends the process with `code`, within a second whatever hangs: the log's reader, or a thread that is stuck in a file
 * or a name lookup, which only a signal ends.
 */
export const leave = (output: LogOutput, code: number): void => {
  if (leaving) return;
  leaving = true;
  output.flush();
  const deadline = performance.now() + LIMIT_MS;
  const end = () => {
    if (!process.getActiveResourcesInfo().some(kind => POOLED.has(kind))) process.exit(code);
    if (performance.now() >= deadline) process.kill(process.pid, 'SIGKILL');
    setTimeout(end, STEP_MS);
  };
  end();
};

/** Runs schemathesis with a deadline, and prints its progress: without a terminal, schemathesis prints only the summary. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readSync } from 'node:fs';

const INTERVAL_MS = 20_000;
/** The first field of each call in the report. */
const ONE_CALL = 'startedDateTime';
/** After its time, schemathesis finishes the current call and shrinks failing examples. */
const GRACE_MS = 90_000;

/** Counts the calls in a growing report. */
const counterOf = file => {
  const buffer = Buffer.alloc(1 << 20);
  let [at, calls, rest] = [0, 0, ''];
  return () => {
    if (!existsSync(file)) return calls;
    const open = openSync(file, 'r');
    for (let length = readSync(open, buffer, 0, buffer.length, at); length > 0; ) {
      at += length;
      const parts = (rest + buffer.toString('latin1', 0, length)).split(ONE_CALL);
      calls += parts.length - 1;
      rest = parts.at(-1).slice(-ONE_CALL.length);
      length = readSync(open, buffer, 0, buffer.length, at);
    }
    closeSync(open);
    return calls;
  };
};

const clock = ms => `${Math.floor(ms / 60_000)}:${String(Math.floor(ms / 1_000) % 60).padStart(2, '0')}`;

/** @returns the exit code; not 0 if schemathesis was killed after its time. */
export const runInTime = async (program, args, { reportFile, seconds }) => {
  const began = performance.now();
  const child = spawn(program, args, { stdio: 'inherit' });
  const callsSoFar = counterOf(reportFile);
  const progress = setInterval(() => {
    console.error(`▸ ${clock(performance.now() - began)} of ${clock(seconds * 1_000)}: ${callsSoFar()} calls`);
  }, INTERVAL_MS);
  let isLate = false;
  const end = setTimeout(
    () => {
      isLate = true;
      child.kill('SIGINT');
    },
    seconds * 1_000 + GRACE_MS,
  );
  try {
    const [code] = await once(child, 'exit');
    if (isLate) console.error(`✗ schemathesis did not end ${GRACE_MS / 1_000} s after its time, and was stopped`);
    return isLate ? 1 : (code ?? 1);
  } finally {
    clearInterval(progress);
    clearTimeout(end);
  }
};

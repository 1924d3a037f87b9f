import { z } from 'zod';
import { requestsOf } from '../request.js';
import { runtimeId } from './orders.js';
import { terminalSize } from './terminal-size.js';

export { terminalSize } from './terminal-size.js';

const request = requestsOf('runtime-agent', ['api-gateway']);

/** Maximum number of bytes in one request or reply. */
export const TERMINAL_BYTES = 64 * 1024;

const bytes = z.base64().max(Math.ceil(TERMINAL_BYTES / 3) * 4);
const offset = z.int().min(0);
/** The token authorizes; the id of the run only finds the terminal. */
const ofTerminal = z.object({ run_id: runtimeId, token: z.string().min(1).max(200) });

/**
 * Output from the offset `after` on; what is before it is dropped. Waits for output, or until the terminal exists.
 * `output` is null while there is no such terminal. The command of a terminal that is not read for 30 seconds ends.
 */
export const readTerminal = request('read-terminal', {
  request: ofTerminal.extend({ after: offset, wait_ms: z.int().min(0).max(10_000) }),
  reply: z.object({ output: bytes.nullable(), is_over: z.boolean() }),
  deadlineMs: 20_000,
});

/** Writes input that begins at `offset`, and sets the size. `received` is how much input was accepted so far; null without a terminal. */
export const writeTerminal = request('write-terminal', {
  request: ofTerminal.extend({ offset, input: bytes, size: terminalSize.optional() }),
  reply: z.object({ received: offset.nullable() }),
  deadlineMs: 15_000,
});

import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import {
  cancelRun,
  getRun,
  type openShell,
  Refusal,
  type ReplyOf,
  readTerminal,
  TERMINAL_BYTES,
  terminalSize,
  writeTerminal,
} from '@postern/contracts';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import type { Caller } from '../infrastructure/http/access/caller.js';
import type { ServiceClient } from '../infrastructure/service-client/ports.js';

/** Close codes of RFC 6455, section 7.4.1. */
export const CLOSE = { ended: 1000, malformed: 1007, failed: 1011, restarting: 1012 } as const;

export interface ShellLimits {
  /** How long a shell may have neither input nor output. */
  readonly idleMs: number;
  /** How often the client is pinged; it is gone if it has not answered one ping before the next. */
  readonly pingMs: number;
  /** How often the credential is checked. */
  readonly checkMs: number;
  /** How long the services may be unavailable before the shell is closed. */
  readonly unavailableMs: number;
  /** How much output one shell may have. */
  readonly outputBytes: number;
}

export const SHELL_LIMITS: ShellLimits = {
  idleMs: 15 * 60_000,
  pingMs: 30_000,
  checkMs: 60_000,
  unavailableMs: 20_000,
  outputBytes: 2 ** 30,
};

const READ_WAIT_MS = 5_000;
const RETRY_MS = 500;
/** How long the outcome of a shell may take after the end of its output. */
const OUTCOME_MS = 15_000;
/** Input that waits for the shell; beyond it, the client has to wait. */
const MAX_PENDING_BYTES = 64 * 1024;
/** What a frame counts beside its bytes, so that tiny frames are limited as well. */
const FRAME_COST_BYTES = 64;

type TerminalSize = z.output<typeof terminalSize>;
const control = z.object({ resize: terminalSize }).strict();

export interface ShellParts {
  readonly socket: WebSocket;
  readonly services: ServiceClient;
  readonly caller: Caller;
  readonly shell: ReplyOf<typeof openShell>;
  /** Returns why the caller may no longer use the shell. */
  readonly isOver: () => Promise<string | undefined>;
  /** Aborted when the gateway stops. */
  readonly stopping: AbortSignal;
  readonly limits: ShellLimits;
}

/** Copies between a WebSocket and the terminal of a shell until one of them ends, and then ends the other one. */
export class ShellSession {
  readonly #ended = new AbortController();
  #frames: Buffer[] = [];
  #pendingBytes = 0;
  #size: TerminalSize | undefined;
  #isWriting = false;
  #written = 0;
  #usedAt = performance.now();
  #isAlive = true;

  constructor(private readonly parts: ShellParts) {}

  /** Resolves when both have ended; never rejects. */
  async run(): Promise<void> {
    const { socket, stopping, limits } = this.parts;
    const onStop = () => this.#close(CLOSE.restarting, 'the gateway restarts');
    socket.on('message', (data, isBinary) => this.#receive(data as Buffer, isBinary));
    socket.on('pong', () => {
      this.#isAlive = true;
    });
    socket.on('error', () => undefined);
    socket.once('close', () => this.#ended.abort());
    const pings = setInterval(() => this.#ping(), limits.pingMs);
    const checks = setInterval(() => void this.#check(), limits.checkMs);
    stopping.addEventListener('abort', onStop, { once: true });
    if (stopping.aborted) onStop();
    try {
      await Promise.race([this.#copyOutput(), once(this.#ended.signal, 'abort')]);
    } catch {
      this.#close(CLOSE.failed, 'the shell cannot be reached');
    } finally {
      clearInterval(pings);
      clearInterval(checks);
      stopping.removeEventListener('abort', onStop);
      await endRun(this.parts.services, this.parts.caller, this.parts.shell);
    }
  }

  async #copyOutput(): Promise<void> {
    const { services, caller, shell, limits } = this.parts;
    const { signal } = this.#ended;
    let after = 0;
    while (!signal.aborted) {
      const request = { run_id: shell.run.id, token: shell.token, after, wait_ms: READ_WAIT_MS };
      const { output, is_over } = await this.#persistently(() => services.request(readTerminal, request, caller));
      if (signal.aborted) return;
      // Before its start, and after a failed one, the run has no terminal.
      if (output === null && (await this.#outcome())) return this.#reportOutcome();
      if (output === null) continue;
      const bytes = Buffer.from(output, 'base64');
      if (bytes.length > 0) await this.#send(bytes);
      after += bytes.length;
      if (is_over) return this.#reportOutcome();
      if (after >= limits.outputBytes)
        return this.#exit({ code: null, reason: `ended after ${limits.outputBytes / 2 ** 20} MiB of output` });
    }
  }

  /** Resolves when the operating system has taken the bytes, so that a slow client slows the shell. */
  #send(bytes: Buffer): Promise<void> {
    this.#usedAt = performance.now();
    return new Promise(resolve => this.parts.socket.send(bytes, { binary: true }, () => resolve()));
  }

  #receive(data: Buffer, isBinary: boolean): void {
    const { socket } = this.parts;
    this.#usedAt = performance.now();
    if (isBinary) {
      this.#frames.push(data);
      this.#pendingBytes += data.length + FRAME_COST_BYTES;
      if (this.#pendingBytes > MAX_PENDING_BYTES) socket.pause();
    } else {
      const size = control.safeParse(jsonOf(data)).data?.resize;
      if (!size) {
        this.#close(CLOSE.malformed, 'a text frame must be {"resize": {"columns": 80, "rows": 24}}');
        return;
      }
      this.#size = size;
    }
    if (!this.#isWriting) void this.#copyInput();
  }

  /** Writes what has been received, and what arrives meanwhile, in order. */
  async #copyInput(): Promise<void> {
    this.#isWriting = true;
    try {
      while ((this.#frames.length > 0 || this.#size) && !this.#ended.signal.aborted) {
        const [input, size] = [Buffer.concat(this.#frames), this.#size];
        [this.#frames, this.#size, this.#pendingBytes] = [[], undefined, 0];
        for (let at = 0; at === 0 || at < input.length; at += TERMINAL_BYTES)
          await this.#write(input.subarray(at, at + TERMINAL_BYTES), at === 0 ? size : undefined);
        this.parts.socket.resume();
      }
    } catch {
      this.#close(CLOSE.failed, 'the shell cannot be reached');
    } finally {
      this.#isWriting = false;
    }
  }

  async #write(input: Buffer, size: TerminalSize | undefined): Promise<void> {
    const { services, caller, shell } = this.parts;
    const end = this.#written + input.length;
    while (!this.#ended.signal.aborted) {
      const rest = input.subarray(input.length - (end - this.#written));
      const request = {
        ...{ run_id: shell.run.id, token: shell.token, offset: this.#written, input: rest.toString('base64') },
        ...(size && { size }),
      };
      const { received } = await this.#persistently(() => services.request(writeTerminal, request, caller));
      this.#written = Math.max(this.#written, received ?? 0);
      if (received !== null && this.#written >= end) return;
      // The terminal does not exist yet, or its programs do not read.
      await this.#rest();
    }
  }

  /** Repeats a request while a service is unavailable. */
  async #persistently<T>(request: () => Promise<T>): Promise<T> {
    const until = performance.now() + this.parts.limits.unavailableMs;
    for (;;) {
      try {
        return await request();
      } catch (error) {
        if (Refusal.is(error) || this.#ended.signal.aborted || performance.now() > until) throw error;
        await this.#rest();
      }
    }
  }

  async #rest(): Promise<void> {
    await pause(RETRY_MS, undefined, { signal: this.#ended.signal }).catch(() => undefined);
  }

  async #outcome() {
    const { services, caller, shell } = this.parts;
    const run = await this.#persistently(() => services.request(getRun, runOf(caller, shell), caller));
    return run.finished_at === null ? undefined : { code: run.exit_code, reason: run.reason };
  }

  async #reportOutcome(): Promise<void> {
    const until = performance.now() + OUTCOME_MS;
    let outcome = await this.#outcome();
    while (!outcome && performance.now() < until && !this.#ended.signal.aborted) {
      await this.#rest();
      outcome = await this.#outcome();
    }
    this.#exit(outcome ?? { code: null, reason: 'the outcome is not known yet; see the run' });
  }

  #exit(exit: { readonly code: number | null; readonly reason: string | null }): void {
    this.parts.socket.send(JSON.stringify({ exit }), { binary: false });
    this.#close(CLOSE.ended, '');
  }

  #ping(): void {
    const { socket, limits } = this.parts;
    if (performance.now() - this.#usedAt >= limits.idleMs) {
      const minutes = Math.round(limits.idleMs / 60_000);
      this.#exit({ code: null, reason: `ended after ${minutes} minutes without input and output` });
    } else if (!this.#isAlive) socket.terminate();
    else {
      this.#isAlive = false;
      socket.ping();
    }
  }

  async #check(): Promise<void> {
    const reason = await this.parts.isOver();
    if (reason !== undefined) this.#exit({ code: null, reason });
  }

  #close(code: number, reason: string): void {
    this.parts.socket.close(code, reason);
    // The close frame of the client is not awaited: it may never come.
    this.#ended.abort();
  }
}

/** Ends a shell. If this fails, the agent ends it, because nobody reads its terminal. */
export const endRun = async (
  services: ServiceClient,
  caller: Caller,
  shell: ReplyOf<typeof openShell>,
): Promise<void> => {
  await services.request(cancelRun, runOf(caller, shell), caller).catch(() => undefined);
};

const runOf = ({ userId, workspaceId, projectIds }: Caller, { run }: ReplyOf<typeof openShell>) => ({
  ...{ user_id: userId, workspace_id: workspaceId, web_service_id: run.web_service_id, run_id: run.id },
  ...(projectIds === undefined ? {} : { project_ids: [...projectIds] }),
});

const jsonOf = (data: Buffer): unknown => {
  try {
    return JSON.parse(data.toString('utf8'));
  } catch {
    return undefined;
  }
};

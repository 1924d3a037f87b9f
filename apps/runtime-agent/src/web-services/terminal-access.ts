import { Injectable } from '@nestjs/common';
import { type ReplyOf, type RequestOf, readTerminal, writeTerminal } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Runtime } from '@postern/runtime';

/** Passes the bytes of terminals to and from those who have their tokens. */
@Injectable()
export class TerminalAccess {
  constructor(private readonly runtime: Runtime) {}

  @Handles(readTerminal)
  async read(request: RequestOf<typeof readTerminal>): Promise<ReplyOf<typeof readTerminal>> {
    const { run_id, token, after, wait_ms } = request;
    const terminal = await this.runtime.terminal(run_id, token, wait_ms);
    if (!terminal) return { output: null, is_over: false };
    const { data, isOver } = await terminal.read(after, wait_ms);
    return { output: Buffer.from(data).toString('base64'), is_over: isOver };
  }

  @Handles(writeTerminal)
  async write(request: RequestOf<typeof writeTerminal>): Promise<ReplyOf<typeof writeTerminal>> {
    const { run_id, token, offset, input, size } = request;
    const terminal = await this.runtime.terminal(run_id, token, 0);
    if (!terminal) return { received: null };
    if (size) terminal.resize(size);
    return { received: await terminal.write(offset, Buffer.from(input, 'base64')) };
  }
}

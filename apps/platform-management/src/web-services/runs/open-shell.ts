import { createHash, randomBytes } from 'node:crypto';
import { openShell, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { CreateRun } from './create-run.js';
import { runReply } from './runs.js';

const SHELL = 'exec "$(command -v bash || command -v sh)"';

/** Queues a command with a terminal, by default an interactive shell, as a run. */
@Handles(openShell)
export class OpenShell {
  constructor(private readonly runs: CreateRun) {}

  async execute(request: RequestOf<typeof openShell>): Promise<ReplyOf<typeof openShell>> {
    const { columns, rows, command = SHELL } = request;
    const token = randomBytes(32).toString('base64url');
    const tokenHash = createHash('sha256').update(token).digest('hex');
    return { run: runReply(await this.runs.create(request, command, { tokenHash, columns, rows })), token };
  }
}

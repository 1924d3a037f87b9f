type Handlers = Readonly<Record<string, (argument: never) => unknown>>;

interface Call {
  readonly call: number;
  readonly command: string;
  readonly argument: never;
}

/** Turns this process into a `BenchProcess`: reports ready, handles commands, exits with its parent. */
export const handleCommands = (handlers: Handlers, ready: object = {}): void => {
  // The parent stops this process; Ctrl-C reaches the whole process group.
  process.on('SIGINT', () => undefined);
  process.on('disconnect', () => process.exit(0));
  process.on('message', async ({ call, command, argument }: Call) => {
    try {
      answer({ call, result: await handlers[command]?.(argument) });
    } catch (error) {
      answer({ call, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
  answer({ ready });
};

/** Sends to the parent, which may have exited. */
const answer = (message: object): void => {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
};

type Handlers = Readonly<Record<string, (argument: never) => unknown>>;

interface Call {
  readonly call: number;
  readonly command: string;
  readonly argument: never;
}

/** Turns this process into a `BenchProcess`: says that it is ready, answers commands, ends with its parent. */
export const answerCommands = (handlers: Handlers, ready: object = {}): void => {
  // The parent stops us in order; a Ctrl-C reaches the whole group.
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

/** To a parent that may be gone by now. */
const answer = (message: object): void => {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
};

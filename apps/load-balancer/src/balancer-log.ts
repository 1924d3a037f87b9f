type Level = 'info' | 'warn' | 'error';

/** Fields first, then a sentence; one JSON object a line, as the services write them. */
export type BalancerLog = Record<Level, (fields: object, message: string) => void>;

export const balancerLog = (writeLine: (line: string) => void, always: object = {}): BalancerLog => {
  const at = (level: Level) => (fields: object, message: string) => {
    const time = new Date().toISOString();
    writeLine(JSON.stringify({ level, time, service: 'load-balancer', ...always, ...fields, msg: message }));
  };
  return { info: at('info'), warn: at('warn'), error: at('error') };
};

/** What of an error a log line needs. */
export const reasonOf = (error: unknown): { reason: string } => ({
  reason: error instanceof Error ? error.message : String(error),
});

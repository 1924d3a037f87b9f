type Level = 'info' | 'warn' | 'error';

/** Fields first, then a message. Writes one JSON object per line, in the format of the services' logs. */
export type BalancerLog = Record<Level, (fields: object, message: string) => void>;

export const balancerLog = (writeLine: (line: string) => void, always: object = {}): BalancerLog => {
  const at = (level: Level) => (fields: object, message: string) => {
    const time = new Date().toISOString();
    writeLine(JSON.stringify({ level, time, service: 'load-balancer', ...always, ...fields, msg: message }));
  };
  return { info: at('info'), warn: at('warn'), error: at('error') };
};

/** The part of an error that is logged. */
export const reasonOf = (error: unknown): { reason: string } => ({
  reason: error instanceof Error ? error.message : String(error),
});

/** The log of this library. pino implements it; fields come first, then a message. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const silentLog: Log = { info() {}, warn() {}, error() {} };

/** What the library tells the operator. pino fits as it is; fields come first, then a sentence. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const silentLog: Log = { info() {}, warn() {}, error() {} };

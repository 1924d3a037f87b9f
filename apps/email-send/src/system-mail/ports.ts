export interface SystemMailOptions {
  /** For the headers by which mail clients offer to unsubscribe. */
  readonly unsubscribeUrl?: string;
}

/** Mail that Postern itself sends (codes, warnings), from `no-reply@` the sandbox domain. */
export abstract class SystemMail {
  /** Refuses with `relay_unavailable` when no relay accepted the mail; nothing was sent then. */
  abstract send(to: string, subject: string, text: string, options?: SystemMailOptions): Promise<void>;
}

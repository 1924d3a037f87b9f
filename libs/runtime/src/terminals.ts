/** The size of a terminal in characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** A terminal for a command. It exists as long as somebody reads it, and the command ends with it. */
export interface TerminalOrder extends TerminalSize {
  /** SHA-256 in hexadecimal of the token with which it may be used. */
  readonly tokenHash: string;
}

export interface TerminalOutput {
  readonly data: Uint8Array;
  /** Whether the terminal is closed and this is the end of its output. */
  readonly isOver: boolean;
}

/** The terminal of one command. Offsets count bytes from its beginning, so that a repeated call has no further effect. */
export interface Terminal {
  /**
   * Returns output from the offset `after` on, and drops what is before it. Waits up to `waitMs` for output. While
   * nobody reads, the programs wait, and after 30 seconds the command ends.
   */
  read(after: number, waitMs: number): Promise<TerminalOutput>;
  /**
   * Writes input that begins at `offset`. Waits while the programs do not read.
   * @returns how much input was accepted since the beginning.
   */
  write(offset: number, data: Uint8Array): Promise<number>;
  resize(size: TerminalSize): void;
}

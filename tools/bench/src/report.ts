/** The report of a part: text, and the same results as data. */
export interface PartReport {
  readonly text: string;
  readonly figures: Readonly<Record<string, unknown>>;
}

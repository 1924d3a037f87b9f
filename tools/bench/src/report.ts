/** What a part of the bench hands back: text for people, and the same figures for machines. */
export interface PartReport {
  readonly text: string;
  readonly figures: Readonly<Record<string, unknown>>;
}

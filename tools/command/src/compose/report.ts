/** What a conversion refuses, and what its plan says. */
export class Report {
  readonly refusals: string[] = [];
  readonly notes: string[] = [];

  /** `reason` names the reason and the way out. */
  refuse(path: string, reason: string): void {
    this.refusals.push(`${path}: ${reason}`);
  }

  note(sentence: string): void {
    if (!this.notes.includes(sentence)) this.notes.push(sentence);
  }
}

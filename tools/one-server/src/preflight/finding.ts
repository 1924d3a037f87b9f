/** The result of one check. */
export interface Finding {
  readonly check: string;
  readonly verdict: 'good' | 'warning' | 'bad';
  readonly found: string;
  /** What to do; not for good ones. */
  readonly advice?: string;
  /** Whether the check could not be carried out, so that it says nothing about what it checks. */
  readonly unknown?: true;
}

const ICONS = { good: '✓', warning: '!', bad: '✗' } as const;

/** Prints findings, with advice for those that are not good. @returns the number of failures. */
export const showFindings = (findings: readonly Finding[], print: (line: string) => void): number => {
  for (const { check, verdict, found, advice } of findings) {
    print(`${ICONS[verdict]} ${check}: ${found}`);
    if (verdict !== 'good' && advice !== undefined) print(`    ${advice}`);
  }
  return findings.filter(({ verdict }) => verdict === 'bad').length;
};

/** The finding of a check that could not be carried out. */
export const checked = async (check: string, work: () => Promise<Finding>): Promise<Finding> => {
  try {
    return await work();
  } catch (error) {
    return { check, verdict: 'warning', found: `could not be checked: ${(error as Error).message}`, unknown: true };
  }
};

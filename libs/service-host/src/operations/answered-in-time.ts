import type { Finding } from './ports.js';

/** Findings of one check; a check that takes too long, or fails, is a finding itself. */
export const answeredInTime = async (
  check: string,
  limitMs: number,
  work: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> => {
  const { promise: late, resolve } = Promise.withResolvers<readonly Finding[]>();
  const found = `did not answer within ${limitMs / 1_000} s`;
  const timer = setTimeout(() => resolve([{ check, verdict: 'bad', found, advice: adviceFor(check) }]), limitMs);
  const failed = (error: Error): readonly Finding[] => [
    { check, verdict: 'bad', found: error.message || error.name, advice: adviceFor(check) },
  ];
  try {
    return await Promise.race([work().catch(failed), late]);
  } finally {
    clearTimeout(timer);
  }
};

const adviceFor = (check: string): string => `Check first whether a disk is full, then whether ${check} is running.`;

import { Injectable } from '@nestjs/common';
import { Every, type TaskRun } from '@postern/service-host';
import { SealedValues } from './sealed-values.js';

const BATCH_SIZE = 100;
const NAMED_IN_ERROR = 10;

/** Re-encrypts all values with the first encryption key after a new key was added. */
@Injectable()
export class ReencryptValues {
  constructor(private readonly values: SealedValues) {}

  /** @throws at the end an error with the ids of values that cannot be decrypted; all others are re-encrypted. */
  @Every(60_000, 're-encrypt values with the first key')
  async run({ signal }: Pick<TaskRun, 'signal'>): Promise<void> {
    const undecryptable: string[] = [];
    let after: string | undefined;
    do {
      const batch = await this.values.reencrypt(BATCH_SIZE, after);
      undecryptable.push(...batch.undecryptable);
      after = batch.lastId;
    } while (after !== undefined && !signal.aborted);
    if (undecryptable.length === 0) return;
    const names = undecryptable.slice(0, NAMED_IN_ERROR).join(', ');
    const more = undecryptable.length > NAMED_IN_ERROR ? ' and others' : '';
    throw new Error(`${undecryptable.length} sealed values cannot be decrypted: ${names}${more}`);
  }
}

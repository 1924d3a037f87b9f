import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';

/** The minimum parameters of OWASP's Password Storage Cheat Sheet for argon2id, the default variant of the library. */
const STRENGTH = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Hashes passwords with argon2id on the thread pool. */
@Injectable()
export class PasswordHasher {
  private readonly dummyHash = hash('no password has this hash', STRENGTH);

  hash(password: string): Promise<string> {
    return hash(password, STRENGTH);
  }

  /** Takes as long for a missing hash as for a wrong password, so that timing does not reveal which accounts exist. */
  async verify(known: string | undefined, password: string): Promise<boolean> {
    const matches = await verify(known ?? (await this.dummyHash), password);
    return known !== undefined && matches;
  }
}

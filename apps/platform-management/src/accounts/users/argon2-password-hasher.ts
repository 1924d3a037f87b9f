import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import type { PasswordHasher } from './ports.js';

/** The minimum parameters of OWASP's Password Storage Cheat Sheet for argon2id, the default variant of the library. */
const STRENGTH = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Hashes passwords with argon2id on the thread pool. */
@Injectable()
export class Argon2PasswordHasher implements PasswordHasher {
  private readonly dummyHash = hash('no password has this hash', STRENGTH);

  hash(password: string): Promise<string> {
    return hash(password, STRENGTH);
  }

  async verify(known: string | undefined, password: string): Promise<boolean> {
    const matches = await verify(known ?? (await this.dummyHash), password);
    return known !== undefined && matches;
  }
}

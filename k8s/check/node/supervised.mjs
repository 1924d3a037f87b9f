/** The programs of a cluster, each with a log. If one exits unexpectedly, the run ends. */
import { spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProgramEnded } from '../control-plane.mjs';

export class Supervised {
  #children = new Map();
  #failure;

  constructor(folder, environment) {
    this.folder = folder;
    this.environment = { ...process.env, ...environment };
  }

  start(name, program, args) {
    const log = openSync(join(this.folder, `${name}.log`), 'a');
    const spawned = spawn(program, args, { stdio: ['ignore', log, log], env: this.environment });
    const child = Object.assign(spawned, { failure: '' });
    child.once('error', error => {
      child.failure = error.message;
    });
    this.#children.set(name, child);
  }

  /** @throws with the end of its log if one of the programs has exited. */
  assertRunning() {
    if (this.#failure) throw this.#failure;
    for (const [name, child] of this.#children)
      if (child.exitCode !== null || child.signalCode !== null || child.failure)
        throw new ProgramEnded(`${name} ended: ${child.failure}\n${this.logOf(name).slice(-3_000)}`);
  }

  /** Ends the run at the next check, like a program that has exited. */
  fail(name, error) {
    this.#failure ??= new ProgramEnded(`${name} failed: ${error.message}`, { cause: error });
  }

  logOf(name) {
    return readFileSync(join(this.folder, `${name}.log`), 'utf8');
  }

  /** Ends one of the programs. @returns when it has ended. */
  stop(name, signal = 'SIGTERM') {
    const child = this.#children.get(name);
    this.#children.delete(name);
    const ended = new Promise(resolve => child.once('exit', resolve));
    child.kill(signal);
    return ended;
  }
}

import { type Machine, THIS_MACHINE } from '../machine.js';

/** A machine with these programs; `python3=python3.11` sets the target of a link. */
export const machineWith = (...programs: readonly string[]): Machine => {
  const links = new Map<string, string>();
  for (const program of programs) {
    const [name = '', target = name] = program.split('=');
    links.set(name, target);
  }
  return { name: THIS_MACHINE, has: program => links.has(program), realName: program => links.get(program) };
};

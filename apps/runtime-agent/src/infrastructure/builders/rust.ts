import { type Builder, commandStart } from './build-plan.js';
import { programStart } from './programs.js';

const BUILD = 'cargo build --release --locked';
const CARGO = [{ program: 'cargo', install: 'Rust with Cargo, for all users' }] as const;
const PROGRAMS = 'target/release';
/** Rocket does not read PORT. */
const ROCKET = 'ROCKET_ADDRESS=0.0.0.0 ROCKET_PORT="$PORT"';

/** Projects with a Cargo.toml: packages and workspaces. */
export const rust: Builder = async project => {
  const manifest = await project.read('Cargo.toml');
  if (manifest === undefined) return undefined;
  const lock = await project.readBeginning('Cargo.lock');
  const command = lock === undefined ? BUILD.replace(' --locked', '') : BUILD;
  const isRocket = /^rocket\s*=/m.test(manifest) || /^name = "rocket"$/m.test(lock ?? '');
  const [chosen, named] = ['default-run', 'name'].map(
    key => new RegExp(`^\\[package\\][^[]*?^${key}\\s*=\\s*"([\\w-]+)"`, 'ms').exec(manifest)?.[1],
  );
  return {
    rules: [`Cargo.toml found: ${command}`],
    command,
    needs: CARGO,
    programs: PROGRAMS,
    start: async built => {
      const start = await programStart(built, PROGRAMS, [chosen, named]);
      return start?.kind === 'command' && isRocket ? commandStart(`${ROCKET} ${start.command}`) : start;
    },
  };
};

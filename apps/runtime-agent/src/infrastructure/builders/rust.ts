import { type Builder, commandStart } from './build-plan.js';

const BUILD = 'cargo build --release --locked';
const CARGO = [{ program: 'cargo', install: 'Rust with Cargo, for all users' }] as const;

/** Projects with a Cargo.toml. */
export const rust: Builder = async project => {
  const manifest = await project.read('Cargo.toml');
  if (manifest === undefined) return undefined;
  const isLocked = await project.has('Cargo.lock');
  const command = isLocked ? BUILD : BUILD.replace(' --locked', '');
  const name = /^\[package\][^[]*?^name\s*=\s*"([\w-]+)"/ms.exec(manifest)?.[1];
  return {
    rules: [`Cargo.toml found: ${command}`],
    command,
    needs: CARGO,
    start: async built => {
      if (name === undefined || !(await built.has(`target/release/${name}`))) return undefined;
      const rocket = 'ROCKET_ADDRESS=0.0.0.0 ROCKET_PORT="$PORT"';
      return commandStart(
        /^rocket\s*=/m.test(manifest) ? `${rocket} ./target/release/${name}` : `./target/release/${name}`,
      );
    },
  };
};

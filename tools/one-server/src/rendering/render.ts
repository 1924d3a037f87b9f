import type { Model, RenderedFile } from './model.js';
import { PLACES } from './places.js';
import { serverFiles } from './server-files.js';
import { serverUnits } from './servers.js';
import { serviceUnits, unit, unitText } from './units.js';

const COMMAND = `${PLACES.release}/bin/postern`;

/** A start of the machine or of one of the parts starts the target with all of its units. */
const target = (): RenderedFile => ({
  path: `${PLACES.systemd}/postern.target`,
  text: unitText({
    Unit: { Description: 'Postern', Wants: 'network-online.target', After: 'network-online.target' },
    Install: { WantedBy: 'multi-user.target' },
  }),
  units: {},
});

const firewall = (): RenderedFile =>
  unit('postern-firewall.service', {
    Unit: {
      Description: 'Firewall of Postern',
      Before: 'network-pre.target',
      Wants: 'network-pre.target',
      DefaultDependencies: 'no',
      After: 'local-fs.target systemd-sysusers.service',
      Conflicts: 'shutdown.target',
    },
    Service: {
      Type: 'oneshot',
      RemainAfterExit: 'yes',
      ExecStart: `/usr/sbin/nft -f ${PLACES.rendered}/nftables.conf`,
      ExecStop: '-/usr/sbin/nft delete table inet postern',
    },
    Install: { WantedBy: 'multi-user.target' },
  });

/** A command of its own unit, started by a timer. */
const timed = (
  name: string,
  description: string,
  args: string,
  timer: Readonly<Record<string, string>>,
  service: Readonly<Record<string, string>> = {},
): RenderedFile[] => [
  {
    path: `${PLACES.systemd}/postern-${name}.service`,
    text: unitText({
      Unit: { Description: description, After: 'postern.target' },
      Service: { Type: 'oneshot', ExecStart: `${COMMAND} ${args}`, LogNamespace: 'postern', Nice: 10, ...service },
    }),
    units: {},
  },
  unit(`postern-${name}.timer`, {
    Unit: { Description: `${description}, in intervals` },
    Timer: { ...timer, Persistent: 'true' },
    Install: { WantedBy: 'timers.target' },
  }),
];

/** All files of an installation, in the order in which they are written. A pure function of the model. */
export const renderFiles = (model: Model): readonly RenderedFile[] => [
  ...serverFiles(model),
  target(),
  firewall(),
  ...serverUnits(model),
  ...serviceUnits(model),
  ...timed('backup', 'Backup of Postern', 'backup --scheduled', {
    OnActiveSec: `${model.configuration.backup.every}h`,
    OnUnitActiveSec: `${model.configuration.backup.every}h`,
  }),
  ...(model.configuration.backup.s3
    ? timed('backup-copy', 'Copy of the backups of Postern', 'backup copy', {
        OnActiveSec: '1min',
        OnUnitActiveSec: '1min',
      })
    : []),
  ...timed('certificate', 'Certificates of Postern', 'certificate renew', {
    OnActiveSec: '1min',
    OnUnitActiveSec: '10min',
  }),
  // A check that found something ends with 1, which is no failure of its unit.
  ...timed(
    'check',
    'Check of Postern',
    'check',
    { OnActiveSec: '15min', OnUnitActiveSec: '1h' },
    { SuccessExitStatus: '1' },
  ),
];

/** The units that run all the time, in the order of their start. */
export const unitsOf = (files: readonly RenderedFile[]): readonly string[] => [
  ...new Set(
    files
      .map(({ path }) => path)
      .filter(path => path.startsWith(`${PLACES.systemd}/postern-`))
      .map(path => path.slice(PLACES.systemd.length + 1))
      .filter(name => !/^postern-(backup|backup-copy|certificate|check)\.service$|-spare\.service$/.test(name)),
  ),
];

/** The isolation mechanisms that a host supports. */
export interface Isolation {
  readonly users: boolean;
  readonly namespaces: boolean;
  readonly cgroups: boolean;
  /** Why sandboxes share the network of this machine; undefined if each has a network of its own. */
  readonly sharedNetwork: string | undefined;
  /** Chains of other firewalls that drop packets of sandboxes. */
  readonly closedChains: readonly string[];
  /** Filters of system calls. */
  readonly filters: boolean;
  /** File systems of a limited size. */
  readonly images: boolean;
}

/** The missing isolation, one sentence per gap, for the log and for `postern doctor`. */
export const isolationGaps = ({
  users,
  namespaces,
  cgroups,
  sharedNetwork,
  closedChains,
  filters,
  images,
}: Isolation): readonly string[] => [
  ...(users ? [] : ['Not isolated: web services and builds run as the same user as the platform']),
  ...(namespaces
    ? []
    : [
        'Not isolated: web services and builds see the files of this machine that every user may read',
        'Not isolated: web services and builds see the processes of this machine and their arguments',
        'Not isolated: web services and builds share /tmp and the IPC objects of this machine',
      ]),
  ...(users || namespaces ? [] : ['Not isolated: web services and builds could read what the platform reads']),
  ...(filters
    ? []
    : [
        'Not isolated: web services and builds can use every system call of this machine: its filters need Perl and Linux with seccomp on x64 or arm64',
      ]),
  ...(sharedNetwork === undefined
    ? []
    : [
        `Not isolated: web services, builds and databases share the network of this machine and could take the ports of each other and of the platform, because ${sharedNetwork}`,
      ]),
  ...closedChains.map(
    chain =>
      `Not connected: a firewall of this machine drops packets of web services, builds and databases, because the chain ${chain} has no rule that accepts those of pst+: add the rules of “Networks of web services” in docs/operations.md`,
  ),
  ...(cgroups
    ? []
    : [
        'Not limited: memory, processes and processors of web services are watched, not limited, without control groups',
      ]),
  ...(images
    ? []
    : [
        'Not limited: the files of web services, builds and disks are measured, not limited: limits need root, loop devices and the package e2fsprogs',
      ]),
];

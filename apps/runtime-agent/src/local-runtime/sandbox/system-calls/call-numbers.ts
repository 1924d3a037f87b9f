/** The architectures with a filter, as `process.arch` names them. */
export const ARCHITECTURES = ['x64', 'arm64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/** Values of `AUDIT_ARCH_*` (`linux/audit.h`). */
export const AUDIT: Readonly<Record<Architecture, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 };

/** From 424 on, a call has the same number on every architecture. Numbers above this one are newer than the list below. */
export const NEWEST_CALL = 456;

/** Numbers of system calls: of x64, and of arm64 if it has the call (`asm/unistd.h`). */
const NUMBERS = {
  _sysctl: [156],
  acct: [163, 89],
  add_key: [248, 217],
  bpf: [321, 280],
  clock_adjtime: [305, 266],
  clock_settime: [227, 112],
  clone: [56, 220],
  clone3: [435, 435],
  create_module: [174],
  delete_module: [176, 106],
  fanotify_init: [300, 262],
  finit_module: [313, 273],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fsopen: [430, 430],
  fspick: [433, 433],
  get_kernel_syms: [177],
  init_module: [175, 105],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_uring_setup: [425, 425],
  ioperm: [173],
  iopl: [172],
  kcmp: [312, 272],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  lookup_dcookie: [212, 18],
  migrate_pages: [256, 238],
  modify_ldt: [154],
  mount: [165, 40],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  move_pages: [279, 239],
  nfsservctl: [180, 42],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  perf_event_open: [298, 241],
  personality: [135, 92],
  pidfd_getfd: [438, 438],
  pivot_root: [155, 41],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  ptrace: [101, 117],
  query_module: [178],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  reboot: [169, 142],
  request_key: [249, 218],
  setdomainname: [171, 162],
  sethostname: [170, 161],
  setns: [308, 268],
  settimeofday: [164, 170],
  socket: [41, 198],
  socketpair: [53, 199],
  swapoff: [168, 225],
  swapon: [167, 224],
  sysfs: [139],
  syslog: [103, 116],
  umount2: [166, 39],
  unshare: [272, 97],
  uselib: [134],
  userfaultfd: [323, 282],
  ustat: [136],
  vhangup: [153, 58],
} as const satisfies Record<string, readonly [x64: number, arm64?: number]>;

export type CallName = keyof typeof NUMBERS;

/** The number of a call; undefined if the architecture does not have it. */
export const numberOf = (name: CallName, architecture: Architecture): number | undefined =>
  (NUMBERS[name] as readonly number[])[ARCHITECTURES.indexOf(architecture)];

/** `prctl`, with which a process loads its filter. */
export const PRCTL: Readonly<Record<Architecture, number>> = { x64: 157, arm64: 167 };

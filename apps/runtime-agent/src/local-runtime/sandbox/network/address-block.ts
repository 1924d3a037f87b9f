/** An IPv4 network in CIDR notation, as numbers. */
export interface AddressBlock {
  readonly first: number;
  readonly bits: number;
}

/** The addresses of one sandbox: a /30 with the platform's end and the end of the sandbox. */
export interface SlotAddresses {
  readonly platform: string;
  readonly sandbox: string;
}

/** An installation uses this size; it is 1,024 networks of four addresses. */
export const BLOCK_BITS = 20;
const SLOT_SIZE = 4;

/** Slot 0 holds the address of the platform, which no sandbox has. */
export const FIRST_SLOT = 1;
export const SLOTS = 2 ** (32 - BLOCK_BITS) / SLOT_SIZE;

/** @throws if the text is not an IPv4 network. */
export const parseBlock = (text: string): AddressBlock => {
  const [, address = '', bits = '32'] = /^(\d+(?:\.\d+){3})(?:\/(\d+))?$/.exec(text) ?? [];
  const bytes = address.split('.').map(Number);
  if (bytes.length !== 4 || bytes.some(byte => byte > 255) || Number(bits) > 32)
    throw new Error(`${text} is not an IPv4 network`);
  const value = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  return { first: value - (value % 2 ** (32 - Number(bits))), bits: Number(bits) };
};

export const sizeOf = ({ bits }: AddressBlock): number => 2 ** (32 - bits);

export const addressText = (address: number): string =>
  [24, 16, 8, 0].map(shift => Math.floor(address / 2 ** shift) % 256).join('.');

export const blockText = ({ first, bits }: AddressBlock): string => `${addressText(first)}/${bits}`;

export const overlap = (one: AddressBlock, other: AddressBlock): boolean =>
  one.first < other.first + sizeOf(other) && other.first < one.first + sizeOf(one);

/** The blocks of installations in a pool. */
export const blocksIn = (pool: AddressBlock): readonly AddressBlock[] =>
  Array.from({ length: Math.floor(sizeOf(pool) / 2 ** (32 - BLOCK_BITS)) }, (_, index) => ({
    first: pool.first + index * 2 ** (32 - BLOCK_BITS),
    bits: BLOCK_BITS,
  }));

/** The address at which sandboxes reach the platform. */
export const platformAddress = ({ first }: AddressBlock): string => addressText(first + 1);

export const slotAddresses = ({ first }: AddressBlock, slot: number): SlotAddresses => ({
  platform: addressText(first + slot * SLOT_SIZE + 1),
  sandbox: addressText(first + slot * SLOT_SIZE + 2),
});

/** The prefix of the names of all links and namespaces of an installation, and the name of its nft table. */
export const namePrefix = ({ first }: AddressBlock): string => `${ANY_PREFIX}${first.toString(16).padStart(8, '0')}`;

/** The prefix of the names of every installation on this machine. */
export const ANY_PREFIX = 'pst';

/** A name of a link and a namespace. The kernel allows 15 characters. */
export const slotName = (block: AddressBlock, slot: number): string =>
  `${namePrefix(block)}${slot.toString(36).padStart(3, '0')}`;

export const slotOfName = (block: AddressBlock, name: string): number | undefined =>
  name.startsWith(namePrefix(block)) && name.length === namePrefix(block).length + 3
    ? Number.parseInt(name.slice(-3), 36)
    : undefined;

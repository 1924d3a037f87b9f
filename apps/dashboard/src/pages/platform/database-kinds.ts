import type { Database } from '@postern/contracts';

export const KIND_NAMES: Readonly<Record<Database['kind'], string>> = {
  relational: 'Relational',
  key_value: 'Key-value store',
};

import { SECRET_FILES_FOLDER } from '@postern/contracts';
import type { SecretFiles } from '@postern/runtime';

/** No variable has a name like the key of a file. */
export const secretData = (
  values: Readonly<Record<string, string>>,
  files: SecretFiles = {},
): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Buffer.from(value).toString('base64')])),
  ...Object.fromEntries(Object.values(files).map((content, index) => [fileKey(index), content])),
});

const fileKey = (index: number): string => `file-${index}`;

const FILES = 'files';

/** The files of the Secret as a volume, and its variables one by one, because the files are none. */
export const withFiles = (files: SecretFiles, secretName: string, environment: Readonly<Record<string, string>>) => ({
  env: Object.keys(environment).map(name => ({ name, valueFrom: { secretKeyRef: { name: secretName, key: name } } })),
  mount: { name: FILES, mountPath: SECRET_FILES_FOLDER, readOnly: true },
  volume: {
    name: FILES,
    secret: {
      secretName,
      defaultMode: 0o444,
      items: Object.keys(files).map((path, index) => ({ key: fileKey(index), path })),
    },
  },
});

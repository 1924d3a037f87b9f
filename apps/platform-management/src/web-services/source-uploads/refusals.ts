import { Refusal } from '@postern/contracts/refusal';

export const uploadNotFound = () =>
  new Refusal('upload_not_found', 'the upload is not complete or was deleted; upload the archive again');

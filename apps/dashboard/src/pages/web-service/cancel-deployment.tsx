import { ConfirmButton } from '../../components/action-button.js';

/** Cancels a deployment that is in progress. */
export const CancelDeployment = ({ work }: { readonly work: () => Promise<void> }) => (
  <ConfirmButton
    question="Cancel this deployment?"
    consequence="The build stops. The current version keeps running."
    confirm="Cancel deployment"
    dismiss="Keep deployment"
    work={work}
  >
    Cancel
  </ConfirmButton>
);

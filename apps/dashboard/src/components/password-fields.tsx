import { Field } from './form.js';

interface Props {
  readonly label?: string;
  readonly name?: string;
}

/** A password to be set, with the rules that every password must meet. */
export const NewPasswordField = ({ label = 'New password', name = 'password' }: Props) => (
  <Field
    label={label}
    name={name}
    type="password"
    required
    minLength={12}
    maxLength={1024}
    hint="At least 12 characters, and not a common password."
    autocomplete="new-password"
  />
);

/** A password that the user sets for their own account, entered twice: the second time as `repeated`. */
export const NewPasswordFields = (props: Props) => (
  <>
    <NewPasswordField {...props} />
    <Field label="Confirm new password" name="repeated" type="password" required autocomplete="new-password" />
  </>
);

import { ActionButton } from '../components/action-button.js';
import { Notice } from '../components/notice.js';
import { Page } from '../components/page.js';
import { useSignedIn } from '../session.js';
import { SecondFactorSection } from './second-factor-section.js';

/** The only page for users without the second factor that the installation requires. */
export const SecondFactorPage = () => {
  const { me, reload, signOut } = useSignedIn();
  return (
    <main class="centered">
      <div>
        <Page title="Set up two-factor authentication" actions={<ActionButton work={signOut}>Sign out</ActionButton>}>
          <p class="about">{me.email}</p>
          <Notice kind="warning">This installation requires two-factor authentication. Set it up to continue.</Notice>
          <SecondFactorSection onEnrolled={reload} />
        </Page>
      </div>
    </main>
  );
};

import type { ComponentChildren } from 'preact';
import { Link } from '../router.js';

interface BreadcrumbsProps {
  /** The pages above the current one, from the top; a name may be absent while it loads. */
  readonly above: readonly (readonly [to: string, name: string | undefined])[];
  readonly current: string;
  /** Badges of the current resource. */
  readonly children?: ComponentChildren;
}

/** The path to the current page, by the names of the resources. */
export const Breadcrumbs = ({ above, current, children }: BreadcrumbsProps) => (
  <nav class="crumbs" aria-label="Breadcrumb">
    <ol>
      {above.map(([to, name]) => (
        <li key={to}>
          <Link to={to}>{name ?? '…'}</Link>
        </li>
      ))}
      <li aria-current="location">
        <strong>{current}</strong> {children}
      </li>
    </ol>
  </nav>
);

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface PageProps {
  readonly title: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Sets the document title, and moves the focus to the heading so that screen readers announce the page. */
export const Page = ({ title, actions, children }: PageProps) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Postern`;
  }, [title]);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <>
      <div class="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions && <div class="actions">{actions}</div>}
      </div>
      {children}
    </>
  );
};

interface SectionProps {
  readonly title: string;
  readonly about?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A titled card of a page. */
export const Section = ({ title, about, actions, children }: SectionProps) => (
  <section class="card">
    <div class="card-head">
      <h2>{title}</h2>
      {actions && <div class="actions">{actions}</div>}
    </div>
    {about && <p class="about">{about}</p>}
    {children}
  </section>
);

interface CollapsibleSectionProps {
  readonly title: string;
  readonly about?: ComponentChildren;
  /** Whether it is open at first, for example because the list of what it creates is empty. */
  readonly open?: boolean;
  readonly children: ComponentChildren;
}

/** A card that shows its title until it is opened: the form for a new resource above the list of those that exist. */
export const CollapsibleSection = ({ title, about, open = false, children }: CollapsibleSectionProps) => (
  <details class="card collapsible" open={open}>
    <summary>
      <h2>{title}</h2>
    </summary>
    {about && <p class="about">{about}</p>}
    {children}
  </details>
);

/** Shown for an empty list; explains how to create an entry. */
export const EmptyState = ({ children }: { readonly children: ComponentChildren }) => <p class="empty">{children}</p>;

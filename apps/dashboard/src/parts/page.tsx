import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface PageProps {
  readonly title: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A page names itself in the tab, and takes the focus when it comes, so that screen readers read where they are. */
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

/** What stands where a list is empty: what would be there, and how to get it. */
export const Empty = ({ children }: { readonly children: ComponentChildren }) => <p class="empty">{children}</p>;

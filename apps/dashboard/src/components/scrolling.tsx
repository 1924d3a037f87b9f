import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface ScrollRegionProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

/** Scrolls content that is wider than the page, such as a table with many columns. */
export const ScrollRegion = ({ label, children }: ScrollRegionProps) => {
  const region = useRef<HTMLDivElement>(null);
  const focusable = useScrolls(region) ? { role: 'region' as const, 'aria-label': label, tabIndex: 0 } : {};
  return (
    <div ref={region} class="scrolls" {...focusable}>
      {children}
    </div>
  );
};

interface ScrollableTextProps {
  readonly children: string;
  readonly class?: string;
}

/** Preformatted text, which scrolls when it is too long for its box. */
export const ScrollableText = ({ children, class: className }: ScrollableTextProps) => {
  const text = useRef<HTMLPreElement>(null);
  const focusable = useScrolls(text) ? { tabIndex: 0 } : {};
  return (
    <pre ref={text} class={className} {...focusable}>
      {children}
    </pre>
  );
};

/** Whether an element currently scrolls; only then it must be focusable by keyboard (WCAG 2.1.1). */
const useScrolls = (of: RefObject<HTMLElement | null>): boolean => {
  const [scrolls, setScrolls] = useState(false);
  useEffect(() => {
    const element = of.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => {
      const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element;
      setScrolls(scrollWidth > clientWidth || scrollHeight > clientHeight);
    });
    for (const observed of [element, ...element.children]) observer.observe(observed);
    return () => observer.disconnect();
  }, [of]);
  return scrolls;
};
